import jsonpatch, { type Operation } from 'fast-json-patch';
import type { Json, JsonObject } from '../../common/index.js';
import type { StateEvent } from '../../events/index.js';
import type { AgUiEvent } from './ag-ui.types.js';

/** The shared state as a stream has shown it. */
export class SharedState {
  private value: Json | undefined;

  /** The event of a change. A patch before any snapshot begins from the empty object. */
  take(event: StateEvent): AgUiEvent[] {
    if (event.kind === 'snapshot') {
      this.value = event.snapshot;
      return [{ type: 'STATE_SNAPSHOT', snapshot: event.snapshot }];
    }
    const begin: AgUiEvent[] = this.value === undefined ? [{ type: 'STATE_SNAPSHOT', snapshot: {} }] : [];
    this.value = patched(this.value ?? {}, event.patch);
    return [...begin, { type: 'STATE_DELTA', delta: event.patch }];
  }

  /** What was shown, `{}` when that was nothing. */
  get current(): Json {
    return this.value ?? {};
  }

  /** The whole state again, `{}` when the log never spoke of it. */
  snapshot(): AgUiEvent[] {
    return [{ type: 'STATE_SNAPSHOT', snapshot: this.current }];
  }
}

/** The value after an RFC 6902 patch, of which the log only holds such as fit. */
function patched(value: Json, patch: readonly JsonObject[]): Json {
  const operations = jsonpatch.deepClone(patch) as Operation[];
  return jsonpatch.applyPatch(value, operations, false, false).newDocument;
}

import { isPlainObject, type Json, type JsonObject, patchedIfFits } from '../../common/index.js';
import type { LoggedEvent, StateEvent } from '../../events/index.js';
import type { RetainedSummary, RunView } from '../../run/index.js';
import type { AgUiEvent } from './ag-ui.types.js';

/** The shared state as a stream has shown it. */
export class SharedState {
  /** Undefined before the first snapshot. */
  private value: Json | undefined;

  /** The event of a change. A patch before any snapshot begins from the empty object. */
  take(event: StateEvent): AgUiEvent[] {
    if (event.kind === 'snapshot') {
      this.value = event.snapshot;
      return [{ type: 'STATE_SNAPSHOT', snapshot: event.snapshot }];
    }
    const begin: AgUiEvent[] = this.value === undefined ? [{ type: 'STATE_SNAPSHOT', snapshot: {} }] : [];
    this.value = patchedIfFits(this.value ?? {}, event.patch);
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

/** The name of what `StateSummary` keeps. */
export const STATE_SUMMARY = 'ag-ui.state';

/** Keeps the shared state as a run left it, for when its events are gone. */
export class StateSummary implements RetainedSummary {
  private readonly state = new SharedState();

  take({ event }: LoggedEvent): void {
    if (event.object === 'state') this.state.take(event);
  }

  result(): Json {
    return this.state.current;
  }
}

/** The state at the end of a run; undefined where no summary was retained, as long as its events exist. */
export function stateSummaryOf({ retainedSummaries }: Pick<RunView, 'retainedSummaries'>): JsonObject | undefined {
  const state = retainedSummaries?.[STATE_SUMMARY];
  return isPlainObject(state) ? state : undefined;
}

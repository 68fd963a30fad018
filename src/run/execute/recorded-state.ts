import jsonpatch, { type Operation } from 'fast-json-patch';
import type { SessionState, StateOperation } from '../../agent/index.js';
import { AppError, isPlainObject, type JsonObject } from '../../common/index.js';
import type { AgentEvent, StateEvent } from '../../events/index.js';

/** What a run finds of the shared state when it begins. */
export interface StateRemains {
  /** The log tells already what the run found. */
  readonly stateShown: boolean;
  /** The state as an earlier attempt left it; undefined when it did not change it. */
  readonly sessionState: JsonObject | undefined;
}

/** The shared state of a session during one run: what it finds, and every change, is an event. */
export class RecordedState implements SessionState {
  /** Undefined as long as the run has not changed it. */
  changed: JsonObject | undefined;

  constructor(
    private readonly stored: JsonObject,
    remains: StateRemains,
    private readonly emit: (event: StateEvent) => void,
  ) {
    this.changed = remains.sessionState;
    if (!remains.stateShown && Object.keys(stored).length > 0) {
      emit({ object: 'state', kind: 'snapshot', snapshot: structuredClone(stored), initial: true });
    }
  }

  get(): JsonObject {
    return structuredClone(this.changed ?? this.stored);
  }

  set(state: JsonObject): void {
    this.changed = structuredClone(state);
    this.emit({ object: 'state', kind: 'snapshot', snapshot: this.changed });
  }

  patch(operations: readonly StateOperation[]): void {
    if (operations.length === 0) return;
    const patch = structuredClone([...operations]);
    this.changed = patchedState(this.changed ?? this.stored, patch);
    this.emit({ object: 'state', kind: 'delta', patch });
  }
}

/** The shared state as a log tells it, up to where it was cut. */
export class StateTrace {
  private current: JsonObject = {};
  private isChanged = false;
  /** True once the log spoke of it. */
  shown = false;

  apply(event: AgentEvent): void {
    if (event.object !== 'state') return;
    this.shown = true;
    if (event.kind === 'delta') this.current = patchedState(this.current, event.patch);
    else this.current = event.snapshot as JsonObject;
    this.isChanged ||= event.kind === 'delta' || event.initial !== true;
  }

  /** The state, or undefined when the run has not changed it. */
  get changed(): JsonObject | undefined {
    return this.isChanged ? this.current : undefined;
  }
}

/** @throws AppError AGENT_ERROR when the patch does not fit */
function patchedState(state: JsonObject, patch: readonly StateOperation[]): JsonObject {
  let next: unknown;
  try {
    // Applied to a copy; values of operations are copied into it too, so that nobody can change them later.
    const operations = jsonpatch.deepClone(patch) as Operation[];
    next = jsonpatch.applyPatch(state, operations, true, false, true).newDocument;
  } catch (cause) {
    throw new AppError('AGENT_ERROR', 'A patch of the shared state does not fit', { cause });
  }
  if (!isPlainObject(next)) throw new AppError('AGENT_ERROR', 'The shared state must stay a JSON object');
  return next as JsonObject;
}

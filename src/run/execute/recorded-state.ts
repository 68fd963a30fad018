import type { SessionState, StateOperation } from '../../agent/index.js';
import {
  AppError,
  assertUnreachable,
  isPlainObject,
  type JsonObject,
  patched,
  type PatchLimits,
} from '../../common/index.js';
import type { AgentEvent, StateEvent } from '../../events/index.js';

/** What earlier attempts of a run logged of the shared state. */
export interface PartialSessionState {
  /** Whether the log has the state that the run began with. */
  readonly stateShown: boolean;
  /** The state as earlier attempts left it; undefined when they did not change it. */
  readonly sessionState: JsonObject | undefined;
}

/** The shared state of a session during one run. The initial state and every change are events of the log. */
export class RecordedState implements SessionState {
  /** Undefined as long as the run has not changed it. */
  changed: JsonObject | undefined;

  constructor(
    private readonly stored: JsonObject,
    partial: PartialSessionState,
    private readonly emit: (event: StateEvent) => void,
  ) {
    this.changed = partial.sessionState;
    if (!partial.stateShown && Object.keys(stored).length > 0) {
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

  patch(operations: readonly StateOperation[], limits?: PatchLimits): void {
    if (operations.length === 0) return;
    const patch = structuredClone([...operations]);
    this.changed = patchedState(this.changed ?? this.stored, patch, limits);
    this.emit({ object: 'state', kind: 'delta', patch });
  }
}

/** Folds the shared state from the events of a log. */
export class StateFold {
  private current: JsonObject = {};
  private isChanged = false;
  /** True once an event of the log had the state. */
  shown = false;

  apply(event: AgentEvent): void {
    if (event.object !== 'state') return;
    this.shown = true;
    switch (event.kind) {
      case 'snapshot':
        this.current = event.snapshot as JsonObject;
        this.isChanged ||= event.initial !== true;
        return;
      case 'delta':
        this.current = patchedState(this.current, event.patch);
        this.isChanged = true;
        return;
      default:
        return assertUnreachable(event);
    }
  }

  /** The state, or undefined when the run has not changed it. */
  get changed(): JsonObject | undefined {
    return this.isChanged ? this.current : undefined;
  }
}

/** @throws AppError AGENT_ERROR when the patch cannot be applied */
function patchedState(state: JsonObject, patch: readonly StateOperation[], limits?: PatchLimits): JsonObject {
  let next: unknown;
  try {
    next = patched(state, patch, limits);
  } catch (cause) {
    throw new AppError('AGENT_ERROR', 'A patch of the shared state cannot be applied', { cause });
  }
  if (!isPlainObject(next)) throw new AppError('AGENT_ERROR', 'The shared state must stay a JSON object');
  return next as JsonObject;
}

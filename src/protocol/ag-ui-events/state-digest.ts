import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import type { RetainedSummary, RunView } from '../../run/index.js';
import { SharedState } from './shared-state.js';

/** The name of what `StateDigest` keeps. */
export const STATE_DIGEST = 'ag-ui.state';

/** Keeps the shared state as a run left it, for when its events are gone. */
export class StateDigest implements RetainedSummary {
  private readonly state = new SharedState();

  take({ event }: LoggedEvent): void {
    if (event.object === 'state') this.state.take(event);
  }

  result(): Json {
    return this.state.current;
  }
}

/** The state that a run left; undefined while its events are there, and where nobody kept it. */
export function leftState({ retainedSummaries }: Pick<RunView, 'retainedSummaries'>): JsonObject | undefined {
  const state = retainedSummaries?.[STATE_DIGEST];
  return isPlainObject(state) ? state : undefined;
}

import { FixedClock } from '../../common/index.js';
import { type AgentResponse, ResponseBuilder } from '../../events/index.js';

/** What the first events of a run say about it. */
export interface FirstEventsOf {
  /** The client's id of the run. */
  readonly id: string;
  /** The client's id of its session. */
  readonly sessionId: string;
}

/**
 * The first events of every run: its response is created and in progress. A run that starts in the process that
 * accepts it has them in its log from the beginning.
 *
 * @param at when the run begins, in milliseconds since the epoch
 */
export function firstEvents({ id, sessionId }: FirstEventsOf, at: number): readonly AgentResponse[] {
  const response = new ResponseBuilder({ responseId: id, sessionId, clock: new FixedClock(at) });
  return [response.created(), response.inProgress()];
}

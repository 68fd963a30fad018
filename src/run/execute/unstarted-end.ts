import { Clock } from '../../common/index.js';
import { type ErrorModel, ResponseBuilder, serializeEvent } from '../../events/index.js';
import type { RunEnd } from '../ports/run-log.js';
import type { RunRecord } from '../ports/run-store.js';
import type { Ending } from './run-ending.js';

/** The whole log of a run that ends before anybody executed it. */
export interface UnstartedEnd {
  readonly lines: readonly string[];
  readonly state: RunEnd['state'];
  readonly error: ErrorModel | null;
}

/** Writes the log of a run that waited in vain: it is created, in progress and ended. `at` is in milliseconds. */
export function unstartedEnd(run: RunRecord, ending: Ending, at: number): UnstartedEnd {
  const lines: string[] = [];
  const response = new ResponseBuilder({
    responseId: run.id,
    sessionId: run.sessionId,
    clock: new FixedClock(at),
    sink: (event) => lines.push(serializeEvent(event)),
  });
  if (ending.kind === 'error') {
    response.failed(ending.error);
    return { lines, state: 'failed', error: ending.error };
  }
  response.canceled();
  return { lines, state: 'canceled', error: null };
}

class FixedClock extends Clock {
  constructor(private readonly at: number) {
    super();
  }

  now(): number {
    return this.at;
  }
}

import { AppError } from '../../../common/index.js';

/** The cursor in the header `Last-Event-ID`. */
export interface EventCursor {
  /** Of the run in its session; undefined where the wire's ids do not contain it. */
  readonly ordinal: number | undefined;
  /** How many frames of that run the reader has. */
  readonly after: number;
}

/**
 * Reads the id of the last frame that a browser's EventSource has: AG-UI numbers the frames of a run, the
 * Runs API puts the run's ordinal before the number.
 *
 * @throws AppError INVALID_PARAMETER for an id that no wire gives
 */
export function parseLastEventId(lastEventId: string | undefined): EventCursor | undefined {
  if (lastEventId === undefined || lastEventId === '') return undefined;
  const [, ordinal, after] = /^(?:(\d{1,9})-)?(\d{1,12})$/.exec(lastEventId) ?? [];
  if (after === undefined) throw lastEventIdError('must be the id of a frame of this stream');
  return { ordinal: ordinal === undefined ? undefined : Number(ordinal), after: Number(after) };
}

/** The error for a `Last-Event-ID` that is not of this stream. */
export function lastEventIdError(rule: string): AppError {
  const message = `Last-Event-ID ${rule}`;
  return new AppError('INVALID_PARAMETER', message, { details: [{ path: 'Last-Event-ID', message }] });
}

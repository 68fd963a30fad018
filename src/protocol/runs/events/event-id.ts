import { RunsError } from '../runs.errors.js';

/** The place of an event in its thread (contract runs-api, section 5): which run, and which of its events. */
export interface EventId {
  /** 1, 2, 3 … within the thread. */
  readonly ordinal: number;
  /** 1, 2, 3 … within the run; 0 for the place before the first. */
  readonly seq: number;
}

const EVENT_ID = /^([1-9]\d{0,14})-(\d{1,15})$/;
/** What clients send that have read nothing yet. */
const BEGINNING: readonly string[] = ['0', '-1', ''];

/** The text of an event id. */
export function formatEventId({ ordinal, seq }: EventId): string {
  return `${ordinal}-${seq}`;
}

/**
 * Reads a cursor; undefined means the beginning.
 *
 * @throws AppError INVALID_LAST_EVENT_ID
 */
export function parseEventId(text: string | undefined): EventId | undefined {
  if (text === undefined || BEGINNING.includes(text.trim())) return undefined;
  const match = EVENT_ID.exec(text.trim());
  if (!match) throw new RunsError('INVALID_LAST_EVENT_ID', 'The event id must have the form 1-42');
  return { ordinal: Number(match[1]), seq: Number(match[2]) };
}

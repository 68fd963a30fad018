import { DateTime } from 'luxon';

/** A day, `YYYY-MM-DD`. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** An ISO 8601 date and time, with or without seconds and offset; a space may replace the `T`. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})?$/;

/**
 * The moment that a text names: wall-clock time of the zone, or with an offset of its own. A wall-clock
 * time that a change of the clocks skips is moved forward; of one that occurs twice the first is taken.
 *
 * @returns milliseconds since the epoch; undefined if the text is not a date and time
 */
export function momentOf(text: string, timeZone: string): number | undefined {
  if (!DATE_TIME.test(text)) return undefined;
  const moment = DateTime.fromISO(text.replace(' ', 'T').replace('z', 'Z'), { zone: timeZone });
  if (!moment.isValid) return undefined;
  // Which of two equal wall-clock times the library takes depends on the current day.
  return Math.min(...moment.getPossibleOffsets().map((possible) => possible.toMillis()));
}

/** The start of a day and of the next one in a zone, in milliseconds; undefined if the text is not a day. */
export function dayOf(text: string, timeZone: string): { readonly from: number; readonly until: number } | undefined {
  const day = DAY.test(text) ? DateTime.fromISO(text, { zone: timeZone }) : undefined;
  if (!day?.isValid) return undefined;
  return { from: day.startOf('day').toMillis(), until: day.plus({ days: 1 }).startOf('day').toMillis() };
}

/** The start of the day of a moment in a zone. Both are milliseconds since the epoch. */
export function startOfDay(moment: number, timeZone: string): number {
  return DateTime.fromMillis(moment, { zone: timeZone }).startOf('day').toMillis();
}

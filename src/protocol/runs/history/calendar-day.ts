import { DateTime } from 'luxon';

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** True for a date of the calendar, `YYYY-MM-DD`. */
export function isCalendarDay(text: string): boolean {
  return DAY.test(text) && DateTime.fromISO(text, { zone: 'UTC' }).isValid;
}

/** The day of a moment in a zone. @param at milliseconds since the epoch */
export function dayOf(at: number, timeZone: string): string {
  return DateTime.fromMillis(at, { zone: timeZone }).toFormat('yyyy-MM-dd');
}

/** When a day begins in a zone, in milliseconds since the epoch; a day need not begin at midnight. */
export function startOfDay(day: string, timeZone: string): number {
  return DateTime.fromISO(day, { zone: timeZone }).startOf('day').toMillis();
}

/** When the day after a day begins. */
export function endOfDay(day: string, timeZone: string): number {
  return DateTime.fromISO(day, { zone: timeZone }).startOf('day').plus({ days: 1 }).startOf('day').toMillis();
}

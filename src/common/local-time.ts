import { memoize } from './memoize.js';

/** A moment as a clock on the wall of a zone shows it. */
export interface LocalTime {
  /** RFC 3339 with the zone's offset, whole seconds. */
  readonly iso: string;
  readonly date: string;
  readonly time: string;
  readonly weekday: string;
}

/** A formatter takes ten times as long to make as a moment to format. */
const KEPT_FORMATTERS = 64;

const formatterOf = memoize(
  KEPT_FORMATTERS,
  (timeZone: string) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    }),
);

/**
 * @param epochMs milliseconds since the epoch
 * @param timeZone a valid IANA zone
 * @throws RangeError if the zone or the moment is invalid
 */
export function localTime(epochMs: number, timeZone: string): LocalTime {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(epochMs)) parts[type] = value;
  const date = `${parts.year}-${parts.month}-${parts.day}`;
  const time = `${parts.hour}:${parts.minute}:${parts.second}`;
  const offset = parts.timeZoneName?.replace('GMT', '') || '+00:00';
  return { iso: `${date}T${time}${offset}`, date, time, weekday: parts.weekday ?? '' };
}

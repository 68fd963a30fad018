import { memoize } from './memoize.js';

/** The zone used if no valid one is given. */
export const DEFAULT_TIME_ZONE = 'UTC';

const LONGEST_NAME = 64;
const KEPT_NAMES = 256;

/**
 * True for the name of an IANA time zone that this runtime knows, in any letter case. Offsets such as `+08:00`
 * are refused, although some runtimes accept them as zones (contract runs-api, section 2.2).
 */
export function isTimeZone(value: unknown): value is string {
  return typeof value === 'string' && timeZoneName(value) !== undefined;
}

/**
 * The first candidate that is a valid IANA zone, otherwise UTC. Pass the candidates in the order of contract
 * runs-api, section 8: the tool's explicit argument, the device's zone from `client_time`, the user's settings.
 * The server's own zone must not be a candidate.
 */
export function resolveTimeZone(candidates: readonly unknown[]): string {
  for (const candidate of candidates) {
    const name = typeof candidate === 'string' ? timeZoneName(candidate) : undefined;
    if (name !== undefined) return name;
  }
  return DEFAULT_TIME_ZONE;
}

/**
 * Normalizes the letter case of an IANA zone's name; undefined if it is not valid. A name that the runtime
 * replaces by an older one (`Asia/Kolkata` by `Asia/Calcutta`) is returned unchanged.
 */
export function timeZoneName(value: string): string | undefined {
  return value.length > LONGEST_NAME ? undefined : knownZone(value);
}

const knownZone = memoize(KEPT_NAMES, (value: string): string | undefined => {
  if (!/^[a-z]/i.test(value)) return undefined;
  try {
    const resolved = new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
    return resolved.toLowerCase() === value.toLowerCase() ? resolved : value;
  } catch {
    return undefined;
  }
});

/** A moment as local time of a zone. */
export interface LocalTime {
  /** RFC 3339 with the zone's offset, whole seconds. */
  readonly iso: string;
  readonly date: string;
  readonly time: string;
  readonly weekday: string;
}

/** Size of the cache of formatters: making one takes ten times as long as formatting a moment. */
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
 * Converts a moment to local time.
 *
 * @param epochMs milliseconds since the epoch
 * @param timeZone a valid IANA zone
 * @throws RangeError if the zone or the moment is invalid
 */
export function localTime(epochMs: number, timeZone: string): LocalTime {
  const second = Math.floor(epochMs / 1000);
  if (newest?.second === second && newest.timeZone === timeZone) return newest.time;
  const time = formatted(epochMs, timeZone);
  newest = { second, timeZone, time };
  return time;
}

/** The last result: every run of a busy server needs the same second. */
let newest: { readonly second: number; readonly timeZone: string; readonly time: LocalTime } | undefined;

function formatted(epochMs: number, timeZone: string): LocalTime {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(epochMs)) parts[type] = value;
  const date = `${parts.year}-${parts.month}-${parts.day}`;
  const time = `${parts.hour}:${parts.minute}:${parts.second}`;
  const offset = parts.timeZoneName?.replace('GMT', '') || '+00:00';
  return { iso: `${date}T${time}${offset}`, date, time, weekday: parts.weekday ?? '' };
}

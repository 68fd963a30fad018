import { isPlainObject, timeZoneName } from '../../../common/index.js';
import type { ClientTime } from '../../../agent/tools/index.js';

/** The keys of a `client_time`, in the order in which they are checked. */
const CLIENT_TIME_KEYS = ['device_timezone', 'client_now_iso', 'client_epoch_ms'] as const;

/** A good `client_time`, or the first thing that is wrong: a field, or the object as a whole (`''`). */
export type ClientTimeResult =
  | { readonly ok: true; readonly value: ClientTime }
  | { readonly ok: false; readonly field: '' | (typeof CLIENT_TIME_KEYS)[number] };

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-](\d{2}):(\d{2}))$/;

/** Checks a `client_time` in the order of contract runs-api, section 2.2, rules 14 to 17. */
export function checkClientTime(value: unknown): ClientTimeResult {
  const keys: readonly string[] = CLIENT_TIME_KEYS;
  if (!isPlainObject(value) || Object.keys(value).some((key) => !keys.includes(key))) return { ok: false, field: '' };
  const { device_timezone: zone, client_now_iso: now, client_epoch_ms: epoch } = value;
  const timezone = typeof zone === 'string' ? timeZoneName(zone) : undefined;
  if (timezone === undefined) return { ok: false, field: 'device_timezone' };
  if (typeof now !== 'string' || !isRfc3339(now)) return { ok: false, field: 'client_now_iso' };
  if (typeof epoch !== 'number' || !Number.isSafeInteger(epoch) || epoch < 0)
    return { ok: false, field: 'client_epoch_ms' };
  return { ok: true, value: { device_timezone: timezone, client_now_iso: now, client_epoch_ms: epoch } };
}

/** RFC 3339 with an offset, of a day that exists (`Date.parse` would roll 30 February over). */
function isRfc3339(text: string): boolean {
  const match = RFC3339.exec(text);
  if (!match) return false;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  const daysInMonth = new Date(Date.UTC(2000, month, 0)).getUTCDate();
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const lastDay = month === 2 && !isLeap ? 28 : daysInMonth;
  if (month < 1 || month > 12 || day < 1 || day > lastDay) return false;
  return hour <= 23 && minute <= 59 && second <= 60 && offsetHour <= 23 && offsetMinute <= 59;
}

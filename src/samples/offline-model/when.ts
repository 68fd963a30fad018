/** A moment that a text names, in wall-clock terms of its time zone. */
export interface NamedMoment {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** `HH:mm`, or undefined when the text names a day only. */
  readonly time: string | undefined;
}

const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * The date and time that a text names, or undefined when it names neither. A time alone is today's.
 *
 * @param now milliseconds since the epoch, from which "tomorrow" counts
 * @param timeZone IANA name of the zone whose calendar counts
 */
export function momentIn(text: string, now: number, timeZone: string): NamedMoment | undefined {
  return momentOn(text, localDate(now, timeZone));
}

/** The same from a day, `YYYY-MM-DD`, from which "tomorrow" counts. */
export function momentOn(text: string, today: string): NamedMoment | undefined {
  const date = dateIn(text, today);
  const time = timeIn(text);
  if (date === undefined && time === undefined) return undefined;
  return { date: date ?? today, time };
}

/** The day a request was made, when its system prompt tells it: "Today is Monday, 2026-03-16". */
export function statedDay(systemText: string): string | undefined {
  return /\btoday is (?:\w+, )?(\d{4}-\d\d-\d\d)\b/i.exec(systemText)?.[1];
}

/** The length that a text names in minutes: "for 30 minutes", "1.5 hours", "半小时". */
export function durationIn(text: string): number | undefined {
  const hours = /(\d+(?:\.\d+)?)\s*(?:-\s*)?(?:hours?|hrs?|h\b|个?小时)/i.exec(text)?.[1];
  const minutes = /(\d+)\s*(?:-\s*)?(?:minutes?|mins?|min\b|分钟)/i.exec(text)?.[1];
  if (hours === undefined && minutes === undefined)
    return /\bhalf an hour\b|半小时/i.test(text) ? 30 : /\ban hour\b/i.test(text) ? 60 : undefined;
  return Math.round(Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

/** The moment a request was made, when its system prompt tells it. */
export function statedNow(systemText: string): number | undefined {
  const stamp = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/.exec(systemText)?.[0];
  const value = stamp === undefined ? Number.NaN : Date.parse(stamp.replace(' ', 'T'));
  return Number.isNaN(value) ? undefined : value;
}

/** A wall-clock moment moved by minutes, as `YYYY-MM-DDTHH:mm:00`. */
export function localDateTime(moment: NamedMoment, plusMinutes = 0): string {
  const base = Date.parse(`${moment.date}T${moment.time ?? '09:00'}:00Z`);
  return new Date(base + plusMinutes * 60_000).toISOString().slice(0, 19);
}

/** A wall-clock text of a zone with that zone's offset: what RFC 3339 calls a date-time. */
export function withOffset(local: string, timeZone: string): string {
  const asUtc = Date.parse(`${local}Z`);
  const offset = offsetMinutes(asUtc - offsetMinutes(asUtc, timeZone) * 60_000, timeZone);
  if (offset === 0) return `${local}Z`;
  const size = Math.abs(offset);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function offsetMinutes(instant: number, timeZone: string): number {
  const local = new Date(instant).toLocaleString('sv-SE', { timeZone });
  return Math.round((Date.parse(`${local.replace(' ', 'T')}Z`) - Math.floor(instant / 1000) * 1000) / 60_000);
}

function localDate(instant: number, timeZone: string): string {
  return new Date(instant).toLocaleDateString('sv-SE', { timeZone });
}

function dateIn(text: string, today: string): string | undefined {
  const plain = /\b\d{4}-\d\d-\d\d\b/.exec(text)?.[0];
  if (plain !== undefined && !Number.isNaN(Date.parse(plain))) return new Date(plain).toISOString().slice(0, 10);
  const later = (days: number): string => new Date(Date.parse(today) + days * DAY_MS).toISOString().slice(0, 10);
  if (/\bday after tomorrow\b|后天/i.test(text)) return later(2);
  if (/\btomorrow\b|明天/i.test(text)) return later(1);
  if (/\btoday\b|\btonight\b|今天/i.test(text)) return today;
  const inDays = /\bin (\d{1,3}) days?\b/i.exec(text)?.[1];
  if (inDays !== undefined) return later(Number(inDays));
  const weekday = WEEKDAYS.findIndex((day) => new RegExp(`\\b(?:on|next|this) ${day}\\b`, 'i').test(text));
  if (weekday < 0) return undefined;
  return later(((weekday - new Date(today).getUTCDay() + 6) % 7) + 1);
}

function timeIn(text: string): string | undefined {
  const stamp = /\d{4}-\d\d-\d\dT([01]\d:[0-5]\d|2[0-3]:[0-5]\d)/.exec(text)?.[1];
  if (stamp !== undefined) return stamp;
  if (/\bnoon\b|中午/i.test(text)) return '12:00';
  const match =
    /\b(?:at|from)\s+(\d{1,2})(?::([0-5]\d))?\s*(am|pm|a\.m\.|p\.m\.)?(?!\d)/i.exec(text) ??
    /\b(\d{1,2})(?::([0-5]\d))?\s*(am|pm|a\.m\.|p\.m\.)/i.exec(text) ??
    /\b(\d{1,2}):([0-5]\d)\b/.exec(text) ??
    /(?<half>上午|早上|下午|晚上)?(\d{1,2})[点:]([0-5]\d)?/.exec(text);
  if (!match) return undefined;
  const half = match.groups?.['half'];
  const [hourText, minuteText] = match.groups ? [match[2], match[3]] : [match[1], match[2]];
  const suffix = match.groups ? (half === '下午' || half === '晚上' ? 'pm' : '') : (match[3] ?? '').toLowerCase();
  const hour = (Number(hourText) % (suffix ? 12 : 24)) + (suffix.startsWith('p') ? 12 : 0);
  const fixed = suffix && Number(hourText) > 12 ? Number(hourText) % 24 : hour;
  return `${String(fixed).padStart(2, '0')}:${minuteText ?? '00'}`;
}

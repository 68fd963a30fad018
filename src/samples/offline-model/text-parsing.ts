import { isTimeZone } from '../../common/index.js';

/** Cities that are recognised anywhere in a text, with their time zones. */
const CITIES: readonly (readonly [string, string])[] = [
  ['Paris', 'Europe/Paris'],
  ['London', 'Europe/London'],
  ['Berlin', 'Europe/Berlin'],
  ['Singapore', 'Asia/Singapore'],
  ['Tokyo', 'Asia/Tokyo'],
  ['Sydney', 'Australia/Sydney'],
  ['New York', 'America/New_York'],
  ['San Francisco', 'America/Los_Angeles'],
  ['北京', 'Asia/Shanghai'],
  ['上海', 'Asia/Shanghai'],
  ['东京', 'Asia/Tokyo'],
  ['巴黎', 'Europe/Paris'],
];

/** Phrases after a preposition, which may name places. */
const AFTER_PREPOSITION = /\b(?:in|for|at|of|between)\s+([\p{L}][^?!;\n。？！]*)/giu;
/** Beginnings of phrases that are not places. */
const NOT_PLACES =
  /^(?:the|a|an|my|your|this|that|me|us|it|today|tomorrow|tonight|now|celsius|fahrenheit|degrees?|what|which|weather|temperature|forecast|time|date|week|weekend|morning|afternoon|evening|moment|please|here|there|general|detail|advance|thinking)\b/i;
/** The rest of a sentence after a place. */
const PHRASE_END =
  /\s(?:today|tomorrow|tonight|now|right now|this|next|please|with|using|by|in|on|at|for|is|like|look|when|and (?:what|which|the|tell|then|show|also|how|give|say|call|think|time|current)|step by step|slowly)\b.*$/i;

/** The places that a text asks about, in order and without duplicates. */
export function placesIn(text: string): readonly string[] {
  const named = [...text.matchAll(AFTER_PREPOSITION)].flatMap((match) => splitPlaces(match[1] ?? ''));
  const places = named.length > 0 ? named : [...knownCities(text), ...chinesePlaces(text)];
  const seen = new Set<string>();
  return places.filter((place) => !seen.has(place.toLowerCase()) && seen.add(place.toLowerCase()));
}

/** The IANA time zones that a text names, directly or by a city. */
export function timeZonesIn(text: string): readonly string[] {
  const named = text.match(/\b(?:[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?|UTC|GMT)\b/g) ?? [];
  const zones = named.filter(isTimeZone);
  const cities =
    zones.length > 0 ? [] : knownCities(text).map((name) => CITIES.find(([city]) => city === name)?.[1] ?? 'UTC');
  return [...new Set([...zones, ...cities])];
}

/** Splits "Paris and Rome" into places. */
function splitPlaces(phrase: string): readonly string[] {
  const end = phrase.replace(/\.(?:\s.*)?$/, '').replace(PHRASE_END, '');
  return end
    .split(/\s*(?:,|&|\/|\band\b|\bor\b|\bvs\.?|、|和|与)\s*/i)
    .map((place) =>
      place
        .replace(/^the (?:city of )?/i, '')
        .replace(/[\s."”']+$/, '')
        .trim(),
    )
    .filter(
      (place) => place.length > 1 && place.length <= 40 && place.split(' ').length <= 4 && !NOT_PLACES.test(place),
    );
}

function knownCities(text: string): readonly string[] {
  return CITIES.map(([city]) => ({
    city,
    at: text.toLowerCase().search(new RegExp(/^\w/.test(city) ? `\\b${city.toLowerCase()}\\b` : city)),
  }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ city }) => city);
}

function chinesePlaces(text: string): readonly string[] {
  if (knownCities(text).length > 0) return [];
  const phrase = /([\p{Script=Han}、]{2,16}?)(?:的|今天|明天|现在)*(?:天气|气温)/u.exec(text)?.[1] ?? '';
  return phrase
    .replace(/^(?:请问|请|帮我|查询|查|看看|告诉我|一下|今天|明天|现在)+/u, '')
    .split(/[、和与]/u)
    .filter((place) => place.length >= 2);
}

/** A moment that a text names, as wall-clock time of its time zone. */
export interface NamedMoment {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** `HH:mm`, or undefined if the text names only a day. */
  readonly time: string | undefined;
}

const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/**
 * The date and time that a text names, or undefined if it names neither. A time without a date is today's.
 *
 * @param now milliseconds since the epoch; "tomorrow" is relative to it
 * @param timeZone IANA name of the zone whose calendar is used
 */
export function momentIn(text: string, now: number, timeZone: string): NamedMoment | undefined {
  return momentOn(text, localDate(now, timeZone));
}

/** Like `momentIn`, relative to a day, `YYYY-MM-DD`. */
export function momentOn(text: string, today: string): NamedMoment | undefined {
  const date = dateIn(text, today);
  const time = timeIn(text);
  if (date === undefined && time === undefined) return undefined;
  return { date: date ?? today, time };
}

/** The day of the request if the system prompt states it: "Today is Monday, 2026-03-16". */
export function statedDay(systemText: string): string | undefined {
  return /\btoday is (?:\w+, )?(\d{4}-\d\d-\d\d)\b/i.exec(systemText)?.[1];
}

/** The duration that a text names, in minutes: "for 30 minutes", "1.5 hours", "半小时". */
export function durationIn(text: string): number | undefined {
  const hours = /(?<!\d)(\d{1,9}(?:\.\d{1,9})?)\s*(?:-\s*)?(?:hours?|hrs?|h\b|个?小时)/i.exec(text)?.[1];
  const minutes = /(?<!\d)(\d{1,9})\s*(?:-\s*)?(?:minutes?|mins?|min\b|分钟)/i.exec(text)?.[1];
  if (hours === undefined && minutes === undefined)
    return /\bhalf an hour\b|半小时/i.test(text) ? 30 : /\ban hour\b/i.test(text) ? 60 : undefined;
  return Math.round(Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

/** The moment of the request, in milliseconds since the epoch, if the system prompt states it. */
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

/** Adds the offset of a zone to a wall-clock time of it, which makes an RFC 3339 date-time. */
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

/** The date that a text names, `YYYY-MM-DD`: written out, relative ("tomorrow"), or by its weekday. */
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

/** The time that a text names, `HH:mm`. */
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

/** Words that say nothing about a text's subject. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the and or but if of in on at to for from by with without about into over as is are was were be been am do does did ' +
    'have has had can could will would shall should may might must i me my mine you your yours he she it its we us our they them ' +
    'their this that these those there here what which who whom whose when where why how not no yes please tell give let want ' +
    'need like just also too very so then than all any some each other more most using use used call tool tools function user ' +
    'current now hello hi hey thanks thank one only same such up out off own returns return'
  ).split(' '),
);

/** Verbs that many tool names start with. Alone they do not identify a tool. */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  'get set list show mak creat read writ run add updat chang search find fetch send open remov delet check ask new turn put data text value page name'.split(
    ' ',
  ),
);

/** Colour names and their names in CSS. */
const COLOURS: readonly (readonly [RegExp, string])[] = [
  ...'red green blue yellow orange purple pink brown black white gray grey cyan magenta teal gold silver navy lime indigo violet'
    .split(' ')
    .map((name) => [new RegExp(`\\b${name}\\b`, 'i'), name] as const),
  ...(
    [
      ['红', 'red'],
      ['绿', 'green'],
      ['蓝', 'blue'],
      ['黄', 'yellow'],
      ['橙', 'orange'],
      ['紫', 'purple'],
      ['粉', 'pink'],
      ['黑', 'black'],
      ['白', 'white'],
      ['灰', 'gray'],
    ] as const
  ).map(([character, name]) => [new RegExp(`${character}色`), name] as const),
];

/** The first colour that a text names: a hex code unchanged, otherwise the CSS name. */
export function colourIn(text: string): string | undefined {
  return /#[0-9a-f]{6}\b|#[0-9a-f]{3}\b/i.exec(text)?.[0] ?? COLOURS.find(([pattern]) => pattern.test(text))?.[1];
}

/** The words of a text without stop words, stemmed. Chinese text is split into pairs of characters. */
export function contentWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const word of splitIdentifiers(text).match(/[\p{L}\d]+/gu) ?? []) {
    const lower = word.toLowerCase();
    if (/\p{Script=Han}/u.test(lower)) pairsOf(lower).forEach((pair) => words.add(pair));
    else if (lower.length > 1 && !STOP_WORDS.has(lower) && !/^\d+$/.test(lower)) words.add(stem(lower));
  }
  if (colourIn(text)) ['color', '颜色'].forEach((word) => words.add(word));
  return words;
}

/** Splits identifiers into words: `setColour`, `set_colour` and `set-colour` become two words each. */
export function splitIdentifiers(text: string): string {
  return text.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').replace(/[_\-/.:]+/g, ' ');
}

/** Removes common endings, so that "sends" matches "sending". */
function stem(word: string): string {
  const american = word.replace(/colour/, 'color');
  if (american.length <= 3) return american;
  return american.replace(/(?:ings?|ed|es|s|e)$/, '');
}

/** Pairs of adjacent Chinese characters, because Chinese has no spaces between words. */
function pairsOf(text: string): readonly string[] {
  const characters = Array.from(text).filter((character) => /\p{Script=Han}/u.test(character));
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}

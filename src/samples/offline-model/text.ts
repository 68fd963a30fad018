import { isTimeZone } from '../../common/index.js';

/** Cities that are recognized anywhere in a text, with their time zones. */
const CITIES: Readonly<Record<string, string>> = {
  Paris: 'Europe/Paris',
  London: 'Europe/London',
  Berlin: 'Europe/Berlin',
  Singapore: 'Asia/Singapore',
  Tokyo: 'Asia/Tokyo',
  'New York': 'America/New_York',
  'San Francisco': 'America/Los_Angeles',
  北京: 'Asia/Shanghai',
  上海: 'Asia/Shanghai',
  东京: 'Asia/Tokyo',
};

/** Phrases after a preposition, which may name places. */
const AFTER_PREPOSITION = /\b(?:in|for|at|of|between)\s+([\p{L}][^?!;\n。？！]*)/giu;
/** Beginnings of phrases that are not places. */
const NOT_PLACES =
  /^(?:the|an?|my|your|this|that|me|us|it|today|tomorrow|tonight|now|celsius|fahrenheit|degrees?|what|which|weather|temperature|forecast|time|date|week|weekend|morning|afternoon|evening|moment|please|here|there|general|detail|advance|thinking)\b/i;
/** The rest of a sentence after a place. */
const PHRASE_END =
  /\s(?:today|tomorrow|tonight|now|right now|this|next|please|with|using|by|in|on|at|for|is|like|look|when|and (?:what|which|the|tell|then|show|also|how|give|say|call|think|time|current)|step by step|slowly)\b.*$/i;

/** The places that a text names, in order and without duplicates. */
export function placesIn(text: string): readonly string[] {
  const named = [...text.matchAll(AFTER_PREPOSITION)].flatMap(([, phrase = '']) =>
    phrase
      .replace(/\.(?:\s.*)?$/, '')
      .replace(PHRASE_END, '')
      .split(/\s*(?:,|&|\/|\band\b|\bor\b|、|和|与)\s*/i)
      .map((place) => place.replace(/[\s."”']+$/, '').trim())
      .filter(
        (place) => place.length > 1 && place.length <= 40 && !/(?: .*){4}/.test(place) && !NOT_PLACES.test(place),
      ),
  );
  const places = [named, citiesIn(text), chinesePlacesIn(text)].find(({ length }) => length > 0) ?? [];
  return [...new Map(places.map((place) => [place.toLowerCase(), place])).values()];
}

function citiesIn(text: string): readonly string[] {
  const at = (city: string): number => text.search(new RegExp(/^\w/.test(city) ? `\\b${city}\\b` : city, 'i'));
  const found = Object.keys(CITIES).filter((city) => at(city) >= 0);
  return found.sort((a, b) => at(a) - at(b));
}

function chinesePlacesIn(text: string): readonly string[] {
  const phrase = /([\p{Script=Han}、]{2,16}?)(?:的|今天|明天|现在)*(?:天气|气温)/u.exec(text)?.[1] ?? '';
  const places = phrase.replace(/^(?:请问|请|帮我|查询|查|看看|告诉我|一下|今天|明天|现在)+/u, '').split(/[、和与]/u);
  return places.filter((place) => place.length >= 2);
}

/** The IANA time zones that a text names, directly or by a city. */
export function timeZonesIn(text: string): readonly string[] {
  const named = text.match(/\b(?:[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?|UTC|GMT)\b/g) ?? [];
  const zones = named.filter(isTimeZone);
  return [...new Set(zones.length > 0 ? zones : citiesIn(text).map((city) => CITIES[city] ?? 'UTC'))];
}

/** A moment that a text names, as wall-clock time. */
export interface NamedMoment {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** `HH:mm`, or undefined if the text names only a day. */
  readonly time: string | undefined;
}

const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** The date and time that a text names, or undefined if it names neither. @param today `YYYY-MM-DD` */
export function momentIn(text: string, today: string): NamedMoment | undefined {
  const [date, time] = [dateIn(text, today), timeIn(text)];
  return date === undefined && time === undefined ? undefined : { date: date ?? today, time };
}

/** The date that a text names, `YYYY-MM-DD`: written out, relative ("tomorrow"), or by its weekday. */
function dateIn(text: string, today: string): string | undefined {
  const later = (days: number): string => new Date(Date.parse(today) + days * DAY_MS).toISOString().slice(0, 10);
  const written = Date.parse(/\b\d{4}-\d\d-\d\d\b/.exec(text)?.[0] ?? '');
  if (!Number.isNaN(written)) return new Date(written).toISOString().slice(0, 10);
  if (/\bday after tomorrow\b|后天/i.test(text)) return later(2);
  if (/\btomorrow\b|明天/i.test(text)) return later(1);
  if (/\btoday\b|\btonight\b|今天/i.test(text)) return today;
  const weekday = WEEKDAYS.findIndex((day) => new RegExp(`\\b(?:on|next|this) ${day}\\b`, 'i').test(text));
  return weekday < 0 ? undefined : later(((weekday - new Date(today).getUTCDay() + 6) % 7) + 1);
}

/** The time that a text names, `HH:mm`. */
function timeIn(text: string): string | undefined {
  if (/\bnoon\b|中午/i.test(text)) return '12:00';
  const {
    hour,
    minute = '00',
    half = '',
  } = /(?:\bat|\bfrom|T)\s*(?<hour>\d{1,2})(?::(?<minute>[0-5]\d))?\s*(?<half>[ap]\.?m)?(?!\d)/i.exec(text)?.groups ??
  /\b(?<hour>\d{1,2})(?::(?<minute>[0-5]\d))?\s*(?<half>[ap]\.?m)/i.exec(text)?.groups ??
  /(?<half>下午|晚上)?(?<![\d-])(?<hour>\d{1,2})[点:](?<minute>[0-5]\d)?/.exec(text)?.groups ??
  {};
  if (hour === undefined || Number(hour) > 23) return undefined;
  const isAfternoon = /^(?:p|下|晚)/i.test(half) && Number(hour) < 12;
  const isMidnight = /^a/i.test(half) && Number(hour) === 12;
  return `${String(isMidnight ? 0 : Number(hour) + (isAfternoon ? 12 : 0)).padStart(2, '0')}:${minute}`;
}

/** The duration that a text names, in minutes: "for 30 minutes", "1.5 hours", "半小时". */
export function durationIn(text: string): number | undefined {
  const hours = /(?<!\d)(\d{1,9}(?:\.\d{1,9})?)\s*-?\s*(?:hours?|hrs?|h\b|个?小时)/i.exec(text)?.[1];
  const minutes = /(?<!\d)(\d{1,9})\s*-?\s*(?:minutes?|mins?\b|分钟)/i.exec(text)?.[1];
  if (hours !== undefined || minutes !== undefined) return Math.round(Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  return /\bhalf an hour\b|半小时/i.test(text) ? 30 : /\ban hour\b/i.test(text) ? 60 : undefined;
}

/** Colors by their names in CSS, with the first character of their Chinese names. */
const COLORS = 'red红 green绿 blue蓝 yellow黄 orange橙 purple紫 pink粉 black黑 white白 gray灰 brown棕 teal青'
  .split(' ')
  .map((pair) => [pair.slice(0, -1), pair.slice(-1)] as const);

/** The first color that a text names: a hex code unchanged, otherwise the CSS name. */
export function colorIn(text: string): string | undefined {
  const hex = /#[0-9a-f]{6}\b|#[0-9a-f]{3}\b/i.exec(text)?.[0];
  return hex ?? COLORS.find(([name, chinese]) => new RegExp(`\\b${name}\\b|${chinese}色`, 'i').test(text))?.[0];
}

/** Words that say nothing about a text's subject. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the and or but if of in on at to for from by with about into as is are was were be do does did have has had can ' +
    'could will would should may might must i me my you your he she it its we us our they them their this that these those ' +
    'there here what which who when where why how not no yes please tell give let want need like just also so very than all ' +
    'any some each other more use used call tool tools function user current now hello hi hey thanks only one same returns'
  ).split(' '),
);

/** Verbs that many tool names start with. Alone they do not identify a tool. */
export const WEAK_WORDS: ReadonlySet<string> = new Set(
  'get set list show mak creat read writ run add updat chang search find fetch send open remov delet check ask new turn put data text value page name'.split(
    ' ',
  ),
);

/** The words of a text without stop words and endings. Chinese text is split into pairs of characters. */
export function contentWords(text: string): ReadonlySet<string> {
  const words =
    splitIdentifiers(text)
      .toLowerCase()
      .match(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\d])+/gu) ?? [];
  const found = words.flatMap((word) => {
    if (/\p{Script=Han}/u.test(word)) return [...word].slice(1).map((character, at) => `${[...word][at]}${character}`);
    return word.length === 1 || STOP_WORDS.has(word) || /^\d+$/.test(word)
      ? []
      : [stem(word.replace('colour', 'color'))];
  });
  return new Set(colorIn(text) === undefined ? found : [...found, 'color', '颜色']);
}

/** Removes common endings, so that "sends" matches "sending". */
function stem(word: string): string {
  return word.length <= 3 ? word : word.replace(/(?:ings?|ed|es|s|e)$/, '');
}

/** Splits identifiers into words: `setColor`, `set_color` and `set-color` become two words each. */
export function splitIdentifiers(text: string): string {
  return text.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').replace(/[_\-/.:]+/g, ' ');
}

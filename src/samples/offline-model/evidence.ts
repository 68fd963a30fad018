import type { JsonObject } from '../../common/index.js';
import { boundedWork, SchemaValidator } from '../../agent/tools/index.js';
import { colorIn, durationIn, momentIn, type NamedMoment, timeZonesIn } from './text.js';

/** What is known of a call besides the user's text. */
export interface EvidenceOptions {
  /** Text of the system prompt, which may state the time and the time zone. */
  readonly systemText?: string;
  /** Milliseconds since the epoch, used if the system prompt states no time. */
  readonly now: number;
  /** The place of this call, if the text names several. */
  readonly place?: string | undefined;
  /** The time zone of this call, if the text names several. */
  readonly timeZone?: string | undefined;
  /** The user's text without the words that selected the tool. */
  readonly payload?: string;
}

const QUOTED =
  /"([^"]{1,500})"|“([^”]{1,500})”|「([^」]{1,500})」|`([^`]{1,500})`|(?<!\p{L})'([^']{1,500})'(?!\p{L})/gu;
/** Digits that belong to dates and times, which are not numbers of their own. */
const DATES_AND_TIMES = /\d{4}-\d\d-\d\d(?:T\S*)?|\d{1,2}:\d\d(?::\d\d)?/g;
/** How often a text is searched for something that a schema names: each search needs a pattern of its own. */
const MOST_SEARCHES = 100;
/** How many words of a text are compared with a pattern or a format. */
const MOST_WORDS = 200;

/** Limits the time that a pattern of a client may take. */
const validator = new SchemaValidator();

/** The values in a user's text that can become tool arguments. Each quoted text and number is used once, in order. */
export class Evidence {
  /** The text without the words that selected the tool. */
  readonly payload: string;
  readonly color: string | undefined;
  readonly durationMinutes: number | undefined;
  /** The date and the time that the text names, such as "tomorrow at 3pm". */
  readonly moment: NamedMoment | undefined;
  /** The zone that the user named, if any. */
  readonly namedTimeZone: string | undefined;
  /** The zone in effect: the named one, otherwise that of the system prompt, otherwise UTC. */
  readonly timeZone: string;
  /** Required properties for which the text has no value that their pattern allows. */
  readonly missing: string[] = [];
  private place: string | undefined;
  private readonly quotes: string[];
  private readonly numbers: string[];
  /** Quoted texts and words that did not yet become arguments by a pattern or a format. */
  private readonly words: string[];
  private searches = 0;

  constructor(
    readonly text: string,
    { systemText = '', now, place, timeZone, payload }: EvidenceOptions,
  ) {
    this.place = place;
    this.payload = payload?.trim() || text.trim();
    this.color = colorIn(text);
    this.durationMinutes = durationIn(text);
    this.namedTimeZone = timeZone ?? timeZonesIn(text)[0];
    this.timeZone = this.namedTimeZone ?? timeZonesIn(systemText).find((zone) => zone.includes('/')) ?? 'UTC';
    this.moment = momentIn(text, this.today(systemText, now));
    this.quotes = [...text.matchAll(QUOTED)].map((match) => match.slice(1).find(Boolean) ?? '');
    this.numbers = text.replace(DATES_AND_TIMES, ' ').match(/(?<![\w.#]|\w-)-?\d+(?:\.\d+)?(?!\w)/g) ?? [];
    const words = text.split(/\s+/).flatMap((word) => word.replace(/^[("'“‘[]+|[)"'”’\].,;:!?]+$/g, '') || []);
    this.words = [...this.quotes, ...words].slice(0, MOST_WORDS);
  }

  /** The user's day: the system prompt states it, or the time, or it is that of `now`. */
  private today(systemText: string, now: number): string {
    const day = /\btoday is (?:\w+, )?(\d{4}-\d\d-\d\d)\b/i.exec(systemText)?.[1];
    if (day !== undefined && this.namedTimeZone === undefined) return day;
    const stated = Date.parse(
      /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/.exec(systemText)?.[0] ?? '',
    );
    return new Date(stated || now).toLocaleDateString('sv-SE', { timeZone: this.timeZone });
  }

  /** The next unused word that a schema with a `pattern` or a `format` allows; the date and the time count as words. */
  takeMatching({ pattern, format, minLength, maxLength }: JsonObject): string | undefined {
    if (!this.maySearch()) return undefined;
    const given = Object.entries({ pattern, format, minLength, maxLength }).filter(([, value]) => value !== undefined);
    const schema = { type: 'string', ...Object.fromEntries(given) } as JsonObject;
    const candidates = [...this.words, this.moment?.date, this.moment?.time].filter((word) => word !== undefined);
    try {
      // The first call compiles the schema, which takes longer than the words.
      validator.violation(schema, '');
      const found = boundedWork(() => candidates.find((word) => validator.violation(schema, word) === undefined));
      const at = found === undefined ? -1 : this.words.indexOf(found);
      if (at >= 0) this.words.splice(at, 1);
      return found;
    } catch {
      // A client may send an invalid pattern.
      return undefined;
    }
  }

  /** The place of this call, once, so that `city` and `location` do not both get it. */
  takePlace(): string | undefined {
    const { place } = this;
    this.place = undefined;
    return place;
  }

  takeQuoted(): string | undefined {
    return this.quotes.shift();
  }

  takeNumber(): number | undefined {
    const next = this.numbers.shift();
    return next === undefined ? undefined : Number(next);
  }

  /** The words after an announced title: "called X", "titled X", 名为 X. */
  title(): string | undefined {
    const match =
      /\b(?:called|titled|named)\s+["“']?([^"”'\n.?!]+?)["”']?(?=\s+(?:tomorrow|today|tonight|on|at|for|from|in|with|next|this)\b|[.,?!\n]|["”']|$)/i.exec(
        this.text,
      ) ?? /(?:名为|叫做|标题是|标题为|主题是)\s*[“"「]?([^”"」，。\n]+)/.exec(this.text);
    return match?.[1]?.trim() || undefined;
  }

  /** The event to plan: "Meeting with Ana" for "schedule a meeting with Ana tomorrow at 3pm". */
  planned(): string | undefined {
    const match =
      /\b(?:schedule|book|plan|arrange|add|create|put|set up|organi[sz]e)\s+(?:an?\s+|the\s+|my\s+)?(.+?)(?=\s+(?:(?:day after )?tomorrow|today|tonight|on|at|for|from|in|to|into|next|this)\b|[.,?!\n]|$)/i.exec(
        this.text,
      ) ?? /(?:安排|预约|预定|添加|创建)(?:一下|一个|一次|个)?\s*([^，。\n]*?(?:会议|日程|约会|会))/.exec(this.text);
    const words = match?.[1]?.trim();
    return words ? words.charAt(0).toUpperCase() + words.slice(1) : undefined;
  }

  /** Whether the text may be searched once more: schemas of clients may have thousands of names. */
  maySearch(): boolean {
    this.searches += 1;
    return this.searches <= MOST_SEARCHES;
  }

  /** The value that the text gives to a property by name: "width: 300", "title is Plan", "set volume to 7". */
  keyed(key: string): string | undefined {
    const name = key.replace(/[^\p{L}\d ]/gu, '').replaceAll(' ', '[\\s_-]*');
    if (name === '' || !this.maySearch()) return undefined;
    const value = '(?:"([^"]+)"|“([^”]+)”|([^\\s,;"“”]+))';
    const match =
      new RegExp(`(?<![\\p{L}\\d])${name}\\s*(?::|=|\\s(?:is|to|as|of)\\s)\\s*${value}`, 'iu').exec(this.text) ??
      new RegExp(`(?<![\\p{L}\\d])${name}\\s+${value}$`, 'iu').exec(this.text);
    return (
      match
        ?.slice(1)
        .find(Boolean)
        ?.replace(/[.?!]+$/, '') || undefined
    );
  }

  /** The named moment in RFC 3339, with the offset of the zone in effect or as wall-clock time. */
  dateTime(plusMinutes: number, withOffset: boolean): string | undefined {
    if (!this.moment) return undefined;
    const { date, time = '09:00' } = this.moment;
    const asUtc = Date.parse(`${date}T${time}:00Z`) + plusMinutes * 60_000;
    const local = new Date(asUtc).toISOString().slice(0, 19);
    return withOffset ? `${local}${offsetAt(asUtc, this.timeZone)}` : local;
  }
}

/** The offset of a zone, `+05:30`, or `Z`. */
function offsetAt(instant: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return name.replace('GMT', '') || 'Z';
}

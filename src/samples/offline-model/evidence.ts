import type { JsonObject } from '../../common/index.js';
import { boundedWork, SchemaValidator } from '../../tools/index.js';
import {
  colourIn,
  durationIn,
  localDateTime,
  momentIn,
  momentOn,
  type NamedMoment,
  statedDay,
  statedNow,
  timeZonesIn,
  withOffset,
} from './text-parsing.js';

/** What is known before the text is searched for arguments. */
export interface EvidenceOptions {
  /** Text of the system prompt, which may state the time and the time zone. */
  readonly systemText?: string;
  /** Milliseconds since the epoch, used if the system prompt states no time. */
  readonly now: number;
  /** The place of this call, if the text names several. */
  readonly place?: string;
  /** The time zone of this call, if the text names several. */
  readonly timeZone?: string;
  /** The user's text without the words that selected the tool. */
  readonly payload?: string;
}

/** Digits that belong to dates and times, which are not numbers of their own. */
const DATES_AND_TIMES = /\d{4}-\d\d-\d\d(?:T\S*)?|\d{1,2}:\d\d(?::\d\d)?/g;

/** How often a text is searched for something that a schema names. */
const MOST_SEARCHES = 100;

/** How many words of a text are compared with a pattern or a format. */
const MOST_WORDS = 200;

/** Bounds the time that a pattern of a client may take. */
const validator = new SchemaValidator();

/** The values in a user's text that can become tool arguments. Each quoted text and number is used once, in order. */
export class Evidence {
  /** Undefined once it was taken. */
  private place: string | undefined;
  /** The user's text without the words that selected the tool; the whole text if nothing was removed. */
  readonly payload: string;
  /** The colour that the text names. */
  readonly colour: string | undefined;
  /** The duration that the text names, in minutes. */
  readonly durationMinutes: number | undefined;
  /** The date and the time that the text names, such as "tomorrow at 3pm". */
  readonly moment: NamedMoment | undefined;
  /** The zone that the user named, if any. */
  readonly namedTimeZone: string | undefined;
  /** The zone in effect: the named one, otherwise that of the system prompt, otherwise UTC. */
  readonly timeZone: string;
  /** Quoted texts that were not yet used, in order. */
  private readonly quotedTexts: string[];
  /** Numbers that were not yet used, in order. */
  private readonly numberTexts: string[];
  /** The quoted texts and the words of the text that did not yet become arguments by a pattern or a format, in order. */
  private readonly words: string[];
  /** Required properties for which the text has no value that their pattern allows. */
  readonly missing: string[] = [];
  /** How often the text was searched for something that a schema names. */
  private searches = 0;

  constructor(
    /** The user's text as it is. */
    readonly text: string,
    options: EvidenceOptions,
  ) {
    const systemText = options.systemText ?? '';
    this.place = options.place;
    this.payload = options.payload?.trim() || text.trim();
    this.colour = colourIn(text);
    this.durationMinutes = durationIn(text);
    this.namedTimeZone = options.timeZone ?? timeZonesIn(text)[0];
    this.timeZone = this.namedTimeZone ?? timeZonesIn(systemText).find((zone) => zone.includes('/')) ?? 'UTC';
    const today = statedDay(systemText);
    this.moment =
      today !== undefined && this.namedTimeZone === undefined
        ? momentOn(text, today)
        : momentIn(text, statedNow(systemText) ?? options.now, this.timeZone);
    this.quotedTexts = [
      ...text.matchAll(
        /"([^"]{1,500})"|“([^”]{1,500})”|「([^」]{1,500})」|`([^`]{1,500})`|(?<!\p{L})'([^']{1,500})'(?!\p{L})/gu,
      ),
    ].map((match) => match.slice(1).find((group) => group !== undefined) ?? '');
    this.numberTexts = text.replace(DATES_AND_TIMES, ' ').match(/(?<![\w.#]|\w-)-?\d+(?:\.\d+)?(?!\w)/g) ?? [];
    this.words = [...this.quotedTexts, ...wordsIn(text)].slice(0, MOST_WORDS);
  }

  /** The next unused word that a schema with a `pattern` or a `format` allows; moments count as words. */
  takeMatching({ pattern, format, minLength, maxLength }: JsonObject): string | undefined {
    if (!this.maySearch()) return undefined;
    const given = Object.entries({ pattern, format, minLength, maxLength }).filter(([, value]) => value !== undefined);
    const schema = { type: 'string', ...Object.fromEntries(given) } as JsonObject;
    const { date, time } = this.moment ?? {};
    const candidates = [...this.words, date, time].filter((word) => word !== undefined);
    let found: string | undefined;
    try {
      // The first call compiles the schema, which takes longer than the words.
      validator.violation(schema, '');
      found = boundedWork(() => candidates.find((word) => validator.violation(schema, word) === undefined));
    } catch {
      // A client may send a pattern that is none.
    }
    const at = found === undefined ? -1 : this.words.indexOf(found);
    if (at >= 0) this.words.splice(at, 1);
    return found;
  }

  /** The place of this call. Returned once, so that `city` and `location` do not both get it. */
  takePlace(): string | undefined {
    const { place } = this;
    this.place = undefined;
    return place;
  }

  /** The next unused quoted text. */
  takeQuoted(): string | undefined {
    return this.quotedTexts.shift();
  }

  /** The next unused number. */
  takeNumber(): number | undefined {
    const next = this.numberTexts.shift();
    return next === undefined ? undefined : Number(next);
  }

  /** The words after an announced title: "called X", "titled X", 名为 X. */
  title(): string | undefined {
    const match =
      /\b(?:called|titled|named|entitled)\s+["“']?([^"”'\n.?!]+?)["”']?(?=\s+(?:tomorrow|today|tonight|on|at|for|from|in|with|next|this)\b|[.,?!\n]|["”']|$)/i.exec(
        this.text,
      ) ?? /(?:名为|叫做|标题是|标题为|主题是)\s*[“"「]?([^”"」，。\n]+)/.exec(this.text);
    return match?.[1]?.trim() || undefined;
  }

  /** The event to plan: "Meeting with Ana" for "schedule a meeting with Ana tomorrow at 3pm". */
  planned(): string | undefined {
    const match =
      /\b(?:schedule|book|plan|arrange|add|create|put|set up|organi[sz]e)\s+(?:(?:me|us)\s+)?(?:an?\s+|the\s+|my\s+)?(.+?)(?=\s+(?:(?:day after )?tomorrow|today|tonight|on|at|for|from|in|to|into|next|this)\b|[.,?!\n]|$)/i.exec(
        this.text,
      ) ?? /(?:安排|预约|预定|添加|创建)(?:一下|一个|一次|个)?\s*([^，。\n]*?(?:会议|日程|约会|会))/.exec(this.text);
    const words = match?.[1]?.trim();
    return words ? words.charAt(0).toUpperCase() + words.slice(1) : undefined;
  }

  /**
   * Whether the text may be searched for one more name or choice of a schema. Each search needs a pattern of its own, and
   * schemas of clients may have many thousands.
   */
  maySearch(): boolean {
    this.searches += 1;
    return this.searches <= MOST_SEARCHES;
  }

  /** The value that the text gives to a property by name: "width: 300", "title is Plan", "set volume to 7". */
  keyed(words: readonly string[]): string | undefined {
    if (words.length === 0 || !this.maySearch()) return undefined;
    const name = words.map((word) => word.replace(/[^\p{L}\d]/gu, '')).join('[\\s_-]*');
    if (name === '') return undefined;
    const pattern = new RegExp(
      `(?<![\\p{L}\\d])${name}\\s*(?::|=|\\s(?:is|to|as|of)\\s)\\s*(?:"([^"]+)"|“([^”]+)”|([^\\s,;"“”]+))`,
      'iu',
    );
    const atTheEnd = new RegExp(`(?<![\\p{L}\\d])${name}\\s+([^\\s,;"“”]+)$`, 'iu');
    const match = pattern.exec(this.text) ?? atTheEnd.exec(this.text);
    return (match?.[1] ?? match?.[2] ?? match?.[3])?.replace(/[.?!]+$/, '') || undefined;
  }

  /** The named moment as an RFC 3339 date-time, or as wall-clock time without offset. */
  dateTime(plusMinutes: number, offset: boolean): string | undefined {
    if (!this.moment) return undefined;
    const local = localDateTime(this.moment, plusMinutes);
    return offset ? withOffset(local, this.timeZone) : local;
  }
}

/** The words of a text, without the punctuation around them. */
function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/).flatMap((word) => word.replace(/^[("'“‘[]+|[)"'”’\].,;:!?]+$/g, '') || []);
}

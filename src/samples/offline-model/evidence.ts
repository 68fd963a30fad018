import { timeZonesIn } from './places.js';
import {
  durationIn,
  localDateTime,
  momentIn,
  momentOn,
  type NamedMoment,
  statedDay,
  statedNow,
  withOffset,
} from './when.js';
import { colourIn } from './words.js';

/** What is fixed before arguments are looked for. */
export interface EvidenceOptions {
  /** Text of the system prompt: it may tell the time and the zone. */
  readonly systemText?: string;
  /** Milliseconds since the epoch, when the system prompt does not tell. */
  readonly now: number;
  /** The place this very call is about. */
  readonly place?: string;
  /** The time zone this very call is about. */
  readonly timeZone?: string;
  /** The user's text without the words that chose the tool. */
  readonly payload?: string;
}

const DATES_AND_TIMES = /\d{4}-\d\d-\d\d(?:T\S*)?|\d{1,2}:\d\d(?::\d\d)?/g;

/** What a user's text offers as tool arguments. Quoted texts and numbers are used once each, in order. */
export class Evidence {
  private place: string | undefined;
  readonly payload: string;
  readonly colour: string | undefined;
  readonly durationMinutes: number | undefined;
  readonly moment: NamedMoment | undefined;
  /** The zone the user named, if any. */
  readonly namedTimeZone: string | undefined;
  /** The zone that counts: the named one, else the one of the system prompt, else UTC. */
  readonly timeZone: string;
  private readonly quotedTexts: string[];
  private readonly numberTexts: string[];

  constructor(
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
      ...text.matchAll(/"([^"]+)"|“([^”]+)”|「([^」]+)」|`([^`]+)`|(?<!\p{L})'([^']+)'(?!\p{L})/gu),
    ].map((match) => match.slice(1).find((group) => group !== undefined) ?? '');
    this.numberTexts = text.replace(DATES_AND_TIMES, ' ').match(/(?<![\w.#])-?\d+(?:\.\d+)?(?!\w)/g) ?? [];
  }

  /** The place this call is about; given out once, so that `city` and `location` do not both get it. */
  takePlace(): string | undefined {
    const { place } = this;
    this.place = undefined;
    return place;
  }

  /** The next quoted text that was not used yet. */
  takeQuoted(): string | undefined {
    return this.quotedTexts.shift();
  }

  /** The next number that was not used yet. */
  takeNumber(): number | undefined {
    const next = this.numberTexts.shift();
    return next === undefined ? undefined : Number(next);
  }

  /** Words that follow a title's introduction: "called X", "titled X", "about X", 名为 X. */
  title(): string | undefined {
    const match =
      /\b(?:called|titled|named|entitled)\s+["“']?([^"”'\n.?!]+?)["”']?(?=\s+(?:tomorrow|today|tonight|on|at|for|from|in|with|next|this)\b|[.,?!\n]|["”']|$)/i.exec(
        this.text,
      ) ?? /(?:名为|叫做|标题是|标题为|主题是)\s*[“"「]?([^”"」，。\n]+)/.exec(this.text);
    return match?.[1]?.trim() || undefined;
  }

  /** What is to be planned: "a meeting with Ana" of "schedule a meeting with Ana tomorrow at 3pm". */
  planned(): string | undefined {
    const match =
      /\b(?:schedule|book|plan|arrange|add|create|put|set up|organi[sz]e)\s+(?:(?:me|us)\s+)?(?:an?\s+|the\s+|my\s+)?(.+?)(?=\s+(?:(?:day after )?tomorrow|today|tonight|on|at|for|from|in|to|into|next|this)\b|[.,?!\n]|$)/i.exec(
        this.text,
      ) ?? /(?:安排|预约|预定|添加|创建)(?:一下|一个|一次|个)?\s*([^，。\n]*?(?:会议|日程|约会|会))/.exec(this.text);
    const words = match?.[1]?.trim();
    return words ? words.charAt(0).toUpperCase() + words.slice(1) : undefined;
  }

  /** The value that the text gives to a property by name: "width: 300", "title is Plan", "set volume to 7". */
  keyed(words: readonly string[]): string | undefined {
    if (words.length === 0) return undefined;
    const name = words.map((word) => word.replace(/[^\p{L}\d]/gu, '')).join('[\\s_-]*');
    const pattern = new RegExp(
      `(?<![\\p{L}\\d])${name}\\s*(?::|=|\\s(?:is|to|as|of)\\s)\\s*(?:"([^"]+)"|“([^”]+)”|([^\\s,;"“”]+))`,
      'iu',
    );
    const match = pattern.exec(this.text);
    return (match?.[1] ?? match?.[2] ?? match?.[3]?.replace(/[.?!]+$/, '')) || undefined;
  }

  /** The named moment as an RFC 3339 date-time, or as wall-clock text without offset. */
  dateTime(plusMinutes: number, offset: boolean): string | undefined {
    if (!this.moment) return undefined;
    const local = localDateTime(this.moment, plusMinutes);
    return offset ? withOffset(local, this.timeZone) : local;
  }
}

import type { RuleChange, WireRules } from '../profiles/wire-rules.js';
import type { Refusal } from './refusal.js';
import type { SentRequest } from './sent-request.js';

/** What a repair is chosen by. */
export interface Refused {
  readonly refusal: Refusal;
  readonly sent: SentRequest;
  /** The rules that the request was written by. */
  readonly rules: WireRules;
}

/** Another form of a request. */
export interface Repair {
  /** A call makes each kind of repair once. */
  readonly kind: string;
  readonly change: RuleChange;
  /** What is sent now, as the end of the sentence "Requests are now sent …". */
  readonly says: string;
  /** True if it is about one request or conversation: it is not kept for later calls. */
  readonly isPassing?: boolean;
}

/** A row of the table of refusals: the repair of those that it is about, undefined for others. */
export type RepairRow = (refused: Refused) => Repair | undefined;

/** True if a refusal is about limits of a value, which another form of the request would not change. */
export function isAboutValue({ sentence }: Refusal): boolean {
  return /too (many|long|large|big|small|short)|at (most|least)|between|(less|greater|more|higher|lower) than|out of range|range of|maximum|minimum|[<>]=?\s*\d/i.test(
    sentence,
  );
}

const DENIED =
  /unsupported|not (currently |yet )?(be )?(support|permit|allow|accept|valid|enabled|available|implemented|recogni)|n't (support|permit|allow|accept|recogni)|unknown|unrecogni[sz]ed|forbidden|invalid|\bonly\b[^.]{0,80}(allowed|supported|permitted|accepted)|supported values|illegal|unexpected|extra (inputs|fields)|no endpoints found|deprecated|conflict|incompatible|cannot (both )?be|can not be|can't be|both be specified|extraneous|not compatible|unavailable|不支持|非法|无效|不允许/i;

/** True for the words with which servers refuse a member of a request. */
export function isDenial({ text }: Refusal): boolean {
  return DENIED.test(text);
}

/** Names that are also words: they count where they are written as names. */
const WORDS: ReadonlySet<string> = new Set([
  'stop',
  'user',
  'store',
  'seed',
  'tools',
  'strict',
  'reasoning',
  'thinking',
  'metadata',
  'name',
]);

/**
 * Those of some names that a refusal is about: the ones it gives as its subjects, else the first one in its text.
 */
export function namedIn({ subjects, text }: Refusal, names: readonly string[]): readonly string[] {
  const given = names.filter((name) => subjects.some((path) => path.split(/[.[\]>\s-]+/).includes(name)));
  if (given.length > 0) return given;
  const places = names.flatMap((name) => {
    const at = placeOf(name, text);
    return at < 0 ? [] : [{ name, at }];
  });
  const first = places.sort((one, other) => one.at - other.at)[0];
  return first ? [first.name] : [];
}

function placeOf(name: string, text: string): number {
  const word = String.raw`(?<![\w])${name}(?![\w])`;
  if (!WORDS.has(name)) return text.search(new RegExp(word));
  const quoted = String.raw`['"\`‘“]${name}['"\`’”]`;
  const announced = String.raw`(?:parameter|argument|field|property|option|name|key|input|request|model|body)s?\b[^.\n]{0,60}?[:>([\s]\s*${word}`;
  const denied = String.raw`${word} (?:is|are) (?:not|un)`;
  return text.search(new RegExp(`${quoted}|${announced}|${denied}`));
}

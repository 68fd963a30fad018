import { isPlainObject, type Json, type JsonObject } from './json.js';

/** A JSON value whose integers beyond 2^53 are bigints: each integer is the one that its text says. */
export type ExactJson = null | boolean | number | bigint | string | ExactJson[] | { [key: string]: ExactJson };

/** A JSON object whose integers beyond 2^53 are bigints. */
export interface ExactObject {
  [key: string]: ExactJson;
}

/** Deeper values are refused, so that no text can exhaust the stack. */
const MOST_DEPTH = 500;

/**
 * Reads JSON text as `JSON.parse` does, except that integers beyond 2^53 are bigints and that an object may have each
 * member once only: programs differ in which of two equal members they take.
 *
 * @throws SyntaxError for anything else, and for values nested deeper than 500 levels
 */
export function parseExactJson(text: string): ExactJson {
  return new ExactReader(text).whole();
}

/** The object that a JSON text is; undefined for any other text. */
export function exactObjectIn(text: string): ExactObject | undefined {
  try {
    const value = parseExactJson(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON text of a value, as `JSON.stringify` makes it, with bigints as integers. @throws TypeError as it does */
export function exactJsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  // No text begins with this by chance, and none that a client sends can be made to.
  const mark = `${Math.random()}${process.hrtime.bigint()}:`;
  const marked = JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? `${mark}${one}` : one));
  return marked.replace(new RegExp(`"${mark.replaceAll('.', '\\.')}(-?\\d+)"`, 'g'), '$1');
}

/** The value with its bigints as text, for JSON that others read: an integer beyond 2^53 travels as its digits. */
export function withIntegerTexts(value: ExactJson): Json {
  return withIntegers(value, String);
}

/**
 * The value with its bigints as numbers near them, for checks that know numbers only. Different ones become different
 * numbers, so that a list of unique items stays one.
 */
export function withRoundedIntegers(value: ExactJson): Json {
  const meanings = new Map<number, bigint>();
  return withIntegers(value, (integer) => {
    let number = Number(integer);
    while ((meanings.get(number) ?? integer) !== integer) number += number * Number.EPSILON;
    meanings.set(number, integer);
    return number;
  });
}

/** The value itself if it has no bigints. */
function withIntegers(value: ExactJson, replace: (integer: bigint) => Json): Json {
  if (typeof value === 'bigint') return replace(value);
  if (!hasBigint(value)) return value as Json;
  if (Array.isArray(value)) return value.map((item) => withIntegers(item, replace));
  const copy: JsonObject = {};
  for (const [key, child] of Object.entries(value as ExactObject)) setMember(copy, key, withIntegers(child, replace));
  return copy;
}

/** True if there is a bigint in the value. */
export function hasBigint(value: ExactJson): boolean {
  if (typeof value === 'bigint') return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasBigint);
}

/** Also for the member `__proto__`, which an assignment would take for the prototype. */
function setMember<Value>(object: { [key: string]: Value }, key: string, value: Value): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS: readonly (readonly [string, null | boolean])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

class ExactReader {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  whole(): ExactJson {
    const value = this.value();
    if (this.at < this.text.length) throw this.unexpected();
    return value;
  }

  /** Reads a value with the white space around it. */
  private value(): ExactJson {
    this.skipSpace();
    const value = this.bareValue();
    this.skipSpace();
    return value;
  }

  private bareValue(): ExactJson {
    switch (this.text[this.at]) {
      case '{':
        return this.nested(() => this.object());
      case '[':
        return this.nested(() => this.list());
      case '"':
        return this.string();
      default:
        return this.wordOrNumber();
    }
  }

  private nested<Value>(read: () => Value): Value {
    if (this.depth >= MOST_DEPTH) throw new SyntaxError(`The JSON is nested deeper than ${MOST_DEPTH} levels`);
    this.depth += 1;
    this.at += 1;
    const value = read();
    this.depth -= 1;
    return value;
  }

  private object(): ExactObject {
    const object: ExactObject = {};
    this.skipSpace();
    if (this.takes('}')) return object;
    do {
      this.skipSpace();
      if (this.text[this.at] !== '"') throw this.unexpected();
      const key = this.string();
      if (Object.hasOwn(object, key)) throw new SyntaxError(`The member ${JSON.stringify(key)} is there twice`);
      this.skipSpace();
      if (!this.takes(':')) throw this.unexpected();
      setMember(object, key, this.value());
    } while (this.takes(','));
    if (!this.takes('}')) throw this.unexpected();
    return object;
  }

  private list(): ExactJson[] {
    const list: ExactJson[] = [];
    this.skipSpace();
    if (this.takes(']')) return list;
    do list.push(this.value());
    while (this.takes(','));
    if (!this.takes(']')) throw this.unexpected();
    return list;
  }

  private string(): string {
    const begin = this.at;
    for (let end = this.text.indexOf('"', begin + 1); end >= 0; end = this.text.indexOf('"', end + 1)) {
      if (this.isEscaped(end)) continue;
      this.at = end + 1;
      return JSON.parse(this.text.slice(begin, this.at)) as string;
    }
    throw this.unexpected();
  }

  /** True if an odd number of backslashes precedes. */
  private isEscaped(at: number): boolean {
    let begin = at;
    while (this.text[begin - 1] === '\\') begin -= 1;
    return (at - begin) % 2 === 1;
  }

  private wordOrNumber(): ExactJson {
    for (const [word, value] of WORDS) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (!match) throw this.unexpected();
    this.at = NUMBER.lastIndex;
    const [digits] = match;
    const number = Number(digits);
    if (!Number.isFinite(number)) throw new SyntaxError(`The number ${digits} is too large`);
    const integer = /^(-?\d+)(?:\.0+)?$/.exec(digits)?.[1];
    return integer === undefined || Number.isSafeInteger(number) ? number : BigInt(integer);
  }

  private takes(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private skipSpace(): void {
    SPACE.lastIndex = this.at;
    SPACE.test(this.text);
    this.at = SPACE.lastIndex;
  }

  private unexpected(): SyntaxError {
    return new SyntaxError(`Unexpected ${this.at < this.text.length ? 'character' : 'end'} at position ${this.at}`);
  }
}

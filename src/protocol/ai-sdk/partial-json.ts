import type { Json } from '../../common/index.js';
import { clientJson } from './client-json.js';

/** A whole number, fraction or exponent at the place where it is looked for. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS = ['true', 'false', 'null'] as const;
const SPACE = /[ \t\n\r]*/y;

/**
 * The value that the beginning of a JSON text shows: strings, lists and objects as far as they have come. Clients of the
 * SDK show arguments so while they arrive.
 *
 * @returns undefined if nothing of a value has come, and for what is no JSON
 */
export function partialJson(text: string): Json | undefined {
  const whole = clientJson(text);
  if (whole !== undefined) return whole;
  const closed = new Closing(text).closed();
  return closed === undefined ? undefined : clientJson(closed);
}

/** Closes what a JSON text leaves open. */
class Closing {
  private at = 0;
  private isCut = false;

  constructor(private readonly text: string) {}

  /** The text with its ends; undefined if no value has begun. */
  closed(): string | undefined {
    return this.value();
  }

  /** The JSON of the next value; undefined if the text ends before one. */
  private value(): string | undefined {
    this.skip(SPACE);
    const { text, at } = this;
    const first = text[at];
    if (first === '{' || first === '[') return this.items(first);
    if (first === '"') return this.string();
    const number = this.skip(NUMBER);
    if (number !== '') {
      // A fraction or an exponent may follow that has not come.
      if (/^(?:\.|[eE][+-]?)?$/.test(text.slice(this.at))) this.isCut = true;
      return number;
    }
    const rest = text.slice(at, at + 5);
    const literal = LITERALS.find((one) => rest.startsWith(one) || (rest !== '' && one.startsWith(text.slice(at))));
    if (literal === undefined || rest === '') {
      this.isCut = true;
      return undefined;
    }
    this.at = at + literal.length;
    if (this.at >= text.length) this.isCut = true;
    return literal;
  }

  private string(): string {
    const begin = this.at;
    for (this.at += 1; this.at < this.text.length; this.at += 1) {
      const character = this.text[this.at];
      if (character === '"') {
        this.at += 1;
        return this.text.slice(begin, this.at);
      }
      if (character !== '\\') continue;
      const length = this.text[this.at + 1] === 'u' ? 6 : 2;
      if (this.at + length > this.text.length) break;
      this.at += length - 1;
    }
    this.isCut = true;
    const end = this.at;
    this.at = this.text.length;
    return `${this.text.slice(begin, end)}"`;
  }

  private items(open: '{' | '['): string {
    const close = open === '{' ? '}' : ']';
    const items: string[] = [];
    this.at += 1;
    while (!this.isCut) {
      this.skip(SPACE);
      const { at, text } = this;
      if (at >= text.length) this.isCut = true;
      else if (text[at] === close) {
        this.at += 1;
        break;
      } else if (text[at] === ',') this.at += 1;
      else {
        const item = open === '{' ? this.member() : this.value();
        if (item === undefined) break;
        items.push(item);
      }
    }
    return open + items.join(',') + close;
  }

  /** A key and what there is of its value; undefined without a value. */
  private member(): string | undefined {
    if (this.text[this.at] !== '"') {
      this.isCut = true;
      return undefined;
    }
    const key = this.string();
    this.skip(SPACE);
    if (this.isCut || this.text[this.at] !== ':') {
      this.isCut = true;
      return undefined;
    }
    this.at += 1;
    const value = this.value();
    return value === undefined ? undefined : `${key}:${value}`;
  }

  private skip(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [found = ''] = pattern.exec(this.text) ?? [];
    this.at += found.length;
    return found;
  }
}

import { randomUUID } from 'node:crypto';
import { type ExactJson, isPlainObject, type Json } from '../../../../common/index.js';

/*
 * The protocol's library reads and writes messages with JSON.parse and JSON.stringify, which change integers beyond
 * 2^53 and what else of a text is not in its value. Therefore arguments go through the library as a marked text, which
 * becomes JSON when the message is written, and such integers of a result as marked digits. The marks are secret, so
 * that no other text can be one.
 */
const ARGUMENTS = `arguments ${randomUUID()} `;
const INTEGER = `integer ${randomUUID()} `;
const MARKED_ARGUMENTS = new RegExp(`"${ARGUMENTS}((?:[^"\\\\]|\\\\.)*)"`, 'g');

/** JSON text as a member of a message: it is sent as it is, on one line. */
export function asWritten(json: string): string {
  // Between tokens only: a string of JSON contains no line break.
  return ARGUMENTS + json.replace(/[\r\n]+/g, ' ');
}

/** The text of a message with what `asWritten` made of JSON texts as JSON. */
export function writtenMessage(text: string): string {
  if (!text.includes(ARGUMENTS)) return text;
  return text.replace(MARKED_ARGUMENTS, (_all, characters: string) => JSON.parse(`"${characters}"`) as string);
}

const LONG = /\d{16}/;
const INTEGERS = /-?\d{16,}(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The text of a message with its integers beyond 2^53 marked, if it is a structured result. */
export function readableMessage(text: string): string {
  if (!LONG.test(text) || !text.includes('"structuredContent"')) return text;
  let result = '';
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    result += text.slice(at, end).replace(INTEGERS, marked);
    at = quote < 0 ? end : stringEnd(text, quote);
    result += text.slice(end, at);
  }
  return result;
}

function marked(literal: string): string {
  return /^-?\d+$/.test(literal) && !Number.isSafeInteger(Number(literal)) ? `"${INTEGER}${literal}"` : literal;
}

/** The position after a string that begins at a quotation mark. */
function stringEnd(text: string, begin: number): number {
  for (let at = begin + 1; ; at += 1) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let first = quote;
    while (text[first - 1] === '\\') first -= 1;
    if ((quote - first) % 2 === 0) return quote + 1;
    at = quote;
  }
}

/** A value of a message with its marked integers as bigints. */
export function exactValue(value: unknown): ExactJson {
  return restored(value, BigInt);
}

/** A value of a message with its marked integers as numbers, such as the limits of a schema. */
export function plainValue(value: unknown): Json {
  return restored(value, Number) as Json;
}

function restored(value: unknown, integer: (digits: string) => bigint | number): ExactJson {
  if (typeof value === 'string') return value.startsWith(INTEGER) ? integer(value.slice(INTEGER.length)) : value;
  if (Array.isArray(value)) return value.map((item) => restored(item, integer));
  if (!isPlainObject(value)) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, restored(child, integer)]));
}

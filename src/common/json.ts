import { hash } from 'node:crypto';

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export interface JsonObject {
  [key: string]: Json;
}

/** True for objects made by `{}` or `JSON.parse`; false for arrays, class instances and null. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The value of a JSON text; undefined if it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for the JSON text of an object. */
export function isObjectText(text: string): boolean {
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/**
 * Characters that JSON text escapes: quotes, backslashes, control characters, and surrogates, which are escaped if
 * lone.
 */
const UNSAFE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** A string as JSON text. Equal to `JSON.stringify`, but faster for the common case without escapes. */
export function jsonString(text: string): string {
  return UNSAFE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** `jsonString` without its quotes, for a caller that has them in the text around it. */
export function jsonCharacters(text: string): string {
  return UNSAFE.test(text) ? JSON.stringify(text).slice(1, -1) : text;
}

/** An object as JSON without its braces; empty for an empty one. */
export function jsonMembers(fields: object): string {
  return JSON.stringify(fields).slice(1, -1);
}

/**
 * JSON text with sorted keys, so that equal values have equal text regardless of the order of their members: of values of
 * JSON the canonical form of RFC 8785.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return jsonString(value);
  // Loops, because this runs for every request and array methods take twice as long.
  if (Array.isArray(value)) {
    let items = '';
    for (const item of value as unknown[]) items += `${items === '' ? '' : ','}${canonicalJson(item ?? null)}`;
    return `[${items}]`;
  }
  if (typeof value === 'bigint') return value.toString();
  if (!isPlainObject(value)) return JSON.stringify(value) ?? 'null';
  let members = '';
  for (const key of sortedKeys(value)) {
    if (value[key] === undefined) continue;
    members += `${members === '' ? '' : ','}${jsonString(key)}:${canonicalJson(value[key])}`;
  }
  return `{${members}}`;
}

function sortedKeys(value: Readonly<Record<string, unknown>>): string[] {
  const keys = Object.keys(value);
  for (let index = 1; index < keys.length; index += 1) {
    if ((keys[index - 1] ?? '') > (keys[index] ?? '')) return keys.sort();
  }
  return keys;
}

/** SHA-256 of the canonical JSON of a value, as lower-case hex. */
export function fingerprint(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex');
}

/** Freezes a JSON value recursively and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
  return value;
}

/** Text of one line for names and ids: no control characters, no lone surrogates. Every database stores it. */
export const PLAIN_TEXT = /^[^\p{Cc}\p{Cs}]*$/u;

/** True for text that all databases store unchanged: no NUL, no lone surrogates. Ids must be storable. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/[\ud800-\udfff]/u.test(text);
}

/**
 * The value without anything empty: no `""`, `[]`, `{}` and `null`. Undefined if nothing is left.
 *
 * @param isFalseEmpty whether `false` is empty, too. Default: true
 */
export function withoutEmpty(value: Json, isFalseEmpty = true): Json | undefined {
  if (value === null || value === '' || (value === false && isFalseEmpty)) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutEmpty(item, isFalseEmpty)).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  if (typeof value !== 'object') return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const kept = withoutEmpty(member ?? null, isFalseEmpty);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

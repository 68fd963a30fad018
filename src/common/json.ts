import { hash } from 'node:crypto';

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object: the only kind of object that may come from or go to a wire. */
export interface JsonObject {
  [key: string]: Json;
}

/** True for objects made by `{}` or `JSON.parse`: no arrays, no class instances, no null. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** JSON text with sorted keys, so that equal values have equal text whatever order a client wrote them in. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value) ?? 'null';
  // By hand: every request is written so, and the array methods cost twice as much.
  let members = '';
  for (const key of Object.keys(value).sort()) {
    if (value[key] === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(value[key])}`;
  }
  return `{${members}}`;
}

/** SHA-256 of the canonical JSON of a value, as lower-case hex. */
export function fingerprint(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex');
}

/** Freezes a JSON value all the way down and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
  return value;
}

/** True for text that every database keeps as it is: no NUL, no broken surrogates. No stored id is other. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/[\ud800-\udfff]/u.test(text);
}

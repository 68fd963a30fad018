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

/** JSON text with sorted keys, so that equal values have equal text regardless of the order of their members. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value) ?? 'null';
  // A loop, because this runs for every request and array methods take twice as long.
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

/** Freezes a JSON value recursively and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
  return value;
}

/** True for text that all databases store unchanged: no NUL, no lone surrogates. Ids must be storable. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/[\ud800-\udfff]/u.test(text);
}

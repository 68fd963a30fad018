import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';

/**
 * Merges a delta of a `data` content into a value, by the rule of contract agent-api, section b. Per key: a new
 * key is set, two strings are concatenated, two numbers are added, two lists are joined, two objects are
 * merged; anything else replaces the value. Neither argument is changed.
 */
export function mergeData(value: Readonly<JsonObject>, delta: Readonly<JsonObject>): JsonObject {
  const merged = cloneJson<JsonObject>(value);
  mergeInto(merged, delta);
  return merged;
}

/**
 * Like `mergeData`, but changes `target`, so that many deltas need no copies. `target` shares no objects with `delta`.
 */
export function mergeInto(target: JsonObject, delta: Readonly<JsonObject>): void {
  for (const key of Object.keys(delta)) {
    const addition = delta[key];
    if (addition === undefined) continue;
    const present = Object.hasOwn(target, key) ? target[key] : undefined;
    if (typeof present === 'string' && typeof addition === 'string') {
      put(target, key, present + addition);
    } else if (typeof present === 'number' && typeof addition === 'number') {
      put(target, key, jsonNumber(present + addition));
    } else if (Array.isArray(present) && Array.isArray(addition)) {
      for (const item of addition) present.push(cloneJson(item));
    } else if (isJsonObject(present) && isJsonObject(addition)) {
      mergeInto(present, addition);
    } else {
      put(target, key, cloneJson(addition));
    }
  }
}

/** A deep, unfrozen copy of a JSON value, equal to parsing its JSON text: undefined members are left out. */
export function cloneJson<T extends Json>(value: T): T;
export function cloneJson(value: Json): Json {
  if (typeof value === 'number') return jsonNumber(value);
  if (Array.isArray(value)) return value.map((item: Json | undefined) => (item === undefined ? null : cloneJson(item)));
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  // Other values, which only untyped callers can pass, become what their JSON text says.
  if (!isJsonObject(value)) return JSON.parse(JSON.stringify(value) ?? 'null') as Json;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) put(copy, key, cloneJson(member));
  }
  return copy;
}

/** An assignment that keeps `__proto__` an ordinary key. */
export function put(target: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** JSON has no infinities, and its text loses a negative zero. */
function jsonNumber(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null;
}

function isJsonObject(value: Json | undefined): value is JsonObject {
  return isPlainObject(value);
}

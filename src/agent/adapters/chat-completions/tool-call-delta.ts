import { isPlainObject, type Json, type JsonObject, ObjectScan } from '../../../common/index.js';

type Fields = Readonly<Record<string, unknown>>;

/** One piece of a call, as the server sent it. */
export interface ToolCallDelta {
  /** Undefined for servers that do not number parallel calls. */
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
  readonly extra: JsonObject | undefined;
}

/** The members of a call that are part of the API. */
const KNOWN: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function', 'name', 'arguments']);

/**
 * A piece of a call; undefined for entries that are not objects.
 *
 * @param exact the text of arguments that came as an object
 */
export function deltaOf(raw: unknown, exact?: string): ToolCallDelta | undefined {
  if (!isPlainObject(raw)) return undefined;
  // Some servers put the members of the function into the call.
  const called = isPlainObject(raw['function']) ? raw['function'] : raw;
  return {
    index: indexOf(raw['index']),
    id: notBlank(raw['id']),
    name: notBlank(called['name']),
    text: exact ?? argumentsText(called['arguments']),
    extra: extraOf(raw),
  };
}

/** Some servers send the index as text. */
function indexOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

/** A blank text counts as missing. */
function notBlank(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/**
 * The texts of the arguments that came as objects, as some servers send them, exactly as they came: parsed numbers are
 * not exact. One for each call; undefined where the arguments are no object.
 *
 * @param data the chunk in which the calls came
 */
export function exactArguments(calls: readonly unknown[], data: string): readonly (string | undefined)[] {
  const objects = calls.map(objectArguments);
  if (objects.every((one) => one === undefined)) return [];
  const texts = objectTexts(data).map((text) => ({ text, value: JSON.stringify(JSON.parse(text)) }));
  let next = 0;
  return objects.map((object) => {
    const value = object && JSON.stringify(object);
    // Members outside of the calls may have the same name.
    const at = texts.findIndex((one, index) => index >= next && one.value === value);
    if (at < 0) return undefined;
    next = at + 1;
    return texts[at]?.text;
  });
}

function objectArguments(raw: unknown): Fields | undefined {
  const called = isPlainObject(raw) ? raw['function'] : undefined;
  const value = isPlainObject(called) ? called['arguments'] : undefined;
  return isPlainObject(value) ? value : undefined;
}

/** The texts of all members with the name of arguments that are objects, in order, without those inside of others. */
function objectTexts(data: string): readonly string[] {
  const texts: string[] = [];
  let end = 0;
  for (const match of data.matchAll(/(?<!\\)"arguments"\s*:\s*(?=\{)/g)) {
    if (match.index < end) continue;
    const begin = match.index + match[0].length;
    end = endOfObject(data, begin);
    texts.push(data.slice(begin, end));
  }
  return texts;
}

function endOfObject(data: string, begin: number): number {
  const scan = new ObjectScan();
  let end = begin;
  while (end < data.length && !scan.isWhole) {
    const close = data.indexOf('}', end) + 1 || data.length;
    scan.add(data.slice(end, close));
    end = close;
  }
  return end;
}

function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isPlainObject(value) ? JSON.stringify(value) : '';
}

/** The members of a call that the API does not have; undefined if there are none. */
function extraOf(call: Fields): JsonObject | undefined {
  let extra: [string, Json][] | undefined;
  for (const key in call) {
    if (KNOWN.has(key)) continue;
    const value = call[key] as Json;
    if (value !== null && value !== '') (extra ??= []).push([key, value]);
  }
  return extra && Object.fromEntries(extra);
}

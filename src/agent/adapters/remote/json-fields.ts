import { isPlainObject, type Json, type JsonObject, measureJson } from '../../../common/index.js';
import type { Usage } from '../../../events/index.js';
import { protocolFailure } from './remote-failure.js';

/** The deepest nesting of a foreign value: what is deeper cannot be written by every part of this server. */
const DEEPEST = 100;
const LIMITS = { depth: DEEPEST, values: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };
/** A key that changes objects when they are copied, also if any of its characters is escaped. */
const PROTOTYPE_KEY = /__proto__|\\u00[567]/;
/** The most tokens of one count: more is no count. */
const MOST_TOKENS = 1_000_000_000;

/** An object of a foreign message. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The value of a foreign JSON text, without keys `__proto__`.
 *
 * @param what it is, as the beginning of the sentence "… is not valid JSON"
 * @throws RemoteFailure if it is no JSON, or is nested too deeply
 */
export function foreignJson(text: string, what: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw protocolFailure(`${what} is not valid JSON`, error);
  }
  // A text that is shorter cannot be deeper.
  if (text.length > 2 * DEEPEST && measureJson(value, LIMITS).problem !== undefined)
    throw protocolFailure(`${what} is nested too deeply`);
  return PROTOTYPE_KEY.test(text) ? JSON.parse(text, withoutPrototype) : value;
}

function withoutPrototype(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

/** The data of an event as an object. @throws RemoteFailure if it is none */
export function fieldsOf({ data }: { readonly data: string }): Fields {
  const value = foreignJson(data, 'An event of the remote agent');
  if (!isPlainObject(value)) throw protocolFailure('The remote agent sent an event that is not a JSON object');
  return value;
}

/** A member that is an object; an empty one otherwise. */
export function objectAt(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isPlainObject(value) ? value : {};
}

/** The objects of a member that is a list. */
export function objectsAt(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

/** A member that is a text; undefined otherwise. */
export function textAt(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value.toWellFormed() : undefined;
}

/**
 * A member that is a piece of a text; undefined otherwise. Some servers cut within a character: what shows the pieces joins
 * its halves. Only a text that goes on or is compared is read so.
 */
export function pieceAt(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/** What of a text is behind its beginning; undefined if it begins otherwise. A half of a character is a replaced one, too. */
export function restOf(text: string, beginning: string): string | undefined {
  const begins = text.startsWith(beginning) || text.toWellFormed().startsWith(beginning.toWellFormed());
  return begins ? text.slice(beginning.length) : undefined;
}

/** A member that is a number; undefined otherwise. */
export function numberAt(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A member that counts tokens; undefined if it is no such number. */
export function tokensAt(fields: Fields, name: string): number | undefined {
  const value = numberAt(fields, name);
  return Number.isInteger(value) && value !== undefined && value >= 0 && value <= MOST_TOKENS ? value : undefined;
}

/** Where counts of tokens are in a foreign object, by ours. */
export interface UsageFields {
  readonly input: string;
  readonly output: string;
  readonly total: string;
}

/** Their names in OpenAI Responses, and what was made after it. */
export const SNAKE_USAGE: UsageFields = { input: 'input_tokens', output: 'output_tokens', total: 'total_tokens' };

/**
 * The usage of a foreign object; undefined if it does not say how many tokens went in and came out.
 *
 * @param parts what is known of parts of these tokens
 */
export function usageAt(
  fields: Fields,
  { input, output, total }: UsageFields,
  parts: { readonly reasoning?: number | undefined; readonly cached?: number | undefined } = {},
): Usage | undefined {
  const [inputTokens, outputTokens] = [tokensAt(fields, input), tokensAt(fields, output)];
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const { reasoning, cached } = parts;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: tokensAt(fields, total) ?? inputTokens + outputTokens,
    ...(reasoning !== undefined && { reasoning_tokens: reasoning }),
    ...(cached !== undefined && { cached_tokens: cached }),
  };
}

/** A value as text: a text as it is, anything else as JSON. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed();
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** A foreign value, of which all that JSON can hold is JSON. */
export function asJson(value: unknown): Json {
  return value as Json;
}

/** A foreign object as JSON. */
export function asObject(value: Fields): JsonObject {
  return value as JsonObject;
}

import type { ModelOptions } from '../../agent/index.js';
import type { JsonObject } from '../../common/index.js';
import { FieldReader, fieldError, fieldReaderAt } from '../http/field-reader.js';

/** Limits of the original APIs for `metadata`: entries, and characters of a key and of a value. */
const MAX_METADATA = 16;
const METADATA_KEY_LENGTH = 64;
const METADATA_VALUE_LENGTH = 512;

/** `metadata`: up to 16 pairs of strings. @throws AppError naming the first invalid pair */
export function decodeMetadata(fields: FieldReader): JsonObject {
  const source = fields.object('metadata');
  if (!source) return {};
  const entries = Object.entries(source);
  if (entries.length > MAX_METADATA) {
    throw fieldError(fields.at('metadata'), `must have at most ${MAX_METADATA} pairs`, 'INVALID_PARAMETER');
  }
  const inner = fieldReaderAt(source, fields.at('metadata'));
  for (const [key, value] of entries) {
    if (key.length > METADATA_KEY_LENGTH) {
      const rule = `must have a name of at most ${METADATA_KEY_LENGTH} characters`;
      throw fieldError(inner.at(key), rule, 'INVALID_PARAMETER');
    }
    if (typeof value !== 'string') throw fieldError(inner.at(key), 'must be a string');
    if (value.length > METADATA_VALUE_LENGTH) {
      throw fieldError(inner.at(key), `must have at most ${METADATA_VALUE_LENGTH} characters`, 'INVALID_PARAMETER');
    }
  }
  return source as JsonObject;
}

/** The options that are not undefined. */
export function presentOptions(options: { readonly [name: string]: unknown }): ModelOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** A number within limits, both inclusive. @throws AppError INVALID_PARAMETER outside of them */
export function numberIn(fields: FieldReader, name: string, min: number, max: number): number | undefined {
  const value = fields.number(name);
  if (value !== undefined && (value < min || value > max)) {
    throw fieldError(fields.at(name), `must be from ${min} to ${max}`, 'INVALID_PARAMETER');
  }
  return value;
}

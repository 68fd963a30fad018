import type { ModelOptions } from '../../agent/index.js';
import { AppError, fingerprint, type JsonObject, type Principal } from '../../common/index.js';
import type { Caller } from '../../access/index.js';
import { fieldError, FieldReader, fieldReaderAt } from '../http/bodies/field-reader.js';

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

/**
 * The user that a request acts for (contract access, section 4). Without authentication and for a key, `user` names it;
 * in a request with a user's own credential it is only repeated.
 */
export function bodyUserOf({ identity }: Caller, user: unknown): string | undefined {
  const namesUser = identity === undefined || identity.actor.kind === 'key';
  return namesUser && typeof user === 'string' ? user : undefined;
}

/**
 * The header `Idempotency-Key` of a request.
 *
 * @param path what errors call it; absent, they name no field
 * @throws AppError INVALID_PARAMETER unless the key has 1 to 256 printable ASCII characters
 */
export function idempotencyKeyOf(header: string | string[] | undefined, path?: string): string | undefined {
  if (header === undefined || (typeof header === 'string' && /^[\x20-\x7e]{1,256}$/.test(header))) return header;
  const message = 'Idempotency-Key must have 1 to 256 printable ASCII characters';
  throw new AppError('INVALID_PARAMETER', message, path === undefined ? {} : { details: [{ path, message }] });
}

/**
 * The part of a run's id that follows from a key, so that a repeated request is recognized; and from the owner, so that
 * nobody can predict another's. Without authentication an owner is anybody's claim. 128 bits in hexadecimal digits.
 *
 * @param api the protocol, whose keys are its own
 */
export function idOfKey(api: string, key: string, caller: Caller, { tenantId, userId }: Principal): string {
  const owner = caller.identity === undefined ? [] : [tenantId, userId];
  return fingerprint([api, ...owner, key]).slice(0, 32);
}

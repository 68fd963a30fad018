import { AppError, fingerprint, type Principal } from '../../common/index.js';
import type { Caller } from '../../access/index.js';

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

import { AppError } from '../../../common/index.js';

/** Shorter words are no secrets. */
const SHORTEST = 8;
/** How many causes of a cause are kept. */
const DEEPEST = 5;

/** What must not be shown of headers: their values, whole and word by word. */
export function secretsIn(headers: Readonly<Record<string, string>>): readonly string[] {
  const words = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...new Set(words)].filter(({ length }) => length >= SHORTEST);
}

/** A text with `[secret]` in place of each secret. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) shown = shown.replaceAll(secret, '[secret]');
  return shown;
}

/**
 * An error as it may be shown and logged: without secrets, and with causes that have nothing but their text: the answer of an
 * upstream is not logged (contract gateway, section B6).
 */
export function withoutSecretsIn(error: AppError, secrets: readonly string[]): AppError {
  // Errors of other classes are those of this server.
  if (Object.getPrototypeOf(error) !== AppError.prototype) return error;
  const { code, message, details, retryAfterSeconds, headers, wireCode, status, cause } = error;
  const masked = details?.map((one) => ({ ...one, message: withoutSecrets(one.message, secrets) }));
  return new AppError(code, withoutSecrets(message, secrets), {
    status,
    ...(masked && { details: masked }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(headers && { headers }),
    ...(wireCode !== undefined && { wireCode }),
    ...(cause !== undefined && { cause: plain(cause, secrets) }),
  });
}

function plain(cause: unknown, secrets: readonly string[], depth = 0): Error {
  if (!(cause instanceof Error)) return new Error(withoutSecrets(String(cause), secrets));
  const inner = cause.cause !== undefined && depth < DEEPEST ? { cause: plain(cause.cause, secrets, depth + 1) } : {};
  const shown = new Error(withoutSecrets(cause.message, secrets), inner);
  shown.name = cause.name;
  shown.stack = withoutSecrets(cause.stack ?? cause.message, secrets);
  return shown;
}

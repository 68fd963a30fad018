import { ProxyError } from '../../../common/index.js';
import { isNetworkError, statusOf, UpstreamStatusError } from './upstream-error.js';

/** The delay after the first attempt and the longest one, in milliseconds. */
const BASE_MS = 500;
const CAP_MS = 20_000;
/** A longer `Retry-After` is not waited for: the call fails and its error says when to retry. */
const LONGEST_RETRY_AFTER_MS = 60_000;
/** The beginning of a date: a day of the week, or a year, a month and a day. */
const DATE = /^\s*([a-z]{3}|\d{4}-\d\d-\d\d)/i;

/**
 * Milliseconds to wait before the call is made again, or undefined when it must not be.
 * Exponential back-off from half a second with full jitter in its upper half; a `Retry-After` of the
 * provider wins.
 *
 * @param attempt 0 after the first failure
 * @param random a number in [0, 1)
 */
export function retryDelayMs(error: unknown, attempt: number, random: number): number | undefined {
  if (!isRetryable(error)) return undefined;
  const asked = retryAfterMs(error);
  if (asked !== undefined) return asked > LONGEST_RETRY_AFTER_MS ? undefined : asked;
  const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** attempt);
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

/** What the provider's `Retry-After` (seconds or a date) or `retry-after-ms` asks for, in milliseconds. */
export function retryAfterMs(error: unknown): number | undefined {
  if (!(error instanceof UpstreamStatusError || error instanceof ProxyError)) return undefined;
  const exact = numberOf(header(error, 'retry-after-ms'));
  if (exact !== undefined) return exact;
  const after = header(error, 'retry-after');
  // A header that was sent twice is joined with a comma.
  const seconds = numberOf(after?.split(',')[0]);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse reads years in almost any number.
  const date = after !== undefined && DATE.test(after) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** True if the same request can succeed later: overload, conflicts, time-outs and network errors. */
function isRetryable(error: unknown): boolean {
  const status = error instanceof ProxyError ? error.status : statusOf(error);
  if (status !== undefined) return status === 408 || status === 409 || status === 429 || status >= 500;
  return isNetworkError(error);
}

function header({ headers }: Pick<UpstreamStatusError, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Undefined for a missing, negative or invalid number. */
function numberOf(value: string | undefined): number | undefined {
  const number = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

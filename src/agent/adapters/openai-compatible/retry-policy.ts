import { APICallError } from '@ai-sdk/provider';
import { isNetworkError, statusOf } from './upstream-error.js';

const BASE_MS = 500;
const CAP_MS = 20_000;
/** A provider that asks for more patience than this is not waited for: the run fails and says so. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * Milliseconds to wait before the call is tried again, or undefined when trying again is of no use.
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
  if (!APICallError.isInstance(error)) return undefined;
  const headers = error.responseHeaders ?? {};
  const exact = numberOf(headers['retry-after-ms']);
  if (exact !== undefined) return exact;
  const header = headers['retry-after'];
  const seconds = numberOf(header);
  if (seconds !== undefined) return seconds * 1000;
  const date = header === undefined ? Number.NaN : Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function isRetryable(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== undefined && status >= 400) return status === 408 || status === 409 || status === 429 || status >= 500;
  return isNetworkError(error);
}

function numberOf(header: string | undefined): number | undefined {
  const value = header === undefined || header.trim() === '' ? Number.NaN : Number(header);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

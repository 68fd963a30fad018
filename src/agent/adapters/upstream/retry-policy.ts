import { ProxyError } from '../../../common/index.js';
import { durationMs, untilResetMs } from './error-body.js';
import { type FailureKind, kindOf } from './failure-kind.js';
import { detailsOf, isNetworkError, statusOf, UpstreamStatusError, UpstreamStreamError } from './upstream-error.js';

/** The delay after the first attempt and the longest one, in milliseconds. */
const BASE_MS = 500;
const CAP_MS = 20_000;
/** A longer `Retry-After` is not waited for: the call fails and its error says when to retry. */
const LONGEST_RETRY_AFTER_MS = 60_000;
/** The beginning of a date: a day of the week, or a year, a month and a day. */
const DATE = /^\s*([a-z]{3}|\d{4}-\d\d-\d\d)/i;
/** The headers of limits that are about to be reset, and what follows in their names. */
const RESET = /^x-ratelimit-reset(?:-(.+))?$/;
/** A sentence that says when to try again. */
const TRY_AGAIN =
  /\b(?:try again|retry) (?:in|after) (?:about )?((?:\d+(?:\.\d+)?\s*(?:d|h|ms|m|s)(?![a-z])\s*)+|\d+(?:\.\d+)?)(?:\s*(second|minute))?/i;

/** The model made a call that its server could not read, and may make a better one: Groq, with status 400. */
const BAD_CALL = /^(tool_use_failed|malformed_function_call)$/i;

/** What will happen again to the same request, whatever its status. */
const FINAL: ReadonlySet<FailureKind> = new Set([
  ...(['filtered', 'context', 'quota', 'credentials', 'not-found', 'no-route', 'template', 'certificate'] as const),
]);

/**
 * Milliseconds to wait before the call is made again, or undefined when it must not be.
 * Exponential back-off from half a second with full jitter in its upper half; the time that the
 * provider asks for wins (contract model-servers, section 1.4).
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

/**
 * How long the provider asks to wait, in milliseconds: in `retry-after-ms`, in `Retry-After` (seconds or a date), in
 * the headers of its limits, in its error, or in the sentence of it. Undefined if it does not.
 */
export function retryAfterMs(error: unknown): number | undefined {
  const headers = error instanceof UpstreamStatusError || error instanceof ProxyError ? error.headers : {};
  return retryAfterIn(headers) ?? (kindOf(error) === 'rate-limit' ? resetIn(headers) : undefined) ?? toldBy(error);
}

type Headers = UpstreamStatusError['headers'];

function retryAfterIn(headers: Headers): number | undefined {
  const exact = numberOf(header(headers, 'retry-after-ms'));
  if (exact !== undefined) return exact;
  const after = header(headers, 'retry-after');
  // A header that was sent twice is joined with a comma.
  const seconds = numberOf(after?.split(',')[0]);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse reads years in almost any number.
  const date = after !== undefined && DATE.test(after) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/**
 * The longest of the times until limits are reset. If servers tell which limits are used up, only those count; limits
 * per day have long times in every answer.
 */
function resetIn(headers: Headers): number | undefined {
  const resets = Object.keys(headers).flatMap((name) => {
    const [, limit] = RESET.exec(name) ?? [undefined, undefined];
    const ms = RESET.test(name) ? untilResetMs(header(headers, name) ?? '') : undefined;
    const left = numberOf(header(headers, `x-ratelimit-remaining${limit === undefined ? '' : `-${limit}`}`));
    return ms === undefined ? [] : [{ ms, left, isDaily: limit?.includes('day') === true }];
  });
  const usedUp = resets.filter(({ left }) => left === 0);
  const counting = usedUp.length > 0 ? usedUp : resets.filter(({ isDaily }) => !isDaily);
  return counting.length === 0 ? undefined : Math.max(...counting.map(({ ms }) => ms));
}

function toldBy(error: unknown): number | undefined {
  const details = detailsOf(error);
  if (!details) return undefined;
  if (details.waitMs !== undefined) return details.waitMs;
  const [, duration, unit] = TRY_AGAIN.exec(details.text) ?? [];
  const ms = duration === undefined ? undefined : durationMs(duration.replace(/\s+/g, ''));
  return ms !== undefined && unit?.toLowerCase() === 'minute' ? ms * 60 : ms;
}

/** True if the same request can succeed later: overload, conflicts, time-outs and network errors. */
function isRetryable(error: unknown): boolean {
  if (FINAL.has(kindOf(error))) return false;
  if (error instanceof UpstreamStreamError && error.mayPass) return true;
  if (detailsOf(error)?.codes.some((code) => BAD_CALL.test(code))) return true;
  const status = error instanceof ProxyError ? error.status : statusOf(error);
  if (status !== undefined) return status === 408 || status === 409 || status === 429 || status >= 500;
  return isNetworkError(error);
}

function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Undefined for a missing, negative or invalid number. */
function numberOf(value: string | undefined): number | undefined {
  const number = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

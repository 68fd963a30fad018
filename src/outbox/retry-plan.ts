/** The pauses after an attempt that failed, in seconds (contract a2a, section 10). */
const PAUSES_S = [5, 30, 2 * 60, 15 * 60, 60 * 60, 4 * 60 * 60, 12 * 60 * 60, 24 * 60 * 60];
/** How much longer a pause may be, as a part of it. */
const JITTER = 0.2;
/** The longest `Retry-After` that is followed, in seconds. */
const MOST_RETRY_S = 24 * 60 * 60;

/**
 * How long to wait after an attempt that failed, in milliseconds; undefined when it was the last one.
 *
 * @param attempts how many there were
 * @param retryAfter the header of the answer, if there was one
 * @param random from 0 to 1
 */
export function pauseAfter(
  attempts: number,
  retryAfter: string | undefined,
  now: number,
  random: number,
): number | undefined {
  const pause = PAUSES_S[attempts - 1];
  if (pause === undefined) return undefined;
  const asked = Math.min(MOST_RETRY_S, secondsOf(retryAfter, now));
  return Math.max(pause * (1 + JITTER * random), asked) * 1000;
}

/** Seconds, or an HTTP date. */
function secondsOf(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? 0 : Math.max(0, (date - now) / 1000);
}

import { memoize } from './memoize.js';

/** The zone that is taken when nobody named a valid one. */
export const DEFAULT_TIME_ZONE = 'UTC';

const LONGEST_NAME = 64;
const KEPT_NAMES = 256;

/**
 * True for the name of an IANA time zone that this runtime knows, in any letter case. Offsets such as
 * `+08:00` are refused, although some runtimes take them for zones (contract runs-api, section 2.2).
 */
export function isTimeZone(value: unknown): value is string {
  return typeof value === 'string' && timeZoneName(value) !== undefined;
}

/**
 * The first candidate that is a valid IANA zone, else UTC. Give the candidates in the fixed order of
 * contract runs-api, section 8: the tool's explicit argument, the device's zone of `client_time`, the
 * user's settings. The server's own zone is never one of them.
 */
export function resolveTimeZone(candidates: readonly unknown[]): string {
  for (const candidate of candidates) {
    const name = typeof candidate === 'string' ? timeZoneName(candidate) : undefined;
    if (name !== undefined) return name;
  }
  return DEFAULT_TIME_ZONE;
}

/**
 * An IANA zone's name in its usual letter case, or undefined for anything else. A name that the runtime
 * replaces by an older one (`Asia/Kolkata` by `Asia/Calcutta`) stays as it was written.
 */
export function timeZoneName(value: string): string | undefined {
  return value.length > LONGEST_NAME ? undefined : knownZone(value);
}

const knownZone = memoize(KEPT_NAMES, (value: string): string | undefined => {
  if (!/^[a-z]/i.test(value)) return undefined;
  try {
    const resolved = new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
    return resolved.toLowerCase() === value.toLowerCase() ? resolved : value;
  } catch {
    return undefined;
  }
});

import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from './app-error.js';

/** The header in which servers count how many of them a request has passed through. In lower case, as Node writes it. */
export const HOPS_HEADER = 'x-parley-hops';
/** The most hops that a request may have behind it. */
const MOST_HOPS = 5;
/** The longest value of a header that is carried on, in characters. */
const LONGEST_VALUE = 256;

/**
 * What the requests of a run to remote agents carry on from the request that began the run (contract gateway, section
 * D). It is kept with the run.
 */
export interface Carried {
  /** How many servers the request had passed through before this one. */
  readonly hops: number;
  /** Headers by name, in lower case: those that remote agents are configured to get. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The headers of requests that are carried on. One for each server. */
export class CarriedHeaders {
  private readonly names = new Set<string>();

  /** Remote agents get these headers from now on. @param names in lower case */
  add(names: readonly string[]): void {
    for (const name of names) this.names.add(name);
  }

  /**
   * What a request carries on; undefined if that is nothing.
   *
   * @throws AppError INVALID_PARAMETER for a header that is carried on and too long
   */
  of(headers: IncomingHttpHeaders): Carried | undefined {
    const hops = hopsOf(headers);
    const found: Record<string, string> = {};
    let isEmpty = hops === 0;
    for (const name of this.names) {
      const value = headers[name];
      if (typeof value !== 'string' || value === '') continue;
      if (value.length > LONGEST_VALUE) throw invalid(name, `must have at most ${LONGEST_VALUE} characters`);
      found[name] = value;
      isEmpty = false;
    }
    return isEmpty ? undefined : { hops, ...(Object.keys(found).length > 0 && { headers: found }) };
  }
}

/**
 * Refuses a request that has passed through too many servers: remote agents that call each other would do so for ever.
 *
 * @throws AppError LOOP_DETECTED; INVALID_PARAMETER for a count that is not a whole number
 */
export function checkHops(headers: IncomingHttpHeaders): void {
  if (headers[HOPS_HEADER] !== undefined && hopsOf(headers) > MOST_HOPS) throw new AppError('LOOP_DETECTED');
}

/**
 * What a run carries on that continues another one with answers: the headers of the first request. Whoever answers lends
 * none; but the answer may have passed through more servers.
 */
export function continuedCarried(first: Carried | undefined, answer: Carried | undefined): Carried | undefined {
  const hops = Math.max(first?.hops ?? 0, answer?.hops ?? 0);
  if (first?.headers) return { hops, headers: first.headers };
  return hops > 0 ? { hops } : undefined;
}

function hopsOf(headers: IncomingHttpHeaders): number {
  const text = headers[HOPS_HEADER];
  if (text === undefined) return 0;
  if (typeof text !== 'string' || !/^\d{1,6}$/.test(text)) throw invalid(HOPS_HEADER, 'must be a whole number');
  return Number(text);
}

function invalid(name: string, rule: string): AppError {
  const message = `The header ${name} ${rule}`;
  return new AppError('INVALID_PARAMETER', message, { details: [{ path: name, message }] });
}

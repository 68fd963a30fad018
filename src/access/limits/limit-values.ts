import { z } from 'zod';
import { MIB } from '../../config/index.js';
import type { Rate } from './rate-limits.js';

/** What a user and a tenant may have or do alike. */
export interface OwnerLimits {
  readonly requests: Rate;
  /** Starts of runs. */
  readonly runStarts: Rate;
  /** Runs that wait or are being executed. */
  readonly activeRuns: number;
  /** Open event streams of one process. */
  readonly streams: number;
  /** Open WebSockets of one process. */
  readonly sockets: number;
}

/** All limits that hold for a caller (contract access, section 6). */
export interface Limits {
  /** Of each user; those of requests, of each account of a key. */
  readonly user: OwnerLimits & { readonly uploadBytesPerDay: number };
  /** Of all users of a tenant together. */
  readonly tenant: OwnerLimits;
  /** Requests to administration routes, of each account. */
  readonly admin: { readonly requests: Rate };
}

/** Limits that differ from the defaults. What is absent keeps its default. */
export type LimitOverrides = {
  readonly [Subject in keyof Limits]?:
    { readonly [Name in keyof Limits[Subject]]?: Limits[Subject][Name] | undefined } | undefined;
};

/** The limits of an installation that configures none. */
export const DEFAULT_LIMITS: Limits = {
  user: {
    requests: { perMinute: 300, burst: 100 },
    runStarts: { perMinute: 60, burst: 20 },
    activeRuns: 20,
    streams: 50,
    sockets: 10,
    uploadBytesPerDay: 500 * MIB,
  },
  tenant: {
    requests: { perMinute: 6000, burst: 1000 },
    runStarts: { perMinute: 600, burst: 100 },
    activeRuns: 500,
    streams: 1000,
    sockets: 200,
  },
  admin: { requests: { perMinute: 60, burst: 20 } },
};

const count = z.number().int().min(1).max(1_000_000_000);
const rate = z.strictObject({ perMinute: count, burst: count });
const owner = { requests: rate, runStarts: rate, activeRuns: count, streams: count, sockets: count };
const overrides = {
  user: z
    .strictObject({
      ...owner,
      uploadBytesPerDay: z
        .number()
        .int()
        .min(1)
        .max(2 ** 50),
    })
    .partial()
    .optional(),
  tenant: z.strictObject(owner).partial().optional(),
  admin: z.strictObject({ requests: rate }).partial().optional(),
};

/** The shape of overrides, in files and over HTTP. */
export const LIMIT_OVERRIDES: z.ZodType<LimitOverrides> = z.strictObject(overrides);

/** What `LIMITS_FILE` contains: new defaults, and overrides of single tenants. */
export type LimitsFile = LimitOverrides & { readonly tenants?: Readonly<Record<string, LimitOverrides>> | undefined };

/** The shape of `LIMITS_FILE`. */
export const LIMITS_FILE: z.ZodType<LimitsFile> = z.strictObject({
  ...overrides,
  tenants: z.record(z.string(), LIMIT_OVERRIDES).optional(),
});

/** Limits with overrides in place of what they name. */
export function withOverrides(limits: Limits, changes: LimitOverrides | undefined): Limits {
  if (!changes) return limits;
  return {
    user: { ...limits.user, ...given(changes.user) },
    tenant: { ...limits.tenant, ...given(changes.tenant) },
    admin: { ...limits.admin, ...given(changes.admin) },
  };
}

/** A rate with another number per minute, and a burst of the same proportion. */
export function scaledRate(rate: Rate, perMinute: number): Rate {
  return { perMinute, burst: Math.max(1, Math.ceil((rate.burst * perMinute) / rate.perMinute)) };
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Without members that are undefined. */
function given<T extends object>(members: T | undefined): Given<T> {
  return Object.fromEntries(Object.entries(members ?? {}).filter(([, value]) => value !== undefined)) as Given<T>;
}

import { type Bounds, DAY_MS, duration, HOUR_MS, type Rule } from '../config/index.js';

/** What is kept for a time: each kind has a default of the installation, and tenants may differ from it. */
export const RETENTION_KINDS = ['events', 'conversations', 'uploads', 'usage', 'audit'] as const;

/** What is kept for a time (contract access, section 9). */
export type RetentionKind = (typeof RETENTION_KINDS)[number];

/** The word for a kind that is kept forever. Only conversations may be. */
export const OFF = 'off';

/** The shortest and the longest time for each kind, in milliseconds. */
export const RETENTION_BOUNDS: Readonly<Record<RetentionKind, Bounds>> = {
  events: { min: HOUR_MS, max: 3650 * DAY_MS },
  conversations: { min: HOUR_MS, max: 36_500 * DAY_MS },
  uploads: { min: 1000, max: 365 * DAY_MS },
  usage: { min: 40 * DAY_MS, max: 36_500 * DAY_MS },
  audit: { min: 90 * DAY_MS, max: 36_500 * DAY_MS },
};

/** Periods of a tenant that differ from the defaults, as they are written: `30d`, or `off` for conversations. */
export type RetentionOverrides = { readonly [Kind in RetentionKind]?: string };

/** For how long something is kept, in milliseconds; null for ever. */
export type RetentionTime = number | null;

/** What a period of a kind may be. */
export function retentionRule(kind: RetentionKind): Rule<RetentionTime> {
  const rule = duration(RETENTION_BOUNDS[kind]);
  if (kind !== 'conversations') return rule;
  return {
    expectation: `${rule.expectation}, or ${OFF}`,
    parse: (text) => (text === OFF ? null : rule.parse(text)),
  };
}

/** A period as it is written, in its largest unit that fits. */
export function retentionText(time: RetentionTime): string {
  if (time === null) return OFF;
  const [unit, size] = UNITS.find(([, ms]) => time % ms === 0) ?? ['ms', 1];
  return `${time / size}${unit}`;
}

const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', 60_000],
  ['s', 1000],
] as const;

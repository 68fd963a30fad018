import type { Reach } from '../../common/index.js';
import type { UsageEntry } from '../usage-entry.js';

/** What usage can be grouped by. */
export const USAGE_GROUPS = ['day', 'user', 'agent', 'model', 'account'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** A day of a report: its name and its moments, in milliseconds since the epoch. */
export interface ReportDay {
  readonly day: string;
  readonly from: number;
  readonly until: number;
}

/** Which usage to sum up. */
export interface UsageQuery {
  readonly reach: Reach;
  /** Consecutive days, oldest first; not empty. */
  readonly days: readonly ReportDay[];
  /** In the order of the columns; empty: one sum. */
  readonly groupBy: readonly UsageGroup[];
  readonly limit: number;
  /** How many groups are skipped. */
  readonly offset: number;
}

/** The sums of one group. */
export interface UsageSums {
  /** The values of `groupBy`, in its order; empty text for no account. */
  readonly group: readonly string[];
  readonly runs: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Billionths of the currency's unit. */
  readonly cost: number;
  /** Input and output of the calls that were estimated. */
  readonly estimatedTokens: number;
}

/** Reads what was used: settled and estimated calls. Exact as soon as a step is committed. */
export abstract class UsageReports {
  /** The groups in the order of their values. */
  abstract sums(query: UsageQuery): Promise<readonly UsageSums[]>;

  /** The entries of the runs with an id, oldest first. */
  abstract ofRun(reach: Reach, runId: string): Promise<readonly UsageEntry[]>;
}

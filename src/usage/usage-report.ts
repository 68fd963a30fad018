import { Injectable } from '@nestjs/common';
import { DateTime } from 'luxon';
import { AppError, Clock, isTimeZone, type Reach, timeZoneName } from '../common/index.js';
import { dayOf } from './budget.js';
import { Budgets } from './budgets.js';
import { type ReportDay, USAGE_GROUPS, type UsageGroup, UsageReports, type UsageSums } from './ports/usage-reports.js';
import type { UsageEntry } from './usage-entry.js';
import { UsageSettings } from './usage.settings.js';

/** The most days of a report. */
const MOST_DAYS = 400;
/** The days of a report that names none. */
const DEFAULT_DAYS = 30;
const DEFAULT_LIMIT = 100;
const MOST_LIMIT = 1000;

/** The parameters of a report, as text. */
export interface ReportQuery {
  /** The first day, `YYYY-MM-DD`. Default: 29 days before the last one. */
  readonly from?: string | undefined;
  /** The last day. Default: today. */
  readonly to?: string | undefined;
  /** A comma-separated list of `USAGE_GROUPS`. Default: `day`. */
  readonly groupBy?: string | undefined;
  /** Where days begin. Default: the time zone of the tenant. */
  readonly tz?: string | undefined;
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

/** A page of a report. */
export interface ReportPage {
  readonly groupBy: readonly UsageGroup[];
  readonly currency: string;
  readonly data: readonly UsageSums[];
  readonly nextCursor: string | null;
}

/** Reports of what was used (contract access, section 7.4). */
@Injectable()
export class UsageReport {
  constructor(
    private readonly reports: UsageReports,
    private readonly budgets: Budgets,
    private readonly settings: UsageSettings,
    private readonly clock: Clock,
  ) {}

  /** The label of costs. */
  get currency(): string {
    return this.settings.currency;
  }

  /** @throws AppError INVALID_PARAMETER that names the parameter */
  async page(reach: Reach, query: ReportQuery): Promise<ReportPage> {
    const zone = await this.zoneOf(reach, query.tz);
    const groupBy = groupsOf(query.groupBy ?? 'day');
    const days = reportDays(query, zone, this.clock.now());
    const limit = countOf('limit', query.limit ?? String(DEFAULT_LIMIT), MOST_LIMIT);
    const offset = query.cursor === undefined ? 0 : offsetOf(query.cursor);
    const found = await this.reports.sums({ reach, days, groupBy, limit: limit + 1, offset });
    const isMore = found.length > limit;
    return {
      groupBy,
      currency: this.settings.currency,
      data: found.slice(0, limit),
      nextCursor: isMore ? Buffer.from(String(offset + limit)).toString('base64url') : null,
    };
  }

  /** The entries of the runs with an id, oldest first; none for an unknown id. */
  ofRun(reach: Reach, runId: string): Promise<readonly UsageEntry[]> {
    return this.reports.ofRun(reach, runId);
  }

  private async zoneOf({ tenantId }: Reach, asked: string | undefined): Promise<string> {
    if (asked === undefined) return this.budgets.timeZone(tenantId);
    if (!isTimeZone(asked)) throw invalid('tz', 'must be the name of an IANA time zone');
    return timeZoneName(asked) ?? asked;
  }
}

/** The part of the tokens that was estimated, from 0 to 1. */
export function estimatedShare({ estimatedTokens, inputTokens, outputTokens }: UsageSums): number {
  const all = inputTokens + outputTokens;
  return all === 0 ? 0 : Math.round((10_000 * estimatedTokens) / all) / 10_000;
}

function groupsOf(text: string): readonly UsageGroup[] {
  const names = text.split(',').map((name) => name.trim());
  const groups = names.flatMap((name) => USAGE_GROUPS.find((group) => group === name) ?? []);
  if (groups.length < names.length || new Set(names).size < names.length)
    throw invalid('group_by', `must list some of ${USAGE_GROUPS.join(', ')}, each once`);
  return groups;
}

function reportDays({ from, to }: ReportQuery, zone: string, now: number): readonly ReportDay[] {
  const last = dayIn('to', to ?? dayOf(now, zone), zone);
  const first = from === undefined ? last.minus({ days: DEFAULT_DAYS - 1 }) : dayIn('from', from, zone);
  const days: ReportDay[] = [];
  for (let day = first; day <= last;) {
    const next = day.plus({ days: 1 }).startOf('day');
    days.push({ day: day.toFormat('yyyy-MM-dd'), from: day.toMillis(), until: next.toMillis() });
    if (days.length > MOST_DAYS) throw invalid('from', `must be at most ${MOST_DAYS} days before to`);
    day = next;
  }
  if (days.length === 0) throw invalid('from', 'must not be after to');
  return days;
}

function dayIn(field: string, text: string, zone: string): DateTime {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? DateTime.fromISO(text, { zone }) : undefined;
  if (!day?.isValid || day.year < 1970) throw invalid(field, 'must be a day such as 2026-11-26');
  return day.startOf('day');
}

function countOf(field: string, text: string, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw invalid(field, `must be a whole number from 1 to ${most}`);
  return value;
}

function offsetOf(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!/^\d{1,9}$/.test(text)) throw invalid('cursor', 'must be the nextCursor of a page');
  return Number(text);
}

function invalid(path: string, rule: string): AppError {
  const message = `${path} ${rule}`;
  return new AppError('INVALID_PARAMETER', message, { details: [{ path, message }] });
}

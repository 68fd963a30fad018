import { Injectable } from '@nestjs/common';
import { isStorable, type Reach } from '../../common/index.js';
import { Database, reachCondition, type SqlValue } from '../../database/index.js';
import { type UsageGroup, type UsageQuery, UsageReports, type UsageSums } from '../ports/usage-reports.js';
import type { UsageEntry } from '../usage-entry.js';
import { ENTRY_COLUMNS, entryOf, type UsageEntryRow } from './usage-entry.row.js';

/** The columns of the groups, apart from the day. */
const COLUMNS: Readonly<Record<Exclude<UsageGroup, 'day'>, string>> = {
  user: 'user_id',
  agent: 'agent',
  model: 'model',
  account: 'account',
};
const SUMS = `
  SELECT {groups} COUNT(DISTINCT u.run_no) + COALESCE(SUM(u.runs), 0) AS runs, COALESCE(SUM(u.calls), 0) AS calls,
    COALESCE(SUM(u.input_tokens), 0) AS input_tokens, COALESCE(SUM(u.cached_tokens), 0) AS cached_tokens,
    COALESCE(SUM(u.output_tokens), 0) AS output_tokens, COALESCE(SUM(u.reasoning_tokens), 0) AS reasoning_tokens,
    COALESCE(SUM(u.cost), 0) AS cost, COALESCE(SUM(u.estimated_tokens), 0) AS estimated_tokens
  FROM (
    SELECT user_id, agent, account, model, at, NULL AS day, run_no, 0 AS runs, 1 AS calls, input_tokens, cached_tokens,
      output_tokens, reasoning_tokens, cost,
      CASE WHEN state = 'estimated' THEN input_tokens + output_tokens ELSE 0 END AS estimated_tokens
    FROM usage_entries WHERE {owner} AND at >= ? AND at < ? AND state IN ('settled', 'estimated')
    UNION ALL
    SELECT user_id, agent, account, model, NULL AS at, day, NULL AS run_no, runs, calls, input_tokens, cached_tokens,
      output_tokens, reasoning_tokens, cost, estimated_tokens
    FROM usage_days WHERE {owner} AND day >= ? AND day <= ?
  ) u`;
const OF_RUN = `SELECT ${ENTRY_COLUMNS} FROM usage_entries e WHERE {owner} AND e.run_id = ? ORDER BY e.at, e.step LIMIT 10000`;

interface SumsRow {
  readonly runs: number | string;
  readonly calls: number | string;
  readonly input_tokens: number | string;
  readonly cached_tokens: number | string;
  readonly output_tokens: number | string;
  readonly reasoning_tokens: number | string;
  readonly cost: number | string;
  readonly estimated_tokens: number | string;
}

/** Sums over entries, and over the sums per day that older entries have become. */
@Injectable()
export class SqlUsageReports extends UsageReports {
  constructor(private readonly database: Database) {
    super();
  }

  async sums({ reach, days, groupBy, limit, offset }: UsageQuery): Promise<readonly UsageSums[]> {
    const [first] = days;
    const last = days.at(-1);
    if (!first || !last) return [];
    const owner = reachCondition(reach);
    const groups = groupBy.map((group, index) =>
      group === 'day' ? `${dayCase(days.length)} AS g${index},` : `u.${COLUMNS[group]} AS g${index},`,
    );
    const names = groupBy.map((_, index) => `g${index}`).join(', ');
    const grouped = names === '' ? '' : ` GROUP BY ${names} ORDER BY ${names}`;
    const sql = `${SUMS.replace('{groups}', groups.join(' ')).replaceAll('{owner}', owner.sql)}${grouped} LIMIT ? OFFSET ?`;
    const dayValues = groupBy.includes('day') ? days.flatMap(({ day, until }) => [until, day]) : [];
    const values: SqlValue[] = [
      ...dayValues,
      ...owner.values,
      first.from,
      last.until,
      ...owner.values,
      first.day,
      last.day,
      limit,
      offset,
    ];
    const rows = await this.database.read.all<SumsRow & Readonly<Record<string, unknown>>>(sql, values);
    return rows.map((row) => ({
      group: groupBy.map((_, index) => String(row[`g${index}`])),
      runs: Number(row.runs),
      calls: Number(row.calls),
      inputTokens: Number(row.input_tokens),
      cachedInputTokens: Number(row.cached_tokens),
      outputTokens: Number(row.output_tokens),
      reasoningTokens: Number(row.reasoning_tokens),
      cost: Number(row.cost),
      estimatedTokens: Number(row.estimated_tokens),
    }));
  }

  async ofRun(reach: Reach, runId: string): Promise<readonly UsageEntry[]> {
    if (!isStorable(runId)) return [];
    const owner = reachCondition(reach, 'e');
    const rows = await this.database.read.all<UsageEntryRow>(OF_RUN.replace('{owner}', owner.sql), [
      ...owner.values,
      runId,
    ]);
    return rows.map(entryOf);
  }
}

/** The day of a row: of a sum per day, its own; of an entry, that of the report in which it was made. */
function dayCase(count: number): string {
  return `COALESCE(u.day, CASE ${'WHEN u.at < ? THEN ? '.repeat(count)}END)`;
}

import { Injectable } from '@nestjs/common';
import { AppError, Clock, isStorable, type Reach, userReach } from '../../../common/index.js';
import { RequestDatabase, reachCondition, type SqlCondition, type SqlValue } from '../../../database/index.js';
import { type ChainPage, type ChainQuery, type ChainState, type RunChain, RunChains } from '../../ports/run-chains.js';
import type { RunRecord } from '../../run-record.js';
import type { RunView } from '../../run.types.js';
import { runView } from '../../run-view.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run.row.js';

const SELECT = `SELECT ${RUN_COLUMNS} FROM runs`;
const COLUMNS = RUN_COLUMNS.split(',')
  .map((column) => `l.${column.trim()}`)
  .join(', ');
const LISTED = `(l.keep <> 'transient' OR l.status IN ('queued', 'running'))`;
/** The last run of a chain. */
const IS_LAST = `NOT EXISTS (SELECT 1 FROM runs n WHERE n.tenant_id = l.tenant_id AND n.user_id = l.user_id
  AND n.root_run_id = COALESCE(l.root_run_id, l.id) AND n.ordinal > l.ordinal)`;
const QUEUED_BEFORE = `CASE WHEN l.status = 'queued' THEN (SELECT COUNT(*) FROM runs q
  WHERE q.session_no = l.session_no AND q.ordinal < l.ordinal AND q.status = 'queued') ELSE 0 END`;
const LATER = `(SELECT MIN(s.created_at) FROM runs s WHERE s.session_no = l.session_no AND s.ordinal > l.ordinal)`;

/** The state of the chain that a run is the last one of. */
const STATE = `CASE
  WHEN l.status = 'failed' AND l.error LIKE '{"code":"REJECTED"%' THEN 'rejected'
  WHEN l.status <> 'interrupted' THEN l.status
  WHEN a.open > 0 AND l.closed_at IS NULL THEN 'waiting'
  WHEN a.due > 0 THEN 'expired'
  WHEN l.closed_at IS NOT NULL OR a.asked > 0 OR ${LATER} IS NOT NULL THEN 'closed'
  ELSE 'waiting' END`;
const CHANGED_AT = `CASE
  WHEN l.status = 'queued' THEN l.created_at
  WHEN l.status = 'running' THEN COALESCE(l.started_at, l.created_at)
  WHEN l.status <> 'interrupted' OR (a.open > 0 AND l.closed_at IS NULL) THEN l.finished_at
  WHEN a.due > 0 THEN a.due_at
  WHEN l.closed_at IS NOT NULL THEN l.closed_at
  WHEN a.asked > 0 THEN a.answered_at
  ELSE COALESCE(${LATER}, l.finished_at) END`;

const FOR_APPROVALS = '(COALESCE(open_n, 0) > 0 AND COALESCE(other_n, 0) = 0)';

interface ChainRow extends RunRow {
  readonly chain_id: string;
  readonly chain_state: ChainState;
  readonly changed_at: number | string;
  readonly queued_before: number | string;
  readonly open_n: number | string | null;
  readonly other_n: number | string | null;
}

/** Chains of runs in the ledger, from the rows of runs and interrupts. */
@Injectable()
export class SqlRunChains extends RunChains {
  constructor(
    private readonly database: RequestDatabase,
    private readonly clock: Clock,
  ) {
    super();
  }

  async find(reach: Reach, rootRunId: string): Promise<RunChain | undefined> {
    if (!isStorable(rootRunId)) return undefined;
    const owner = reachCondition(reach, 'l');
    const condition = `${owner.sql} AND (l.root_run_id = ? OR (l.id = ? AND l.root_run_id IS NULL))`;
    const { sql, values } = this.chains({ sql: condition, values: [...owner.values, rootRunId, rootRunId] });
    const rows = await this.database.read.all<ChainRow>(`${sql} ORDER BY no LIMIT 2`, values);
    if (rows.length > 1) throw new AppError('AMBIGUOUS_ID');
    const [found] = await this.withRoots(rows);
    return found;
  }

  async runs(reach: Reach, rootRunId: string): Promise<readonly RunView[]> {
    const chain = await this.find(reach, rootRunId);
    if (!chain) return [];
    const { root, last } = chain;
    const { sql, values } = reachCondition(userReach(root));
    const rows = await this.database.read.all<RunRow>(
      `${SELECT} WHERE ${sql} AND root_run_id = ? AND ordinal < ? ORDER BY ordinal`,
      [...values, rootRunId, last.ordinal],
    );
    const between = (await this.records(rows)).map((run) => runView(run, 0));
    return root.ordinal === last.ordinal ? [last] : [root, ...between, last];
  }

  async list(reach: Reach, query: ChainQuery): Promise<ChainPage> {
    const { limit, cursor } = query;
    if (query.sessionId !== undefined && !isStorable(query.sessionId)) return { items: [], total: 0 };
    const filters = filtersOf(query);
    const position = cursor === undefined ? undefined : positionOf(cursor);
    const where = (conditions: readonly SqlCondition[]): string =>
      conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
    const source = this.chains(scopeOf(reach, query));
    const after = position && { sql: '(changed_at, chain_id) < (?, ?)', values: position };
    const page = after ? [...filters, after] : filters;
    const [rows, [count]] = await Promise.all([
      this.database.read.all<ChainRow>(
        `SELECT * FROM (${source.sql}) c${where(page)} ORDER BY changed_at DESC, chain_id DESC LIMIT ?`,
        [...source.values, ...page.flatMap(({ values }) => values), limit + 1],
      ),
      this.database.read.all<{ n: number | string }>(`SELECT COUNT(*) AS n FROM (${source.sql}) c${where(filters)}`, [
        ...source.values,
        ...filters.flatMap(({ values }) => values),
      ]),
    ]);
    const items = await this.withRoots(rows.slice(0, limit));
    const end = items.at(-1);
    const hasMore = rows.length > limit && end !== undefined;
    return { items, total: Number(count?.n ?? 0), ...(hasMore && { nextCursor: cursorOf(end) }) };
  }

  /** The last runs of chains, with how these stand. */
  private chains(scope: SqlCondition): SqlCondition {
    const sql = `SELECT ${COLUMNS}, COALESCE(l.root_run_id, l.id) AS chain_id, ${STATE} AS chain_state,
        ${CHANGED_AT} AS changed_at, ${QUEUED_BEFORE} AS queued_before, a.open AS open_n, a.others AS other_n
      FROM runs l LEFT JOIN (
        SELECT i.waiting_run_no, COUNT(*) AS asked, MAX(i.answered_at) AS answered_at,
          SUM(CASE WHEN i.status = 'pending' AND (i.expires_at IS NULL OR i.expires_at > ?) THEN 1 ELSE 0 END) AS open,
          SUM(CASE WHEN i.status = 'expired' OR (i.status = 'pending' AND i.expires_at <= ?) THEN 1 ELSE 0 END) AS due,
          MAX(CASE WHEN i.status IN ('pending', 'expired') THEN i.expires_at END) AS due_at,
          SUM(CASE WHEN i.kind <> 'approval' THEN 1 ELSE 0 END) AS others
        FROM interrupts i WHERE i.waiting_run_no IN (SELECT l.no FROM runs l WHERE l.status = 'interrupted' AND ${scope.sql})
        GROUP BY i.waiting_run_no
      ) a ON a.waiting_run_no = l.no
      WHERE ${scope.sql} AND ${LISTED} AND ${IS_LAST}`;
    const now = this.clock.now();
    return { sql, values: [now, now, ...scope.values, ...scope.values] };
  }

  private async withRoots(rows: readonly ChainRow[]): Promise<readonly RunChain[]> {
    const found: RunChain[] = [];
    const lasts = await this.records(rows);
    for (const [index, row] of rows.entries()) {
      const last = lasts[index] as RunRecord;
      const root = row.root_run_id === null ? last : await this.rootOf(last);
      // Removed: what is left has no beginning.
      if (root) found.push(chainOf(row, root, last));
    }
    return found;
  }

  private async rootOf({ tenantId, userId, rootRunId }: RunRecord): Promise<RunRecord | undefined> {
    const [row] = await this.database.read.all<RunRow>(`${SELECT} WHERE tenant_id = ? AND user_id = ? AND id = ?`, [
      tenantId,
      userId,
      rootRunId,
    ]);
    return row && (await this.records([row]))[0];
  }

  private async records(rows: readonly RunRow[]): Promise<readonly RunRecord[]> {
    const { content } = this.database;
    return content.reading(() => rows.map((row) => runRecord(row, content)));
  }
}

function chainOf(row: ChainRow, root: RunRecord, last: RunRecord): RunChain {
  const lastView = runView(last, Number(row.queued_before));
  const isWaiting = row.chain_state === 'waiting';
  const isForApprovals = Number(row.open_n ?? 0) > 0 && Number(row.other_n ?? 0) === 0;
  return {
    root: root === last ? lastView : runView(root, 0),
    last: lastView,
    state: row.chain_state,
    changedAt: Number(row.changed_at),
    waitsFor: !isWaiting ? null : isForApprovals ? 'approvals' : 'answers',
  };
}

function scopeOf(reach: Reach, { sessionId, agentType }: ChainQuery): SqlCondition {
  const owner = reachCondition(reach, 'l');
  const parts = [owner];
  if (sessionId !== undefined) parts.push({ sql: 'l.session_id = ?', values: [sessionId] });
  if (agentType !== undefined) parts.push({ sql: 'l.agent_type = ?', values: [agentType] });
  return { sql: parts.map(({ sql }) => sql).join(' AND '), values: parts.flatMap(({ values }) => values) };
}

function filtersOf({ states, changedAfter }: ChainQuery): SqlCondition[] {
  const filters: SqlCondition[] = [];
  if (changedAfter !== undefined) filters.push({ sql: 'changed_at > ?', values: [changedAfter] });
  if (states) {
    const parts = states.map(({ waitsFor, isFirst }) => {
      const conditions = ['chain_state = ?'];
      if (waitsFor === 'approvals') conditions.push(FOR_APPROVALS);
      if (waitsFor === 'answers') conditions.push(`NOT ${FOR_APPROVALS}`);
      if (isFirst !== undefined) conditions.push(`root_run_id IS ${isFirst ? '' : 'NOT '}NULL`);
      return `(${conditions.join(' AND ')})`;
    });
    filters.push({ sql: `(${parts.join(' OR ') || '1 = 0'})`, values: states.map(({ state }) => state) });
  }
  return filters;
}

function cursorOf({ changedAt, root }: RunChain): string {
  return Buffer.from(`${changedAt}.${root.runId}`).toString('base64url');
}

/** @throws AppError INVALID_PARAMETER */
function positionOf(cursor: string): SqlValue[] {
  const match = /^(\d{1,16})\.(.{1,128})$/su.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match || !isStorable(match[2] ?? '')) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
  return [Number(match[1]), match[2] ?? ''];
}

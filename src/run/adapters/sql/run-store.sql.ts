import { Injectable } from '@nestjs/common';
import {
  AppError,
  isStorable,
  type JsonObject,
  type Principal,
  type Reach,
  type TenantSelection,
} from '../../../common/index.js';
import {
  chunkPlace,
  RequestDatabase,
  queryable,
  reachCondition,
  RunEntity,
  runPlace,
  type SqlValue,
  type TenantSeal,
  tenantCondition,
  type Transaction,
} from '../../../database/index.js';
import {
  type ActiveCount,
  type AwaitedRun,
  type NewRun,
  type RunQuery,
  RunStore,
  type UnstartedEnd,
  type WatchFindings,
} from '../../ports/run-store.js';
import type { RunRecord } from '../../run-record.js';
import { countActiveOf, isQueueFull } from './active-counts.sql.js';
import { jsonText, newRecord, RUN_COLUMNS, type RunRow, runRecord, runRecords, insertOf } from './run.row.js';
import { INSERT_CHUNK } from './run-log.sql.js';
import { watch } from './watch-query.sql.js';

const SELECT = `SELECT ${RUN_COLUMNS} FROM runs`;
const ACTIVE = `status IN ('queued', 'running')`;
const OWN_SESSION = `session_no = (SELECT s.no FROM sessions s WHERE s.tenant_id = ? AND s.user_id = ? AND s.id = ?)`;

/** The run of a session that has a key. */
export const FIND_BY_KEY = `${SELECT} WHERE run_key = ? AND ${OWN_SESSION}`;
const GET = `${SELECT} WHERE no = ?`;
const NEWEST_INTERRUPTED = `${SELECT} WHERE session_no = ? AND status = 'interrupted' ORDER BY ordinal DESC LIMIT 1`;
const NEWEST_BEFORE = `${SELECT} WHERE session_no = ? AND ordinal < ? AND keep <> 'rolled_back' ORDER BY ordinal DESC LIMIT 1`;
const CLOSE = `UPDATE runs SET closed_at = ? WHERE no = ? AND closed_at IS NULL AND status = 'interrupted'`;
const LISTED = `(keep <> 'transient' OR ${ACTIVE})`;
const NEXT = `${SELECT} WHERE ${OWN_SESSION} AND ordinal > ? AND ${LISTED} ORDER BY ordinal LIMIT 1`;
const NEXT_QUEUED = `${SELECT} WHERE session_no = ? AND ordinal > ? AND status = 'queued' ORDER BY ordinal LIMIT 1`;
const LATER = `SELECT 1 AS yes FROM runs WHERE session_no = ? AND ordinal > ? AND (keep = 'kept' OR ${ACTIVE}) LIMIT 1`;
const QUEUED_BEFORE = `SELECT COUNT(*) AS n FROM runs WHERE session_no = ? AND ordinal < ? AND status = 'queued'`;
const COUNT_ACTIVE = `SELECT COUNT(*) AS active, COUNT(CASE WHEN status = 'queued' THEN 1 END) AS queued FROM runs
  WHERE session_no = ? AND ${ACTIVE}`;
const OF_SESSION = 'SELECT no, finished_at FROM runs WHERE session_no = ?';
const ACTIVE_OF_SESSION = `${SELECT} WHERE session_no = ? AND ${ACTIVE}`;
const LOCK_ACTIVE = `
  SELECT r.no FROM runs r JOIN sessions s ON s.no = r.session_no
  WHERE s.tenant_id = ? AND s.user_id = ? AND s.id = ? AND r.status IN ('queued', 'running')
  ORDER BY r.no FOR UPDATE OF r`;

const REQUEST_CANCEL = `UPDATE runs SET cancel_requested_at = ? WHERE no = ? AND cancel_requested_at IS NULL`;
const END_UNSTARTED = `
  UPDATE runs SET status = ?, error = ?, next_seq = ?, finished_at = ?
  WHERE no = ? AND status = 'queued' AND next_seq = 0
  RETURNING ${RUN_COLUMNS}`;
const OVERDUE = `${SELECT} WHERE status = 'queued' AND next_seq = 0 AND created_at < ? ORDER BY no LIMIT ?`;

const ROLL_BACK = `UPDATE runs SET keep = 'rolled_back' WHERE no = ? AND keep <> 'rolled_back' RETURNING tenant_id, session_no, ordinal, state_before`;
const NEXT_WITH_STATE = `
  FROM runs WHERE session_no = ? AND ordinal > ? AND keep <> 'rolled_back' AND state_before IS NOT NULL
  ORDER BY ordinal LIMIT 1`;
const PASS_STATE_BEFORE = `UPDATE runs SET state_before = ? WHERE no = (SELECT no ${NEXT_WITH_STATE})`;
/** Sealed, it is bound to the run. */
const PASSED_TO = `SELECT ordinal ${NEXT_WITH_STATE}`;

const ENDED_FROM = `${SELECT} WHERE session_no = ? AND ordinal >= ? AND keep = 'kept' AND finished_at IS NOT NULL ORDER BY ordinal`;

/** Ended runs whose events may be removed, oldest first. */
const PRUNABLE_OF = `${SELECT} WHERE events_pruned_at IS NULL AND finished_at < ? AND {tenants} ORDER BY finished_at LIMIT ?`;
/** Those of all tenants. */
export const PRUNABLE = PRUNABLE_OF.replace('{tenants}', '1 = 1');
/** Those of one tenant. */
export const PRUNABLE_OF_TENANT = PRUNABLE_OF.replace('{tenants}', 'tenant_id = ?');
const MARK_PRUNED = 'UPDATE runs SET events_pruned_at = ?, digests = ? WHERE no = ?';

/** The rows of runs in the ledger. */
@Injectable()
export class SqlRunStore extends RunStore {
  /** Fields, not methods, because accepting a run and claiming it are hot paths. */
  private readonly records = (rows: readonly RunRow[]): readonly RunRecord[] | Promise<readonly RunRecord[]> => {
    const { content } = this.database;
    return content.reading(() => rows.map((row) => runRecord(row, content)));
  };
  private readonly firstRecord = ([row]: readonly RunRow[]): RunRecord | undefined | Promise<RunRecord | undefined> => {
    const { content } = this.database;
    return row && content.reading(() => runRecord(row, content));
  };

  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async insert(tx: Transaction, run: NewRun): Promise<RunRecord> {
    const { lines, createdAt } = run;
    const sql = queryable(tx);
    const { content } = this.database;
    const seal = content.isSealing ? await content.of(run.principal.tenantId, sql) : undefined;
    const [row] = await sql.all<{ no: number; place: number }>(...insertOf(run, this.database.dialect, seal));
    if (!row) throw new Error('the run was not inserted');
    if (lines.length > 0) sql.send(INSERT_CHUNK, [row.no, 0, lines.length, bodyOf(row.no, lines, seal), createdAt]);
    return newRecord(run, row);
  }

  find(reach: Reach, runId: string, tx?: Transaction): Promise<RunRecord | undefined> {
    return this.findWithin(reach, runId, '', tx);
  }

  findForUpdate(tx: Transaction, reach: Reach, runId: string): Promise<RunRecord | undefined> {
    return this.findWithin(reach, runId, forUpdate(tx), tx);
  }

  findByKey(
    { tenantId, userId }: Principal,
    sessionId: string,
    runKey: string,
    tx?: Transaction,
  ): Promise<RunRecord | undefined> {
    if (![userId, sessionId, runKey].every(isStorable)) return NONE;
    return this.first(FIND_BY_KEY, [runKey, tenantId, userId, sessionId], tx);
  }

  findNewestByKey(reach: Reach, runKey: string): Promise<RunRecord | undefined> {
    if (!isStorable(runKey)) return NONE;
    const owner = reachCondition(reach);
    const newest = `SELECT MAX(no) FROM runs WHERE ${owner.sql} AND run_key = ? AND (keep = 'kept' OR ${ACTIVE}) GROUP BY user_id LIMIT 2`;
    return this.all(`${SELECT} WHERE no IN (${newest})`, [...owner.values, runKey]).then(onlyRecord);
  }

  get(tx: Transaction, rowId: number): Promise<RunRecord | undefined> {
    return this.first(GET, [rowId], tx);
  }

  findWaitingFor(reach: Reach, interruptIds: readonly string[]): Promise<RunRecord | undefined> {
    const owner = reachCondition(reach);
    const marks = interruptIds.map(() => '?').join(', ');
    const sql = `${SELECT} WHERE no = (
      SELECT MAX(waiting_run_no) FROM interrupts WHERE ${owner.sql} AND id IN (${marks}))`;
    return this.first(sql, [...owner.values, ...interruptIds]);
  }

  newestInterrupted(tx: Transaction, sessionRowId: number): Promise<RunRecord | undefined> {
    return this.first(NEWEST_INTERRUPTED, [sessionRowId], tx);
  }

  newestBefore(tx: Transaction, sessionRowId: number, ordinal: number): Promise<RunRecord | undefined> {
    return this.first(NEWEST_BEFORE, [sessionRowId, ordinal], tx);
  }

  async close(tx: Transaction, rowId: number, now: number): Promise<void> {
    await queryable(tx).run(CLOSE, [now, rowId]);
  }

  async list(principal: Principal, sessionId: string, query: RunQuery): Promise<readonly RunRecord[]> {
    const { tenantId, userId } = principal;
    if (!isStorable(sessionId) || !isStorable(userId)) return [];
    const values: SqlValue[] = [tenantId, userId, sessionId];
    let where = '';
    if (query.before !== undefined) {
      where += ' AND ordinal < ?';
      values.push(query.before);
    }
    if (query.states) {
      where += ` AND status IN (${query.states.map(() => '?').join(', ') || 'NULL'})`;
      values.push(...query.states);
    }
    const sql = `${SELECT} WHERE ${OWN_SESSION}${where} AND ${LISTED} ORDER BY ordinal DESC LIMIT ?`;
    return this.all(sql, [...values, query.limit]);
  }

  next(principal: Principal, sessionId: string, afterOrdinal: number): Promise<RunRecord | undefined> {
    const { tenantId, userId } = principal;
    if (!isStorable(sessionId) || !isStorable(userId)) return NONE;
    return this.first(NEXT, [tenantId, userId, sessionId, afterOrdinal]);
  }

  watch(runRowIds: readonly number[], waits: readonly AwaitedRun[], withinMs = 0): Promise<WatchFindings> {
    return watch(this.database, runRowIds, waits, withinMs);
  }

  nextQueued(tx: Transaction, sessionRowId: number, afterOrdinal: number): Promise<RunRecord | undefined> {
    return this.first(NEXT_QUEUED, [sessionRowId, afterOrdinal], tx);
  }

  async hasLater(tx: Transaction, sessionRowId: number, ordinal: number): Promise<boolean> {
    return (await queryable(tx).all(LATER, [sessionRowId, ordinal])).length > 0;
  }

  async queuedBefore({ sessionRowId, ordinal }: RunRecord, tx?: Transaction): Promise<number> {
    const source = tx ? queryable(tx) : this.database.read;
    const [row] = await source.all<{ n: number }>(QUEUED_BEFORE, [sessionRowId, ordinal]);
    return row?.n ?? 0;
  }

  async countActive(tx: Transaction, sessionRowId: number): Promise<ActiveCount> {
    const [row] = await queryable(tx).all<ActiveCount>(COUNT_ACTIVE, [sessionRowId]);
    return row ?? { active: 0, queued: 0 };
  }

  countActiveOf(tx: Transaction, owner: Principal): Promise<{ user: number; tenant: number }> {
    return countActiveOf(queryable(tx), owner);
  }

  isQueueFull(tx: Transaction, limit: number, tenantId?: string): Promise<boolean> {
    return isQueueFull(queryable(tx), limit, tenantId);
  }

  active(sessionRowId: number): Promise<readonly RunRecord[]> {
    return this.all(`${ACTIVE_OF_SESSION} ORDER BY no`, [sessionRowId]);
  }

  activeForUpdate(tx: Transaction, sessionRowId: number): Promise<readonly RunRecord[]> {
    return this.all(`${ACTIVE_OF_SESSION} ORDER BY ordinal DESC${forUpdate(tx)}`, [sessionRowId], tx);
  }

  async lockActive(tx: Transaction, { tenantId, userId }: Principal, sessionId: string): Promise<void> {
    const sql = queryable(tx);
    if (sql.dialect === 'postgres') await sql.all(LOCK_ACTIVE, [tenantId, userId, sessionId]);
  }

  async ofSessionForUpdate(
    tx: Transaction,
    sessionRowId: number,
  ): Promise<readonly Pick<RunRecord, 'rowId' | 'finishedAt'>[]> {
    const sql = OF_SESSION + forUpdate(tx);
    const rows = await queryable(tx).all<Pick<RunRow, 'no' | 'finished_at'>>(sql, [sessionRowId]);
    return rows.map(({ no, finished_at: finishedAt }) => ({ rowId: no, finishedAt }));
  }

  async requestCancel(tx: Transaction, rowId: number, now: number): Promise<void> {
    await queryable(tx).run(REQUEST_CANCEL, [now, rowId]);
  }

  async endUnstarted(
    tx: Transaction,
    { rowId }: RunRecord,
    { state, error, lines }: UnstartedEnd,
    now: number,
  ): Promise<RunRecord | undefined> {
    const [ended] = await this.ofAll(END_UNSTARTED, [state, jsonText(error), lines.length, now, rowId], tx);
    if (!ended) return undefined;
    const seal = await this.database.content.of(ended.tenantId, queryable(tx));
    queryable(tx).send(INSERT_CHUNK, [rowId, 0, lines.length, bodyOf(rowId, lines, seal), now]);
    return ended;
  }

  overdue(createdBefore: number, limit: number): Promise<readonly RunRecord[]> {
    return this.ofAll(OVERDUE, [createdBefore, limit]);
  }

  overdueForUpdate(tx: Transaction, createdBefore: number, limit: number): Promise<readonly RunRecord[]> {
    return this.ofAll(OVERDUE + skipLocked(tx), [createdBefore, limit], tx);
  }

  async markRolledBack(tx: Transaction, rowId: number): Promise<{ stateBefore: JsonObject | null } | undefined> {
    const [row] = await queryable(tx).all<RolledBackRow>(ROLL_BACK, [rowId]);
    if (!row) return undefined;
    const { content } = this.database;
    const place = runPlace('state_before', row.session_no, row.ordinal);
    const stored = await content.reading(() => content.json(row.tenant_id, place, row.state_before));
    return { stateBefore: stored === null ? null : (JSON.parse(stored) as JsonObject) };
  }

  endedFrom(tx: Transaction, sessionRowId: number, ordinal: number): Promise<readonly RunRecord[]> {
    return this.all(ENDED_FROM, [sessionRowId, ordinal], tx);
  }

  async passStateBefore(tx: Transaction, run: RunRecord, state: JsonObject): Promise<boolean> {
    const { tenantId, sessionRowId, ordinal } = run;
    const sql = queryable(tx);
    let stored = JSON.stringify(state);
    if (this.database.content.isOn) {
      const [next] = await sql.all<{ ordinal: number }>(PASSED_TO, [sessionRowId, ordinal]);
      if (!next) return false;
      const seal = await this.database.content.of(tenantId, sql);
      stored = seal.json(runPlace('state_before', sessionRowId, next.ordinal), stored);
    }
    return (await sql.run(PASS_STATE_BEFORE, [stored, sessionRowId, ordinal])) > 0;
  }

  prunable(finishedBefore: number, limit: number, tenants: TenantSelection): Promise<readonly RunRecord[]> {
    const { sql, values } = tenantCondition(this.database.dialect, tenants);
    return this.ofAll(PRUNABLE_OF.replace('{tenants}', sql), [finishedBefore, ...values, limit]);
  }

  unprunedForUpdate(tx: Transaction, rowIds: readonly number[]): Promise<readonly RunRecord[]> {
    const marks = rowIds.map(() => '?').join(', ');
    return this.ofAll(`${SELECT} WHERE no IN (${marks}) AND events_pruned_at IS NULL${skipLocked(tx)}`, rowIds, tx);
  }

  async markPruned(tx: Transaction, run: RunRecord, summaries: JsonObject | null, now: number): Promise<void> {
    const seal = await this.database.content.of(run.tenantId, queryable(tx));
    const stored = seal.json(runPlace('digests', run.sessionRowId, run.ordinal), jsonText(summaries));
    queryable(tx).send(MARK_PRUNED, [now, stored, run.rowId]);
  }

  async remove(tx: Transaction, rowId: number): Promise<void> {
    await queryable(tx).manager.delete(RunEntity, { rowId });
  }

  async removeOfSession(tx: Transaction, sessionRowId: number): Promise<void> {
    await queryable(tx).manager.delete(RunEntity, { sessionRowId });
  }

  private findWithin(reach: Reach, runId: string, lock: string, tx?: Transaction): Promise<RunRecord | undefined> {
    if (!isStorable(runId)) return NONE;
    const owner = reachCondition(reach);
    const sql = `${SELECT} WHERE ${owner.sql} AND id = ? LIMIT 2${lock}`;
    return this.all(sql, [...owner.values, runId], tx).then(onlyRecord);
  }

  // Without `async`, because accepting a run and claiming it are hot paths: each call costs two promises.
  private all(sql: string, values: readonly SqlValue[], tx?: Transaction): Promise<readonly RunRecord[]> {
    return (tx ? queryable(tx) : this.database.read).all<RunRow>(sql, values).then(this.records);
  }

  /** As `all`, for runs of all tenants: none of them stops the work on the others. */
  private async ofAll(sql: string, values: readonly SqlValue[], tx?: Transaction): Promise<readonly RunRecord[]> {
    const rows = await (tx ? queryable(tx) : this.database.read).all<RunRow>(sql, values);
    return runRecords(rows, this.database.content);
  }

  private first(sql: string, values: readonly SqlValue[], tx?: Transaction): Promise<RunRecord | undefined> {
    return (tx ? queryable(tx) : this.database.read).all<RunRow>(sql, values).then(this.firstRecord);
  }
}

const NONE = Promise.resolve(undefined);

/** What the row of a run gives back that is rolled back. */
interface RolledBackRow {
  readonly tenant_id: string;
  readonly session_no: number;
  readonly ordinal: number;
  readonly state_before: string | null;
}

/** The first events of a run, as they are stored. */
function bodyOf(rowId: number, lines: readonly string[], seal: TenantSeal | undefined): string {
  const body = lines.join('\n');
  return seal ? seal.json(chunkPlace(rowId, 0), body) : body;
}

function onlyRecord([run, another]: readonly RunRecord[]): RunRecord | undefined {
  if (another) throw new AppError('AMBIGUOUS_ID');
  return run;
}

/** Locks the rows that a query finds, where reading alone does not exclude other writers. */
function forUpdate(tx: Transaction): string {
  return queryable(tx).dialect === 'postgres' ? ' FOR UPDATE' : '';
}

function skipLocked(tx: Transaction): string {
  return queryable(tx).dialect === 'postgres' ? ' FOR UPDATE SKIP LOCKED' : '';
}

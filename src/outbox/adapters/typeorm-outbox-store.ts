import { Injectable } from '@nestjs/common';
import { Clock, isStorable, type Reach } from '../../common/index.js';
import {
  chunkPlace,
  Database,
  queryable,
  reachCondition,
  type SqlValue,
  type Transaction,
  UnitOfWork,
} from '../../database/index.js';
import type { Erasure } from '../../data-protection/index.js';
import { LoggedEvent } from '../../events/index.js';
import { isToldAbout, type RunCause, type RunView } from '../../run/index.js';
import type { AfterRemoval, RemovedRun, RemovedSession } from '../../agent/session/index.js';
import { type Delivery, type NewRunHook, OutboxStore, type RunHook } from '../ports/outbox-store.js';

const HOOK_COLUMNS = 'h.no, h.channel, h.tenant_id, h.user_id, h.root_run_id, h.id, h.format, h.url, h.secrets';
const OF_CHAIN = 'tenant_id = ? AND user_id = ? AND root_run_id = ?';
/** One request to each hook of a chain. A cause that was written before is not written again. */
const INSERT = `
  INSERT INTO outbox (hook_no, run_no, run_id, seq, due_at, created_at)
  SELECT h.no, ?, ?, ?, ?, ? FROM run_hooks h WHERE ${OF_CHAIN}
  ON CONFLICT (hook_no, run_no, seq) DO NOTHING`;
const INSERT_EXPIRED = `
  INSERT INTO outbox (hook_no, run_no, run_id, seq, due_at, created_at)
  SELECT h.no, r.no, r.id, -1, ?, ? FROM run_hooks h JOIN runs r
    ON r.tenant_id = h.tenant_id AND r.user_id = h.user_id
      AND (r.root_run_id = h.root_run_id OR (r.id = h.root_run_id AND r.root_run_id IS NULL))
  WHERE r.status = 'interrupted' AND r.closed_at IS NULL
    AND EXISTS (SELECT 1 FROM interrupts i WHERE i.waiting_run_no = r.no
      AND (i.status = 'expired' OR (i.status = 'pending' AND i.expires_at <= ?)))
    AND NOT EXISTS (SELECT 1 FROM interrupts i WHERE i.waiting_run_no = r.no AND i.status = 'pending'
      AND (i.expires_at IS NULL OR i.expires_at > ?))
    AND NOT EXISTS (SELECT 1 FROM runs n WHERE n.session_no = r.session_no AND n.ordinal > r.ordinal)
  ON CONFLICT (hook_no, run_no, seq) DO NOTHING`;
/** The first request of each hook: what follows waits until it is over. */
const DUE = `
  SELECT o.no FROM outbox o WHERE o.status = 'waiting' AND o.due_at <= ?
    AND NOT EXISTS (SELECT 1 FROM outbox e WHERE e.hook_no = o.hook_no AND e.status = 'waiting' AND e.no < o.no)
  ORDER BY o.due_at, o.no LIMIT ?`;
const END = `UPDATE outbox SET status = ?, outcome = ?, ended_at = ?, attempts = attempts + 1 WHERE no = ? AND status = 'waiting'`;
const RETRY = `UPDATE outbox SET due_at = ?, outcome = ?, attempts = attempts + 1 WHERE no = ? AND status = 'waiting'`;

const OLDEST = "SELECT MIN(created_at) AS oldest FROM outbox WHERE status = 'waiting'";

interface HookRow {
  readonly no: number;
  readonly channel: string;
  readonly tenant_id: string;
  readonly user_id: string;
  readonly root_run_id: string;
  readonly id: string;
  readonly format: string;
  readonly url: string;
  readonly secrets: string;
}

interface DeliveryRow extends HookRow {
  readonly delivery_no: number;
  readonly run_id: string;
  readonly seq: number;
  readonly attempts: number;
}

/** The outbox in the database. */
@Injectable()
export class TypeOrmOutboxStore extends OutboxStore {
  private lastWriteAt = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {
    super();
  }

  get quietMs(): number {
    return performance.now() - this.lastWriteAt;
  }

  putHook(
    { tenantId, userId, runId }: Pick<RunView, 'tenantId' | 'userId' | 'runId'>,
    hook: NewRunHook,
    { most, fromStart }: { readonly most: number; readonly fromStart: boolean },
  ): Promise<boolean> {
    const owner = [tenantId, userId, runId];
    const now = this.clock.now();
    return this.unitOfWork.write(async (tx) => {
      const sql = queryable(tx);
      const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : '';
      // The runs of the chain write nothing meanwhile: each of their events is announced by them, or here.
      const runs = await sql.all<{ no: number; id: string; next_seq: number }>(
        `SELECT no, id, next_seq FROM runs WHERE tenant_id = ? AND user_id = ?
         AND (root_run_id = ? OR (id = ? AND root_run_id IS NULL)) ORDER BY no${lock}`,
        [tenantId, userId, runId, runId],
      );
      const known = await sql.all<{ no: number; id: string }>(
        `SELECT no, id FROM run_hooks WHERE ${OF_CHAIN} AND channel = ?`,
        [...owner, hook.channel],
      );
      const same = known.find(({ id }) => id === hook.id);
      if (same) {
        await sql.run('UPDATE run_hooks SET format = ?, url = ?, secrets = ? WHERE no = ?', [
          hook.format,
          hook.url,
          hook.secrets,
          same.no,
        ]);
        return true;
      }
      if (known.length >= most) return false;
      await sql.run(
        `INSERT INTO run_hooks (channel, tenant_id, user_id, root_run_id, id, format, url, secrets, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [hook.channel, ...owner, hook.id, hook.format, hook.url, hook.secrets, now],
      );
      if (!fromStart) return true;
      for (const run of runs) {
        for (const seq of await this.toldEvents(tx, tenantId, run.no)) {
          this.lastWriteAt = performance.now();
          await sql.run(INSERT, [run.no, run.id, seq, now, now, ...owner]);
        }
      }
      return true;
    });
  }

  async hooks(reach: Reach, rootRunId: string, channel: string): Promise<readonly RunHook[]> {
    if (!isStorable(rootRunId)) return [];
    const owner = reachCondition(reach, 'h');
    const sql = `SELECT ${HOOK_COLUMNS} FROM run_hooks h WHERE ${owner.sql} AND h.root_run_id = ? AND h.channel = ? ORDER BY h.no`;
    const rows = await this.database.read.all<HookRow>(sql, [...owner.values, rootRunId, channel]);
    return rows.map(hookOf);
  }

  removeHook(rowId: number): Promise<void> {
    return this.unitOfWork.write(async (tx) => {
      await queryable(tx).run('DELETE FROM outbox WHERE hook_no = ?', [rowId]);
      await queryable(tx).run('DELETE FROM run_hooks WHERE no = ?', [rowId]);
    });
  }

  async write(tx: Transaction, { run, events, at }: RunCause): Promise<void> {
    const owner: SqlValue[] = [run.tenantId, run.userId, run.rootRunId];
    const [hook] = await queryable(tx).all(`SELECT no FROM run_hooks WHERE ${OF_CHAIN} LIMIT 1`, owner);
    if (!hook) return;
    this.lastWriteAt = performance.now();
    for (const seq of events === 'closed' ? [-1] : events) {
      await queryable(tx).run(INSERT, [run.rowId, run.id, seq, at, at, ...owner]);
    }
  }

  writeExpired(): Promise<number> {
    const now = this.clock.now();
    return this.unitOfWork.write((tx) => queryable(tx).run(INSERT_EXPIRED, [now, now, now, now]));
  }

  async isAnyDue(withinMs: number): Promise<boolean> {
    return (await this.database.looks.soon(DUE, [this.clock.now(), 1], withinMs)).length > 0;
  }

  async claim(leaseMs: number, limit: number): Promise<readonly Delivery[]> {
    const now = this.clock.now();
    // Reads before it takes the write lock: usually there is none.
    if (!(await this.isAnyDue(0))) return [];
    return this.unitOfWork.write(async (tx) => {
      const sql = queryable(tx);
      const lock = sql.dialect === 'postgres' ? ' FOR UPDATE OF o SKIP LOCKED' : '';
      const due = await sql.all<{ no: number }>(DUE + lock, [now, limit]);
      if (due.length === 0) return [];
      const marks = due.map(() => '?').join(', ');
      const rowIds = due.map(({ no }) => no);
      await sql.run(`UPDATE outbox SET due_at = ? WHERE no IN (${marks})`, [now + leaseMs, ...rowIds]);
      const rows = await sql.all<DeliveryRow>(
        `SELECT o.no AS delivery_no, o.run_id, o.seq, o.attempts, ${HOOK_COLUMNS}
         FROM outbox o JOIN run_hooks h ON h.no = o.hook_no WHERE o.no IN (${marks}) ORDER BY o.no`,
        rowIds,
      );
      return rows.map((row) => {
        const { delivery_no: rowId, run_id: runId, seq, attempts } = row;
        return { rowId, runId, seq, attempts, hook: hookOf(row) };
      });
    });
  }

  async end(rowId: number, status: 'sent' | 'failed', outcome: string): Promise<void> {
    const now = this.clock.now();
    await this.unitOfWork.write((tx) => queryable(tx).run(END, [status, outcome.slice(0, 200), now, rowId]));
  }

  async retry(rowId: number, pauseMs: number, outcome: string): Promise<void> {
    const dueAt = this.clock.now() + pauseMs;
    await this.unitOfWork.write((tx) => queryable(tx).run(RETRY, [Math.round(dueAt), outcome.slice(0, 200), rowId]));
  }

  async oldestWaiting(): Promise<number | undefined> {
    const [row] = await this.database.read.all<{ oldest: number | string | null }>(OLDEST);
    const oldest = row?.oldest ?? undefined;
    return oldest === undefined ? undefined : Number(oldest);
  }

  async prune(keptMs: number): Promise<void> {
    const endedBefore = this.clock.now() - keptMs;
    await this.unitOfWork.write((tx) => queryable(tx).run('DELETE FROM outbox WHERE ended_at < ?', [endedBefore]));
  }

  /** Removes what belongs to the runs of a session. */
  async cleanSession(tx: Transaction, { rowId, tenantId, userId }: RemovedSession): Promise<AfterRemoval | undefined> {
    const ofSession = 'SELECT r.id FROM runs r WHERE r.session_no = ?';
    const hooks = `SELECT h.no FROM run_hooks h WHERE h.tenant_id = ? AND h.user_id = ? AND h.root_run_id IN (${ofSession})`;
    await this.clean(tx, hooks, [tenantId, userId, rowId]);
    return undefined;
  }

  /** Removes what belongs to a run. */
  async cleanRun(tx: Transaction, { tenantId, userId, runId }: RemovedRun): Promise<AfterRemoval | undefined> {
    const hooks = `SELECT h.no FROM run_hooks h WHERE h.tenant_id = ? AND h.user_id = ? AND h.root_run_id = ?`;
    await this.clean(tx, hooks, [tenantId, userId, runId]);
    return undefined;
  }

  /** Removes the hooks of a user whose runs are gone. */
  async cleanUser({ user: { tenantId, userId }, write }: Erasure): Promise<void> {
    const hooks = 'SELECT h.no FROM run_hooks h WHERE h.tenant_id = ? AND h.user_id = ?';
    await write((tx) => this.clean(tx, hooks, [tenantId, userId]));
  }

  private async clean(
    tx: Transaction,
    hooks: string,
    values: readonly SqlValue[],
  ): Promise<{ readonly pushDeliveries: number; readonly runHooks: number }> {
    return {
      pushDeliveries: await queryable(tx).run(`DELETE FROM outbox WHERE hook_no IN (${hooks})`, [...values]),
      runHooks: await queryable(tx).run(`DELETE FROM run_hooks WHERE no IN (${hooks})`, [...values]),
    };
  }

  private async toldEvents(tx: Transaction, tenantId: string, runRowId: number): Promise<readonly number[]> {
    const { content } = this.database;
    const rows = await queryable(tx).all<{ first_seq: number; body: string }>(
      'SELECT first_seq, body FROM run_event_chunks WHERE run_no = ? ORDER BY first_seq',
      [runRowId],
    );
    return content.reading(() =>
      rows.flatMap(({ first_seq, body }) =>
        content
          .json(tenantId, chunkPlace(runRowId, first_seq), body)
          .split('\n')
          .flatMap((line, index) => (isToldAbout(new LoggedEvent(first_seq + index, line)) ? [first_seq + index] : [])),
      ),
    );
  }
}

function hookOf(row: HookRow): RunHook {
  const {
    no: rowId,
    channel,
    tenant_id: tenantId,
    user_id: userId,
    root_run_id: rootRunId,
    id,
    format,
    url,
    secrets,
  } = row;
  return { rowId, channel, tenantId, userId, rootRunId, id, format, url, secrets };
}

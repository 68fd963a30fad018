import { Injectable } from '@nestjs/common';
import { Database, DATABASE_NOW, type Queryable } from '../../database/index.js';
import { type Lease, RunLeases, type SweepFindings } from '../ports/run-leases.js';
import type { Ticket } from '../ports/run-tickets.js';
import type { RunRecord } from '../run-record.js';
import { RUN_COLUMNS, type RunRow, runRecord } from './run-row.js';
import { LONG_WAITING, pickNumbered, pickQueued, ticketOf, type TicketRow } from './queue-order.js';
import { LOST, sweepFindings } from './sweep-query.js';

/** The time an attempt took: until now, or until the end of a lease that an earlier version did not renew. */
const USED = `
  used_ms = used_ms + CASE
    WHEN claimed_at IS NULL OR status <> 'running' OR claimed_at > {now} THEN 0
    WHEN lease_until > claimed_at AND lease_until < {now} THEN lease_until - claimed_at
    ELSE {now} - claimed_at END`;

/** The database's clock may be behind that of the process which accepted the run. */
const CLAIM = `
  UPDATE runs SET status = 'running', attempt = attempt + 1, fence = fence + 1, ${USED}, claimed_at = {now},
    lease_owner = ?, lease_until = ?,
    started_at = COALESCE(started_at, CASE WHEN created_at > {now} THEN created_at ELSE {now} END)
  WHERE no = ? AND (status = 'queued' OR (status = 'running' AND lease_until < {now}))
  RETURNING ${RUN_COLUMNS}`;

const RELEASE = `
  UPDATE runs SET status = 'queued', attempt = attempt - 1, ${USED}, claimed_at = NULL, lease_owner = NULL,
    lease_until = 0
  WHERE no = ? AND fence = ? AND status = 'running'`;

/** Without an owner, so that the next sweeps do not find it as a run to be given up. */
const GIVE_UP = `
  UPDATE runs SET ${USED}, claimed_at = NULL, lease_owner = NULL, lease_until = 0
  WHERE no = ? AND fence = ? AND status = 'running'`;

const FIRST_OF_SESSION = `
  SELECT no, fence, tenant_id, place, status FROM runs WHERE session_no = ? AND status IN ('queued', 'running')
  ORDER BY ordinal LIMIT 1`;

/** What a sweep does waits for no lock for long: it comes again. */
const SWEEP = { lockWaitMs: 500 };

/** Leases as columns of the rows of runs. */
@Injectable()
export class TypeOrmRunLeases extends RunLeases {
  constructor(private readonly database: Database) {
    super();
  }

  async claim(lease: Lease, limit: number, perTenant?: number): Promise<readonly RunRecord[]> {
    return this.database.writePatiently(async (tx) => {
      const lock = tx.dialect === 'postgres' ? ' FOR UPDATE OF r SKIP LOCKED' : '';
      const lost = await tx.all<{ no: number }>(this.sql(LOST) + lock, [limit]);
      const queued = await pickQueued(tx, { limit: limit - lost.length, owner: lease.owner, perTenant });
      return this.take(tx, lease, [...lost.map(({ no }) => no), ...queued]);
    }, SWEEP);
  }

  async claimQueued(lease: Lease, rowIds: readonly number[]): Promise<readonly RunRecord[]> {
    if (rowIds.length === 0) return [];
    return this.database.writePatiently(async (tx) => this.take(tx, lease, await pickNumbered(tx, rowIds)));
  }

  async release(runRowId: number, fence: number): Promise<void> {
    await this.database.writePatiently((tx) => tx.run(this.sql(RELEASE), [runRowId, fence]));
  }

  async giveUp(runRowId: number, fence: number): Promise<void> {
    await this.database.writePatiently((tx) => tx.run(this.sql(GIVE_UP), [runRowId, fence]), SWEEP);
  }

  sweep(owner: string): Promise<SweepFindings> {
    return sweepFindings(this.database, owner);
  }

  async nextOf(sessionRowId: number): Promise<Ticket | undefined> {
    // What it finds is claimed, which is a write.
    const [row] = await this.database.readUnsynced.all<TicketRow & { status: string }>(FIRST_OF_SESSION, [
      sessionRowId,
    ]);
    return row?.status === 'queued' ? ticketOf(row) : undefined;
  }

  async longWaiting(limit: number): Promise<readonly Ticket[]> {
    const rows = await this.database.patientRead.all<TicketRow>(this.sql(LONG_WAITING), [limit]);
    return rows.map((row) => Object.assign(ticketOf(row), { isUrgent: true }));
  }

  /** Claims rows that this transaction has locked. */
  private async take(tx: Queryable, lease: Lease, rowIds: readonly number[]): Promise<readonly RunRecord[]> {
    const claimed: RunRecord[] = [];
    for (const no of rowIds) {
      const values = [lease.owner, lease.until, no];
      claimed.push(...(await tx.all<RunRow>(this.sql(CLAIM), values)).map(runRecord));
    }
    return claimed;
  }

  private sql(text: string): string {
    return text.replaceAll('{now}', DATABASE_NOW[this.database.dialect]);
  }
}

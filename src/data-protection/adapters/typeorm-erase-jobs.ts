import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Principal } from '../../common/index.js';
import {
  Database,
  DATABASE_NOW,
  EraseJobEntity,
  lockedOn,
  type Queryable,
  queryable,
  refuseErased,
  type SqlValue,
  type Transaction,
} from '../../database/index.js';
import type { EraseReceipt, ErasureStatus, EraseTurn } from '../erase-job.js';
import { EraseJobs, type NewEraseJob } from '../ports/erase-jobs.js';
import type { ErasedCounts } from '../user-cleaners.js';

const ADD = `
  INSERT INTO erase_jobs (id, tenant_id, user_id, subject, pseudonym, status, due_at, requested_at)
  VALUES (?, ?, ?, ?, ?, 'erasing', 0, ?)
  ON CONFLICT (tenant_id, user_id) WHERE user_id IS NOT NULL DO NOTHING`;
const KNOWN = 'SELECT pseudonym FROM user_pseudonyms WHERE tenant_id = ? AND user_id = ? ORDER BY created_at LIMIT 1';
const TAKE = `
  UPDATE erase_jobs SET due_at = {now} + ?, fence = fence + 1
  WHERE no = (SELECT no FROM erase_jobs WHERE status <> 'done' AND due_at <= {now} ORDER BY due_at, no LIMIT 1)
    AND due_at <= {now}
  RETURNING no, id, tenant_id, user_id, pseudonym, fence`;
const DUE = `SELECT 1 AS yes FROM erase_jobs WHERE status <> 'done' AND due_at <= {now} LIMIT 1`;
const KEEP = `UPDATE erase_jobs SET due_at = {now} + ? WHERE no = ? AND fence = ? AND status <> 'done'`;
const FORGET = `
  UPDATE erase_jobs SET user_id = NULL, pseudonym = NULL, status = 'clearing' WHERE no = ? AND fence = ?`;
const FINISH = `UPDATE erase_jobs SET status = 'done', finished_at = ? WHERE no = ? AND fence = ?`;
/** Transactions get their numbers in order, with their first write. */
const MOMENT = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS moment';
const PAST = 'SELECT (pg_snapshot_xmin(pg_current_snapshot()) >= ?::xid8) AS past';

interface TurnRow {
  readonly no: number;
  readonly id: string;
  readonly tenant_id: string;
  readonly user_id: string | null;
  readonly pseudonym: string | null;
  readonly fence: number;
}

/** The table `erase_jobs`. */
@Injectable()
export class TypeOrmEraseJobs extends EraseJobs {
  constructor(private readonly database: Database) {
    super();
  }

  async add(tx: Transaction, job: NewEraseJob): Promise<{ readonly jobId: string; readonly isNew: boolean }> {
    const { id, user, subject, requestedAt } = job;
    const { tenantId, userId } = user;
    const sql = queryable(tx);
    // The one of the audit trail, so that both tell of the same person for as long as anybody knows who it was.
    const [known] = await sql.all<{ pseudonym: string }>(KNOWN, [tenantId, userId]);
    const values = [id, tenantId, userId, subject, known?.pseudonym ?? `usr_${randomUUID()}`, requestedAt];
    if ((await sql.run(ADD, values)) === 1) return { jobId: id, isNew: true };
    const other = await sql.manager.findOneBy(EraseJobEntity, { tenantId, userId });
    // The other one may have ended between the two statements.
    return other ? { jobId: other.id, isNew: false } : this.add(tx, job);
  }

  refuse(tx: Transaction, user: Principal): Promise<void> {
    return refuseErased(queryable(tx), user);
  }

  async find(tenantId: string, subjects: readonly string[]): Promise<EraseReceipt | undefined> {
    const found = await this.database.read.manager.findOne(EraseJobEntity, {
      where: { tenantId, subject: In([...subjects]) },
      order: { rowId: 'DESC' },
    });
    return found ? receiptOf(found) : undefined;
  }

  async isAnyDue(withinMs: number): Promise<boolean> {
    return (await this.database.looks.soon(this.sql(DUE), [], withinMs)).length > 0;
  }

  async take(holdMs: number): Promise<EraseTurn | undefined> {
    if ((await this.database.read.all(this.sql(DUE))).length === 0) return undefined;
    const [row] = await this.database.write((tx) => tx.all<TurnRow>(this.sql(TAKE), [holdMs]));
    if (!row) return undefined;
    const { no: rowId, id: jobId, tenant_id: tenantId, user_id: userId, pseudonym, fence } = row;
    const isNamed = userId !== null && pseudonym !== null;
    return { rowId, jobId, tenantId, fence, erased: isNamed ? { user: { tenantId, userId }, pseudonym } : null };
  }

  async keep({ rowId, fence }: EraseTurn, holdMs: number): Promise<boolean> {
    return (await this.database.write((tx) => tx.run(this.sql(KEEP), [holdMs, rowId, fence]))) > 0;
  }

  async note(tx: Transaction, { rowId, fence }: EraseTurn, added: ErasedCounts): Promise<void> {
    const { manager, dialect } = queryable(tx);
    const job = await manager.findOne(EraseJobEntity, { where: { rowId, fence }, ...lockedOn(dialect) });
    if (!job) throw new Error('Another process has taken the erasure');
    const counts: Record<string, number> = { ...countsIn(job) };
    for (const [kind, count] of Object.entries(added)) if (count > 0) counts[kind] = (counts[kind] ?? 0) + count;
    await manager.update(EraseJobEntity, { rowId }, { counts: JSON.stringify(counts) });
  }

  async forget(tx: Transaction, { rowId, fence }: EraseTurn): Promise<void> {
    const changed = await queryable(tx).run(FORGET, [rowId, fence]);
    if (changed === 0) throw new Error('Another process has taken the erasure');
  }

  clearRemoved(): Promise<void> {
    return this.database.clearRemoved();
  }

  async finish({ rowId, fence }: EraseTurn, now: number): Promise<boolean> {
    return (await this.database.write((tx) => tx.run(FINISH, [now, rowId, fence]))) > 0;
  }

  async moment(): Promise<string> {
    const [row] = await this.onPostgres<{ moment: string }>(MOMENT);
    return row?.moment ?? '';
  }

  async isPast(moment: string): Promise<boolean> {
    const [row] = await this.onPostgres<{ past: boolean }>(PAST, [moment]);
    return row?.past ?? true;
  }

  /** SQLite has one writer, who sees what was committed: there, nothing is under way. */
  private onPostgres<Row>(sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    const { read, dialect }: { read: Queryable; dialect: string } = this.database;
    return dialect === 'postgres' ? read.all<Row>(sql, values) : Promise.resolve([]);
  }

  private sql(text: string): string {
    return text.replaceAll('{now}', DATABASE_NOW[this.database.dialect]);
  }
}

function receiptOf(job: EraseJobEntity): EraseReceipt {
  return {
    jobId: job.id,
    status: job.status as ErasureStatus,
    requestedAt: Number(job.requestedAt),
    finishedAt: job.finishedAt === null ? null : Number(job.finishedAt),
    counts: countsIn(job),
  };
}

function countsIn({ counts }: EraseJobEntity): ErasedCounts {
  return JSON.parse(counts) as ErasedCounts;
}

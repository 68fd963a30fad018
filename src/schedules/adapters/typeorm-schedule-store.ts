import { Injectable } from '@nestjs/common';
import { Between, type FindOptionsWhere, In, LessThan } from 'typeorm';
import type { Authority, JsonObject, Reach } from '../../common/index.js';
import {
  Database,
  DATABASE_NOW,
  lockRows,
  queryable,
  RunEntity,
  ScheduleEntity,
  type Transaction,
} from '../../database/index.js';
import type { Plan } from '../plan.js';
import { type ScheduleChanges, ScheduleStore } from '../ports/schedule-store.js';
import type { CatchUp, DueSchedule, NewSchedule, Overlap, Schedule, ScheduledRun } from '../schedule.types.js';

/** Schedules in the server's database. */
@Injectable()
export class TypeOrmScheduleStore extends ScheduleStore {
  private readonly sqlNow: string;

  constructor(private readonly database: Database) {
    super();
    this.sqlNow = DATABASE_NOW[database.dialect];
  }

  async insert(tx: Transaction, schedule: NewSchedule): Promise<void> {
    const { id, tenantId, userId, origin, createdAt, ...changes } = schedule;
    const columns = { id, tenantId, userId, origin, createdAt, ...columnsOf(changes) };
    await queryable(tx).manager.insert(ScheduleEntity, columns);
  }

  async countForUpdate(tx: Transaction, tenantId: string): Promise<number> {
    const { manager, dialect } = queryable(tx);
    if (dialect === 'postgres')
      await manager.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`parley schedules ${tenantId}`]);
    return manager.countBy(ScheduleEntity, { tenantId });
  }

  async list(reach: Reach, limit: number, before?: number): Promise<readonly Schedule[]> {
    const rows = await this.database.read.manager.find(ScheduleEntity, {
      where: { ...within(reach), ...(before !== undefined && { rowId: LessThan(before) }) },
      order: { rowId: 'DESC' },
      take: limit,
    });
    return rows.map(scheduleOf);
  }

  async find(reach: Reach, id: string): Promise<Schedule | undefined> {
    const row = await this.database.read.manager.findOneBy(ScheduleEntity, { ...within(reach), id });
    return row ? scheduleOf(row) : undefined;
  }

  async findForUpdate(tx: Transaction, reach: Reach, id: string): Promise<Schedule | undefined> {
    await lockRows(queryable(tx), 'schedules WHERE tenant_id = ? AND id = ?', [reach.tenantId, id], { key: 'no' });
    const row = await queryable(tx).manager.findOneBy(ScheduleEntity, { ...within(reach), id });
    return row ? scheduleOf(row) : undefined;
  }

  async update(tx: Transaction, rowId: number, changes: ScheduleChanges): Promise<void> {
    await queryable(tx).manager.update(ScheduleEntity, { rowId }, columnsOf(changes));
  }

  async remove(tx: Transaction, rowId: number): Promise<void> {
    await queryable(tx).manager.delete(ScheduleEntity, { rowId });
  }

  async removeOfUser(tx: Transaction, tenantId: string, userId: string): Promise<number> {
    return (await queryable(tx).manager.delete(ScheduleEntity, { tenantId, userId })).affected ?? 0;
  }

  async declared(): Promise<readonly Schedule[]> {
    return (await this.database.read.manager.findBy(ScheduleEntity, { origin: 'code' })).map(scheduleOf);
  }

  async untilDue(): Promise<number | undefined> {
    const [row] = await this.database.forRuns.readUnsynced.all<{ wait: number | string | null }>(
      `SELECT MIN(due_at) - ${this.sqlNow} AS wait FROM schedules`,
    );
    const wait = row?.wait ?? null;
    return wait === null ? undefined : Number(wait);
  }

  async claim(leaseMs: number, limit: number): Promise<readonly DueSchedule[]> {
    return this.database.forRuns.write(async (tx) => {
      const { manager } = tx;
      const isDue = `schedules WHERE due_at <= ${this.sqlNow} ORDER BY due_at, no LIMIT ?`;
      const rowIds = await lockRows<number>(tx, isDue, [limit], { key: 'no', skipLocked: true });
      if (rowIds.length === 0) return [];
      const due = await manager.findBy(ScheduleEntity, { rowId: In([...rowIds]) });
      const [clock] = await tx.all<{ now: number }>(`SELECT ${this.sqlNow} AS now`);
      const now = Number(clock?.now);
      await manager
        .createQueryBuilder()
        .update(ScheduleEntity)
        .set({ dueAt: now + leaseMs })
        .whereInIds(due.map(({ rowId }) => rowId))
        .execute();
      return due.map((row) => ({ schedule: scheduleOf({ ...row, dueAt: now + leaseMs }), now }));
    });
  }

  async advance(tx: Transaction, { rowId, nextAt, dueAt }: Schedule, changes: ScheduleChanges): Promise<boolean> {
    const { affected } = await queryable(tx)
      .manager.createQueryBuilder()
      .update(ScheduleEntity)
      .set(columnsOf(changes))
      .where('no = :rowId AND next_at = :nextAt AND due_at = :dueAt', { rowId, nextAt, dueAt })
      .execute();
    return affected === 1;
  }

  async noteRun(tx: Transaction, { rowId }: Schedule, lastRunId: string, lastAt: number): Promise<void> {
    await queryable(tx)
      .manager.createQueryBuilder()
      .update(ScheduleEntity)
      .set({ lastRunId, lastAt })
      .where('no = :rowId AND (last_at IS NULL OR last_at < :lastAt)', { rowId, lastAt })
      .execute();
  }

  async runs(schedule: Schedule, limit: number, before?: number): Promise<readonly ScheduledRun[]> {
    const { id, tenantId, userId } = schedule;
    const rows = await this.database.read.manager.find(RunEntity, {
      // The ids of its runs begin with its own and a colon: `;` is the next character.
      where: {
        tenantId,
        userId,
        id: Between(`${id}:`, `${id};`),
        ...(before !== undefined && { rowId: LessThan(before) }),
      },
      order: { rowId: 'DESC' },
      take: limit,
    });
    return rows.map(({ rowId, id: runId, sessionId, status: state, createdAt, finishedAt }) => {
      return { rowId, runId, sessionId, state, createdAt, finishedAt };
    });
  }

  async now(): Promise<number> {
    const [row] = await this.database.read.all<{ now: number }>(`SELECT ${this.sqlNow} AS now`);
    return Number(row?.now);
  }

  async overdue(): Promise<{ readonly count: number; readonly seconds: number }> {
    const sql = `SELECT COUNT(*) AS count, ${this.sqlNow} - MIN(next_at) AS late FROM schedules
      WHERE due_at IS NOT NULL AND next_at <= ${this.sqlNow}`;
    const [row] = await this.database.read.all<{ count: number; late: number | null }>(sql);
    return { count: Number(row?.count ?? 0), seconds: Number(row?.late ?? 0) / 1000 };
  }
}

function within(reach: Reach): FindOptionsWhere<ScheduleEntity> {
  const { tenantId } = reach;
  return reach.of === 'user' ? { tenantId, userId: reach.userId } : { tenantId };
}

/** The columns of what is given. */
function columnsOf(changes: ScheduleChanges): Partial<ScheduleEntity> {
  const { plan, input, enabled, metadata, modelOptions, authority, ...plain } = changes;
  const columns = {
    ...plain,
    plan: plan && JSON.stringify(plan),
    input: input === undefined ? undefined : JSON.stringify(input),
    enabled: enabled === undefined ? undefined : enabled ? 1 : 0,
    metadata: metadata && JSON.stringify(metadata),
    modelOptions: modelOptions && JSON.stringify(modelOptions),
    authority: authority && JSON.stringify(authority),
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function scheduleOf(row: ScheduleEntity): Schedule {
  const { plan, input, enabled, metadata, modelOptions, authority, overlap, catchUp, origin, ...plain } = row;
  return {
    ...plain,
    plan: JSON.parse(plan) as Plan,
    input: JSON.parse(input) as Schedule['input'],
    enabled: enabled === 1,
    metadata: objectOf(metadata),
    modelOptions: objectOf(modelOptions),
    authority: objectOf(authority) as unknown as Authority | null,
    overlap: overlap as Overlap,
    catchUp: catchUp as CatchUp,
    origin: origin as Schedule['origin'],
  };
}

function objectOf(text: string | null): JsonObject | null {
  return text === null ? null : (JSON.parse(text) as JsonObject);
}

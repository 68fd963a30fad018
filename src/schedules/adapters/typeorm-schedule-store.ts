import { Injectable } from '@nestjs/common';
import { Between, type FindOptionsWhere, In, LessThan } from 'typeorm';
import type { Authority, JsonObject, Reach } from '../../common/index.js';
import {
  type ContentSeals,
  Database,
  DATABASE_NOW,
  lockRows,
  queryable,
  readable,
  refuseErased,
  RunEntity,
  ScheduleEntity,
  schedulePlace,
  type TenantSeal,
  type Transaction,
} from '../../database/index.js';
import type { Plan } from '../plan.js';
import { type ScheduleChanges, ScheduleStore, type StoredSchedule } from '../ports/schedule-store.js';
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
    const seal = await this.database.content.of(tenantId, queryable(tx));
    const columns = { id, tenantId, userId, origin, createdAt, ...columnsOf(changes, id, seal) };
    await queryable(tx).manager.insert(ScheduleEntity, columns);
    await refuseErased(queryable(tx), schedule);
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
    return this.opened(rows);
  }

  async find(reach: Reach, id: string): Promise<Schedule | undefined> {
    const row = await this.database.read.manager.findOneBy(ScheduleEntity, { ...within(reach), id });
    return row ? (await this.opened([row]))[0] : undefined;
  }

  async findForUpdate(tx: Transaction, reach: Reach, id: string): Promise<Schedule | undefined> {
    await lockRows(queryable(tx), 'schedules WHERE tenant_id = ? AND id = ?', [reach.tenantId, id], { key: 'no' });
    const row = await queryable(tx).manager.findOneBy(ScheduleEntity, { ...within(reach), id });
    return row ? (await this.opened([row]))[0] : undefined;
  }

  async update(tx: Transaction, { rowId, id, tenantId }: StoredSchedule, changes: ScheduleChanges): Promise<void> {
    const seal = await this.database.content.of(tenantId, queryable(tx));
    await queryable(tx).manager.update(ScheduleEntity, { rowId }, columnsOf(changes, id, seal));
  }

  async remove(tx: Transaction, rowId: number): Promise<void> {
    await queryable(tx).manager.delete(ScheduleEntity, { rowId });
  }

  async removeOfUser(tx: Transaction, tenantId: string, userId: string): Promise<number> {
    return (await queryable(tx).manager.delete(ScheduleEntity, { tenantId, userId })).affected ?? 0;
  }

  async declared(): Promise<readonly Schedule[]> {
    return this.readable(await this.database.read.manager.findBy(ScheduleEntity, { origin: 'code' }));
  }

  async untilDue(withinMs: number): Promise<number | undefined> {
    const sql = `SELECT MIN(due_at) - ${this.sqlNow} AS wait FROM schedules`;
    const [row] = await this.database.looks.soon<{ wait: number | string | null }>(sql, [], withinMs);
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
      const schedules = await this.readable(due.map((row) => ({ ...row, dueAt: now + leaseMs })));
      return schedules.map((schedule) => ({ schedule, now }));
    });
  }

  async advance(tx: Transaction, schedule: Schedule, changes: ScheduleChanges): Promise<boolean> {
    const { rowId, id, tenantId, nextAt, dueAt } = schedule;
    const seal = await this.database.content.of(tenantId, queryable(tx));
    const { affected } = await queryable(tx)
      .manager.createQueryBuilder()
      .update(ScheduleEntity)
      .set(columnsOf(changes, id, seal))
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

  /** As `opened`, without those that cannot be decrypted: they may be of all tenants. */
  private readable(rows: readonly ScheduleEntity[]): Promise<readonly Schedule[]> {
    const { content } = this.database;
    return readable(content, rows, (row) => scheduleOf(row, content));
  }

  private opened(rows: readonly ScheduleEntity[]): readonly Schedule[] | Promise<readonly Schedule[]> {
    const { content } = this.database;
    return content.reading(() => rows.map((row) => scheduleOf(row, content)));
  }
}

function within(reach: Reach): FindOptionsWhere<ScheduleEntity> {
  const { tenantId } = reach;
  return reach.of === 'user' ? { tenantId, userId: reach.userId } : { tenantId };
}

/** The columns of what is given. */
function columnsOf(changes: ScheduleChanges, id: string, seal: TenantSeal): Partial<ScheduleEntity> {
  const { plan, input, enabled, metadata, modelOptions, authority, ...plain } = changes;
  const columns = {
    ...plain,
    plan: plan && JSON.stringify(plan),
    input: input === undefined ? undefined : seal.json(schedulePlace('input', id), JSON.stringify(input)),
    enabled: enabled === undefined ? undefined : enabled ? 1 : 0,
    metadata: metadata && seal.json(schedulePlace('metadata', id), JSON.stringify(metadata)),
    modelOptions: modelOptions && seal.json(schedulePlace('model_options', id), JSON.stringify(modelOptions)),
    authority: authority && JSON.stringify(authority),
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

/** @throws UnreadableContent */
function scheduleOf(row: ScheduleEntity, content: ContentSeals): Schedule {
  const { plan, input, enabled, metadata, modelOptions, authority, overlap, catchUp, origin, ...plain } = row;
  const { id, tenantId } = row;
  const inputText = content.json(tenantId, schedulePlace('input', id), input);
  return {
    ...plain,
    plan: JSON.parse(plan) as Plan,
    input: JSON.parse(inputText) as Schedule['input'],
    enabled: enabled === 1,
    metadata: objectOf(content.json(tenantId, schedulePlace('metadata', id), metadata)),
    modelOptions: objectOf(content.json(tenantId, schedulePlace('model_options', id), modelOptions)),
    authority: objectOf(authority) as unknown as Authority | null,
    overlap: overlap as Overlap,
    catchUp: catchUp as CatchUp,
    origin: origin as Schedule['origin'],
  };
}

function objectOf(text: string | null): JsonObject | null {
  return text === null ? null : (JSON.parse(text) as JsonObject);
}

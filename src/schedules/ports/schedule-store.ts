import type { Reach } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { DueSchedule, NewSchedule, Schedule, ScheduledRun, ScheduleFields } from '../schedule.types.js';

/** What is changed of a schedule. What is absent stays. */
export type ScheduleChanges = Partial<
  ScheduleFields &
    Pick<Schedule, 'authority' | 'suspendedReason' | 'anchorAt' | 'nextAt' | 'dueAt' | 'lastRunId' | 'lastAt'>
>;

/** Which schedule is changed. */
export type StoredSchedule = Pick<Schedule, 'rowId' | 'id' | 'tenantId'>;

/** Schedules of all tenants. */
export abstract class ScheduleStore {
  /** @throws AppError SESSION_BUSY while the user's data is being erased */
  abstract insert(tx: Transaction, schedule: NewSchedule): Promise<void>;

  /** How many a tenant has. Other additions to the tenant wait until the transaction is over. */
  abstract countForUpdate(tx: Transaction, tenantId: string): Promise<number>;

  /** Newest first. @param before only older ones than that with this number */
  abstract list(reach: Reach, limit: number, before?: number): Promise<readonly Schedule[]>;

  abstract find(reach: Reach, id: string): Promise<Schedule | undefined>;

  /** As `find`, locked until the transaction is over. */
  abstract findForUpdate(tx: Transaction, reach: Reach, id: string): Promise<Schedule | undefined>;

  abstract update(tx: Transaction, schedule: StoredSchedule, changes: ScheduleChanges): Promise<void>;

  abstract remove(tx: Transaction, rowId: number): Promise<void>;

  /** Removes the schedules of a user. Returns how many. */
  abstract removeOfUser(tx: Transaction, tenantId: string, userId: string): Promise<number>;

  /** Those that code declares, in all tenants. */
  abstract declared(): Promise<readonly Schedule[]>;

  /**
   * How long until the next one is due, in milliseconds by the clock of the database: 0 or less if one is; undefined without one.
   *
   * @param withinMs how long the answer may take, so that it needs no transaction of its own
   */
  abstract untilDue(withinMs: number): Promise<number | undefined>;

  /**
   * Takes schedules that are due, for a time, by the clock of the database: no other process has them meanwhile. One whose
   * turn was lost is due again.
   */
  abstract claim(leaseMs: number, limit: number): Promise<readonly DueSchedule[]>;

  /**
   * Records the outcome of a planned time, unless it is no longer that of the schedule. Returns whether it was recorded.
   *
   * @param tx that which announces it
   */
  abstract advance(tx: Transaction, schedule: Schedule, changes: ScheduleChanges): Promise<boolean>;

  /** Names the last run of a schedule whose plan was changed while it was started, unless a later one is known. */
  abstract noteRun(tx: Transaction, schedule: Schedule, runId: string, plannedAt: number): Promise<void>;

  /** The runs of a schedule, newest first. @param before only older ones than that with this number */
  abstract runs(schedule: Schedule, limit: number, before?: number): Promise<readonly ScheduledRun[]>;

  /** What the clock of the database says, in milliseconds since the epoch. */
  abstract now(): Promise<number>;

  /** How many are due, and since when the first. For metrics. */
  abstract overdue(): Promise<{ readonly count: number; readonly seconds: number }>;
}

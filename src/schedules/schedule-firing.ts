import { Injectable } from '@nestjs/common';
import { AppError, userReach } from '../common/index.js';
import { Runs, type RunView } from '../run/index.js';
import { ScheduleRights } from './ports/schedule-rights.js';
import { ScheduleOutcomes } from './schedule-outcomes.js';
import { requestOf, runIdOf } from './schedule-request.js';
import { planAfter, turnOf } from './schedule-times.js';
import type { DueSchedule, Schedule } from './schedule.types.js';

/** How long a planned time waits for the run before it, before it looks again, in milliseconds. */
const BUSY_MS = 5000;
/** How long it waits after a refusal that names no time, in milliseconds. */
const REFUSED_MS = 30_000;
/** Refusals that end by themselves. While a deploy goes on, not every process knows an agent. */
const PASSING = new Set(['RATE_LIMIT_EXCEEDED', 'QUEUE_FULL', 'BUDGET_EXCEEDED', 'AGENT_NOT_FOUND']);
/** Refusals of a server that cannot work now: the turn is lost, and comes again. */
const UNAVAILABLE = new Set([
  'SHUTTING_DOWN',
  'DATABASE_ERROR',
  'NOT_READY',
  'ATTACHMENT_STORE_ERROR',
  'IDENTITY_UNAVAILABLE',
]);

/**
 * Starts the runs of planned times (contract hooks, section B2). The run of a planned time has an id that is made of both,
 * and the ledger has it once: two processes, a crash between any two steps, or a clock that jumps cannot start it twice.
 */
@Injectable()
export class ScheduleFiring {
  constructor(
    private readonly runs: Runs,
    private readonly rights: ScheduleRights,
    private readonly outcomes: ScheduleOutcomes,
  ) {}

  /** Does what is due of one schedule. @throws the driver's error; then it is due again when the turn is over */
  async fire({ schedule, now }: DueSchedule): Promise<void> {
    const { nextAt } = schedule;
    if (nextAt === null) return;
    const planned = { ...schedule, nextAt };
    const problem = await this.problemOf(schedule);
    if (problem !== undefined) return this.outcomes.suspended(planned, problem, now);
    const { missed, plannedAt, next } = turnOf(planned, now);
    if (plannedAt === undefined) {
      await this.outcomes.missed(schedule, missed, { reason: 'late', now, next });
      return;
    }
    if (plannedAt !== nextAt) {
      // What is missed is recorded first; what is left is due at once.
      await this.outcomes.missed(schedule, missed, { reason: 'late', now, next: { nextAt: plannedAt, dueAt: now } });
      return;
    }
    if (await this.waits(schedule, plannedAt, now)) return;
    try {
      const { run } = await this.start(schedule, runIdOf(schedule, plannedAt));
      await this.outcomes.started(schedule, plannedAt, run.runId, next);
    } catch (error) {
      if (!(error instanceof AppError) || UNAVAILABLE.has(error.code)) throw error;
      await this.refused(planned, error, now);
    }
  }

  /** Starts a run now, outside of the plan. @param key names it: the same key is the same run. @throws AppError as `Runs.accept` */
  async now(schedule: Schedule, key: string): Promise<RunView> {
    const problem = await this.problemOf(schedule);
    if (problem !== undefined) throw new AppError('PERMISSION_DENIED', problem);
    const request = requestOf(schedule, `${schedule.id}:${key}`);
    return (await this.runs.accept({ ...request, onBusy: 'enqueue' })).run;
  }

  /** What code declares has the rights of the code. */
  private async problemOf({ origin, tenantId, authority }: Schedule): Promise<string | undefined> {
    return origin === 'code' ? undefined : this.rights.problemOf(tenantId, authority);
  }

  /** The same request again is the same run, however the schedule was changed meanwhile. */
  private async start(schedule: Schedule, runId: string): Promise<{ readonly run: RunView }> {
    try {
      return await this.runs.accept(requestOf(schedule, runId));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RUN_ID_CONFLICT') throw error;
      return { run: await this.runs.view(userReach(schedule), runId) };
    }
  }

  /** Decides about the run of the time before, for schedules with a session for each run. True: not now. */
  private async waits(schedule: Schedule, plannedAt: number, now: number): Promise<boolean> {
    const { lastRunId, session, overlap } = schedule;
    if (lastRunId === null || session !== 'new' || lastRunId === runIdOf(schedule, plannedAt)) return false;
    const last = await this.lastRun(schedule, lastRunId);
    if (last?.state !== 'queued' && last?.state !== 'running') return false;
    if (overlap === 'cancel') {
      await this.runs.cancel(userReach(schedule), lastRunId);
      return false;
    }
    if (overlap === 'skip') {
      const next = planAfter(schedule, plannedAt);
      await this.outcomes.missed(schedule, [plannedAt], { reason: 'overlap', now, next });
    } else {
      await this.outcomes.postponed(schedule, now + BUSY_MS);
    }
    return true;
  }

  private async lastRun(schedule: Schedule, runId: string): Promise<RunView | undefined> {
    try {
      return await this.runs.view(userReach(schedule), runId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') return undefined;
      throw error;
    }
  }

  /** What passes is tried again until the next planned time; a busy session skips this one; all else suspends. */
  private async refused(schedule: Schedule & { readonly nextAt: number }, error: AppError, now: number): Promise<void> {
    const { nextAt } = schedule;
    const next = planAfter(schedule, nextAt);
    const miss = async (reason: string): Promise<void> => {
      await this.outcomes.missed(schedule, [nextAt], { reason, now, next });
    };
    if (error.code === 'SESSION_BUSY') return miss('overlap');
    if (!PASSING.has(error.code)) return this.outcomes.suspended(schedule, error.message, now);
    const pauseMs = error.retryAfterSeconds === undefined ? REFUSED_MS : error.retryAfterSeconds * 1000;
    const again = now + Math.max(1000, pauseMs);
    if (typeof next.nextAt === 'number' && again >= next.nextAt) return miss(error.code);
    if (next.nextAt === null && again - nextAt > 86_400_000) return miss(error.code);
    return this.outcomes.postponed(schedule, again);
  }
}

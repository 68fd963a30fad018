import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../agent/index.js';
import {
  AppError,
  type Authority,
  isStorable,
  type Origin,
  type Principal,
  type Reach,
  timeZoneName,
} from '../common/index.js';
import { UserSettings } from '../user-settings/index.js';
import { checkPlan, nextTimes, type Plan } from './plan.js';
import { ScheduleTransactions } from './schedule-transactions.js';
import { ScheduleRunner } from './schedule-runner.js';
import { ScheduleStore } from './ports/schedule-store.js';
import { checkInput, checkOptions } from './schedule-request.js';
import { planAfter } from './schedule-times.js';
import type { Schedule, ScheduledRun, ScheduleFields } from './schedule.types.js';

const MOST = 10_000;
const CURSOR = /^[1-9]\d{0,9}$/;
const MOST_JITTER_S = 600;
const MOST_CHARACTERS = 256 * 1024;

/** A schedule as a request describes it: the zone may be left to the user's settings. */
export type ScheduleInput = Omit<ScheduleFields, 'timezone'> & { readonly timezone?: string | undefined };

/** One page of schedules, newest first. */
export interface SchedulePage {
  readonly items: readonly Schedule[];
  readonly nextCursor: string | null;
}

/** The schedules of users (contract hooks, section B1). What lies outside the reach is unknown. */
@Injectable()
export class Schedules {
  constructor(
    private readonly store: ScheduleStore,
    private readonly transactions: ScheduleTransactions,
    private readonly agents: AgentRegistry,
    private readonly settings: UserSettings,
    private readonly runner: ScheduleRunner,
  ) {}

  /** @throws AppError INVALID_PARAMETER for an unknown cursor */
  async list(reach: Reach, limit: number, cursor: string | undefined): Promise<SchedulePage> {
    if (cursor !== undefined && !CURSOR.test(cursor)) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
    const rows = await this.store.list(reach, limit + 1, cursor === undefined ? undefined : Number(cursor));
    const last = rows[limit - 1];
    return { items: rows.slice(0, limit), nextCursor: rows.length > limit && last ? String(last.rowId) : null };
  }

  /** @throws AppError SCHEDULE_NOT_FOUND */
  async find(reach: Reach, id: string): Promise<Schedule> {
    const schedule = isScheduleId(id) ? await this.store.find(reach, id) : undefined;
    if (!schedule) throw new AppError('SCHEDULE_NOT_FOUND');
    return schedule;
  }

  /**
   * @param authority with which rights its runs start; null without authentication
   * @throws AppError INVALID_PARAMETER; AGENT_NOT_FOUND; SCHEDULE_LIMIT; SESSION_BUSY while the user's data is being erased
   */
  async create(owner: Principal, authority: Authority | null, input: ScheduleInput, by: Origin): Promise<Schedule> {
    const timezone = input.timezone ?? (await this.settings.get(owner)).timezone ?? 'UTC';
    const fields = this.checked({ ...input, timezone }, authority);
    const now = await this.store.now();
    if (fields.plan.kind === 'at' && fields.plan.at <= now) throw invalid('at', 'is over');
    const schedule = {
      ...fields,
      ...owner,
      id: `sch_${randomUUID().replaceAll('-', '')}`,
      authority,
      origin: 'api',
      suspendedReason: null,
      createdAt: now,
      anchorAt: now,
      nextAt: null,
      dueAt: null,
    } as const;
    const planned = fields.enabled ? planAfter(schedule, now) : {};
    await this.transactions.write(async (tx) => {
      if ((await this.store.countForUpdate(tx, owner.tenantId)) >= MOST)
        throw new AppError('SCHEDULE_LIMIT', `A tenant has at most ${MOST} schedules`);
      await this.store.insert(tx, { ...schedule, ...planned });
      await this.transactions.record(tx, 'schedule.created', schedule, by);
    });
    this.runner.lookSoon();
    return this.find({ ...owner, of: 'user' }, schedule.id);
  }

  /**
   * Changes what is given. From then on it runs with the rights of whoever has changed it; a new plan or zone counts from
   * now.
   *
   * @throws AppError as `create`, and SCHEDULE_NOT_FOUND; SCHEDULE_DECLARED for one that code declares
   */
  async update(
    reach: Reach,
    id: string,
    authority: Authority | null,
    changes: Partial<ScheduleFields>,
    by: Origin,
  ): Promise<Schedule> {
    const now = await this.store.now();
    await this.transactions.write(async (tx) => {
      const schedule = isScheduleId(id) ? await this.store.findForUpdate(tx, reach, id) : undefined;
      if (!schedule) throw new AppError('SCHEDULE_NOT_FOUND');
      if (schedule.origin === 'code') throw new AppError('SCHEDULE_DECLARED');
      const fields = this.checked({ ...schedule, ...changes }, authority);
      const isNewPlan = changes.plan !== undefined || changes.timezone !== undefined;
      const isNew = isNewPlan || changes.enabled !== undefined || changes.expiresAt !== undefined;
      const anchorAt = changes.plan?.kind === 'every' ? now : schedule.anchorAt;
      const times = fields.enabled ? planAfter({ ...schedule, ...fields, anchorAt }, now) : OFF;
      const enabling = changes.enabled === true ? { suspendedReason: null } : {};
      const jitter = changes.jitterSeconds !== undefined;
      await this.store.update(tx, schedule, {
        ...this.changedOf(fields, changes),
        ...((isNew || jitter) && { ...times, anchorAt }),
        ...enabling,
        authority,
      });
      await this.transactions.record(tx, 'schedule.changed', schedule, by, { fields: Object.keys(changes) });
    });
    this.runner.lookSoon();
    return this.find(reach, id);
  }

  /** @throws AppError SCHEDULE_NOT_FOUND, SCHEDULE_DECLARED */
  async remove(reach: Reach, id: string, by: Origin): Promise<void> {
    await this.transactions.write(async (tx) => {
      const schedule = isScheduleId(id) ? await this.store.findForUpdate(tx, reach, id) : undefined;
      if (!schedule) throw new AppError('SCHEDULE_NOT_FOUND');
      if (schedule.origin === 'code' && schedule.enabled) throw new AppError('SCHEDULE_DECLARED');
      await this.store.remove(tx, schedule.rowId);
      await this.transactions.record(tx, 'schedule.deleted', schedule, by);
    });
  }

  /** The runs of a schedule, newest first. @throws AppError SCHEDULE_NOT_FOUND, INVALID_PARAMETER for an unknown cursor */
  async runs(
    reach: Reach,
    id: string,
    { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  ): Promise<{ readonly items: readonly ScheduledRun[]; readonly nextCursor: string | null }> {
    if (cursor !== undefined && !CURSOR.test(cursor)) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
    const schedule = await this.find(reach, id);
    const rows = await this.store.runs(schedule, limit + 1, cursor === undefined ? undefined : Number(cursor));
    const last = rows[limit - 1];
    return { items: rows.slice(0, limit), nextCursor: rows.length > limit && last ? String(last.rowId) : null };
  }

  /** The next times of a plan. @throws AppError INVALID_PARAMETER */
  async preview(plan: Plan, timezone: string | undefined, count: number): Promise<readonly number[]> {
    checkPlan(plan);
    const zone = checkedZone(timezone ?? 'UTC');
    return nextTimes(plan, zone, await this.store.now(), count);
  }

  private checked(fields: ScheduleFields, authority: Authority | null): ScheduleFields {
    const { name, plan, timezone, agent, input, session, jitterSeconds, modelOptions } = fields;
    if (name.trim() === '' || name.length > 256 || !isStorable(name))
      throw invalid('name', 'must have 1 to 256 characters');
    checkPlan(plan);
    checkInput(input as never);
    if (modelOptions) checkOptions(modelOptions);
    if (session === '' || session.length > 256 || !isStorable(session))
      throw invalid('session', 'must be new, or the id of a session');
    if (!Number.isInteger(jitterSeconds) || jitterSeconds < 0 || jitterSeconds > MOST_JITTER_S)
      throw invalid('jitterSeconds', `must be a whole number from 0 to ${MOST_JITTER_S}`);
    const size = JSON.stringify([input, fields.metadata, modelOptions]).length;
    if (size > MOST_CHARACTERS) throw invalid('input', `must have at most ${MOST_CHARACTERS} characters of JSON`);
    if (!isStorable(JSON.stringify([input, fields.metadata]))) throw invalid('input', 'must be valid Unicode text');
    if (!this.agents.isKnownTo(authority, agent)) throw new AppError('AGENT_NOT_FOUND');
    return { ...fields, timezone: checkedZone(timezone) };
  }

  private changedOf(fields: ScheduleFields, changes: Partial<ScheduleFields>): Partial<ScheduleFields> {
    const changed = Object.keys(changes) as (keyof ScheduleFields)[];
    return Object.fromEntries(changed.map((key) => [key, fields[key]]));
  }
}

const OFF = { nextAt: null, dueAt: null } as const;

function isScheduleId(id: string): boolean {
  return /^sch_[0-9a-f]{32}$/.test(id);
}

function checkedZone(zone: string): string {
  const name = timeZoneName(zone);
  if (name === undefined) throw invalid('timezone', 'must be an IANA time zone such as Europe/Berlin');
  return name;
}

function invalid(path: string, problem: string): AppError {
  const message = `${path} ${problem}`;
  return new AppError('INVALID_PARAMETER', message, { details: [{ path, message }] });
}

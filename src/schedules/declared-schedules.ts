import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { AgentRegistry } from '../agent/index.js';
import { AppError, type Authority, DEFAULT_TENANT, SERVER_ORIGIN, tenantReach } from '../common/index.js';
import { isUniqueViolation } from '../database/index.js';
import { checkPlan } from './plan.js';
import { ScheduleTransactions } from './schedule-transactions.js';
import { ScheduleStore } from './ports/schedule-store.js';
import { type ScheduleOptions, scheduleOptions } from './schedule.decorator.js';
import { planAfter } from './schedule-times.js';
import type { Schedule, ScheduleFields } from './schedule.types.js';

const USER = 'service:schedules';
const REMOVED = 'It was removed from the code';

/** Stores the schedules that agents declare (contract hooks, section B1), under ids that are made of their names. */
@Injectable()
export class DeclaredSchedules implements OnApplicationBootstrap {
  private readonly logger = new Logger('Schedules');

  constructor(
    private readonly store: ScheduleStore,
    private readonly transactions: ScheduleTransactions,
    private readonly agents: AgentRegistry,
  ) {}

  /** @throws AppError CONFIGURATION_ERROR for a declaration that cannot be used; the driver's error */
  async onApplicationBootstrap(): Promise<void> {
    const declared = new Map(
      this.agents.list().flatMap(({ name, agent }) =>
        scheduleOptions(agent.constructor).map((options) => {
          const fields = fieldsOf(name, options);
          return [idOf(name, fields.name), fields] as const;
        }),
      ),
    );
    const known = await this.store.declared();
    if (declared.size === 0 && known.length === 0) return;
    const now = await this.store.now();
    for (const [id, fields] of declared)
      await this.put(
        id,
        fields,
        now,
        known.find((one) => one.id === id),
      );
    for (const schedule of known) if (!declared.has(schedule.id) && schedule.enabled) await this.disable(schedule);
  }

  private async put(id: string, fields: ScheduleFields, now: number, known: Schedule | undefined): Promise<void> {
    const { agent } = fields;
    const authority: Authority = {
      actor: { kind: 'key', id: 'code', account: 'schedules' },
      roles: [],
      agents: [agent],
      tools: [],
      models: [],
    };
    if (!known) {
      const times = planAfter({ ...fields, id, anchorAt: now }, now);
      const owner = { id, tenantId: DEFAULT_TENANT, userId: USER, authority, origin: 'code' } as const;
      const rest = { suspendedReason: null, createdAt: now, anchorAt: now, nextAt: null, dueAt: null };
      try {
        await this.transactions.write(async (tx) => {
          await this.store.insert(tx, { ...fields, ...owner, ...rest, ...times });
          await this.transactions.record(tx, 'schedule.created', { ...fields, ...owner }, SERVER_ORIGIN);
        });
      } catch (error) {
        // Another process starts at the same time.
        if (!isUniqueViolation(error)) throw error;
      }
      return;
    }
    const isSame = Object.entries(fields).every(
      ([key, value]) => JSON.stringify(known[key as keyof ScheduleFields]) === JSON.stringify(value),
    );
    if (isSame) return;
    const times = planAfter({ ...known, ...fields }, now);
    await this.transactions.write(async (tx) => {
      await this.store.update(tx, known, { ...fields, ...times, suspendedReason: null });
      await this.transactions.record(tx, 'schedule.changed', known, SERVER_ORIGIN);
    });
  }

  private async disable({ id, tenantId, agent }: Schedule): Promise<void> {
    await this.transactions.write(async (tx) => {
      const schedule = await this.store.findForUpdate(tx, tenantReach(tenantId), id);
      if (!schedule) return;
      await this.store.update(tx, schedule, {
        enabled: false,
        suspendedReason: REMOVED,
        nextAt: null,
        dueAt: null,
      });
      await this.transactions.record(tx, 'schedule.disabled', schedule, SERVER_ORIGIN, { reason: REMOVED });
    });
    this.logger.warn(`The schedule ${id} of the agent ${agent} is disabled: it was removed from the code`);
  }
}

function fieldsOf(agent: string, options: ScheduleOptions): ScheduleFields {
  const {
    cron,
    timezone = 'UTC',
    input,
    name = agent,
    overlap = 'skip',
    catchUp = 'last',
    jitterSeconds = 0,
  } = options;
  const plan = { kind: 'cron', cron } as const;
  try {
    checkPlan(plan);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError('CONFIGURATION_ERROR', `The schedule ${name} of the agent ${agent}: ${error.message}`);
  }
  const choices = { overlap, catchUp, jitterSeconds, session: 'new', expiresAt: null, enabled: true } as const;
  return { name, plan, timezone, agent, input, ...choices, metadata: null, modelOptions: null };
}

function idOf(agent: string, name: string): string {
  return `sch_${createHash('sha256')
    .update(JSON.stringify(['code', agent, name]))
    .digest('hex')
    .slice(0, 32)}`;
}

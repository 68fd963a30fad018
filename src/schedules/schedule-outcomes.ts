import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../database/index.js';
import { Announcements, type WebhookEventName } from '../webhooks/index.js';
import { isoTime } from '../common/index.js';
import { type ScheduleChanges, ScheduleStore } from './ports/schedule-store.js';
import { ScheduleMetrics } from './schedule.metrics.js';
import type { Schedule } from './schedule.types.js';

/** Records the outcomes of planned times and announces the important ones, in one transaction. */
@Injectable()
export class ScheduleOutcomes {
  private readonly logger = new Logger('Schedules');

  constructor(
    private readonly store: ScheduleStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly announcements: Announcements,
    private readonly metrics: ScheduleMetrics,
  ) {}

  /** A run was started for a planned time. */
  async started(schedule: Schedule, plannedAt: number, runId: string, next: ScheduleChanges): Promise<void> {
    const isRecorded = await this.record(schedule, { ...next, lastRunId: runId, lastAt: plannedAt });
    if (isRecorded) this.metrics.firings.with('started').add();
    else await this.unitOfWork.writePatiently((tx) => this.store.noteRun(tx, schedule, runId, plannedAt));
  }

  /** Planned times were given up. @param reason for people, such as `late`, `overlap` or a code of an error */
  async missed(
    schedule: Schedule,
    times: readonly number[],
    { reason, now, next }: { readonly reason: string; readonly now: number; readonly next: ScheduleChanges },
  ): Promise<boolean> {
    const isRecorded = await this.record(schedule, next, async (tx) => {
      for (const plannedAt of times) await this.announce(tx, schedule, 'schedule.missed', { plannedAt, reason, now });
    });
    if (isRecorded) this.metrics.firings.with('missed').add(times.length);
    return isRecorded;
  }

  /** A schedule must not go on. @param reason a sentence for people */
  async suspended(schedule: Schedule & { readonly nextAt: number }, reason: string, now: number): Promise<void> {
    const off = { enabled: false, suspendedReason: reason.slice(0, 512), nextAt: null, dueAt: null };
    const { nextAt: plannedAt } = schedule;
    const isRecorded = await this.record(schedule, off, (tx) =>
      this.announce(tx, schedule, 'schedule.suspended', { plannedAt, reason, now }),
    );
    if (!isRecorded) return;
    this.metrics.firings.with('suspended').add();
    this.logger.warn(`The schedule ${schedule.id} of the tenant ${schedule.tenantId} is suspended: ${reason}`);
  }

  /** A planned time is tried again later. */
  async postponed(schedule: Schedule, dueAt: number): Promise<void> {
    await this.record(schedule, { dueAt });
  }

  private record(
    schedule: Schedule,
    changes: ScheduleChanges,
    also?: (tx: Parameters<ScheduleStore['advance']>[0]) => Promise<void>,
  ): Promise<boolean> {
    return this.unitOfWork.writePatiently(async (tx) => {
      const isRecorded = await this.store.advance(tx, schedule, changes);
      if (isRecorded) await also?.(tx);
      return isRecorded;
    });
  }

  private announce(
    tx: Parameters<ScheduleStore['advance']>[0],
    { id, name, tenantId, userId, agent }: Schedule,
    type: WebhookEventName,
    { plannedAt, reason, now }: { readonly plannedAt: number; readonly reason: string; readonly now: number },
  ): Promise<void> {
    const data = { schedule: id, name, agent, user: userId, plannedAt: isoTime(plannedAt), reason };
    return this.announcements.announce(tx, { tenantId, type, cause: [id, plannedAt], data, agent, userId, at: now });
  }
}

import { AppError, isoTime, isoTimeOrNull, type JsonObject } from '../../../common/index.js';
import type { Plan, Schedule, ScheduledRun, ScheduleFields } from '../../../schedules/index.js';
import type { RunState } from '../../../run/index.js';
import { isGiven } from '../../http/index.js';
import type { ScheduleDto, ScheduledRunDto, SchedulePreviewDto, UpdateScheduleDto } from './dto/schedule.dto.js';

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)$/;

/** The plan that a body names; undefined if it names none. @throws AppError INVALID_PARAMETER for several */
export function planOf({ cron, every, at }: Pick<SchedulePreviewDto, 'cron' | 'every' | 'at'>): Plan | undefined {
  const plans: Plan[] = [
    ...(isGiven(cron) ? [{ kind: 'cron', cron } as const] : []),
    ...(isGiven(every) ? [{ kind: 'every', every } as const] : []),
    ...(isGiven(at) ? [{ kind: 'at', at: timeOf('at', at) } as const] : []),
  ];
  if (plans.length > 1) throw invalid('cron', 'every and at are given together: one of them plans the runs');
  return plans[0];
}

/** The plan that a body has to name. @throws AppError INVALID_PARAMETER */
export function requiredPlan(body: Pick<SchedulePreviewDto, 'cron' | 'every' | 'at'>): Plan {
  const plan = planOf(body);
  if (!plan) throw invalid('cron', 'every or at is required');
  return plan;
}

/** What a body changes of a schedule. @throws AppError INVALID_PARAMETER */
export function changesOf(body: UpdateScheduleDto): Partial<ScheduleFields> {
  const plan = planOf(body);
  const { name, timezone, agent, input, session, overlap, catchUp, jitterSeconds, enabled } = body;
  const { expiresAt, metadata, modelOptions } = body;
  return {
    ...(plan && { plan }),
    ...(isGiven(name) && { name }),
    ...(isGiven(timezone) && { timezone }),
    ...(isGiven(agent) && { agent }),
    ...(isGiven(input) && { input: input as ScheduleFields['input'] }),
    ...(isGiven(session) && { session }),
    ...(isGiven(overlap) && { overlap }),
    ...(isGiven(catchUp) && { catchUp }),
    ...(isGiven(jitterSeconds) && { jitterSeconds }),
    ...(isGiven(enabled) && { enabled }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : timeOf('expiresAt', expiresAt) }),
    ...(metadata !== undefined && { metadata: metadata as JsonObject | null }),
    ...(modelOptions !== undefined && { modelOptions: modelOptions as JsonObject | null }),
  };
}

/** A schedule as clients see it. */
export function shownSchedule(schedule: Schedule): ScheduleDto {
  const { id, name, userId: user, plan, timezone, agent, input, session, overlap, catchUp, jitterSeconds } = schedule;
  const { enabled, suspendedReason, metadata, modelOptions, origin, lastRunId } = schedule;
  return {
    ...{ id, name, user, timezone, agent, input, session, overlap, catchUp, jitterSeconds },
    cron: plan.kind === 'cron' ? plan.cron : null,
    every: plan.kind === 'every' ? plan.every : null,
    at: plan.kind === 'at' ? isoTime(plan.at) : null,
    ...{ enabled, suspendedReason, metadata, modelOptions, origin, lastRunId },
    expiresAt: isoTimeOrNull(schedule.expiresAt),
    createdAt: isoTime(schedule.createdAt),
    nextAt: isoTimeOrNull(schedule.nextAt),
    lastAt: isoTimeOrNull(schedule.lastAt),
  };
}

/** A run of a schedule as clients see it. */
export function shownRun({ runId, sessionId, state, createdAt, finishedAt }: ScheduledRun): ScheduledRunDto {
  const planned = /:(\d{1,15})$/.exec(runId)?.[1];
  return {
    id: runId,
    sessionId,
    status: state as RunState,
    plannedAt: planned === undefined ? null : isoTime(Number(planned)),
    createdAt: isoTime(createdAt),
    finishedAt: isoTimeOrNull(finishedAt),
  };
}

function timeOf(field: string, text: string): number {
  const time = RFC3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw invalid(field, 'must be a time of RFC 3339 with its offset, such as 2030-01-31T09:00:00Z');
  return time;
}

function invalid(path: string, problem: string): AppError {
  const message = `${path} ${problem}`;
  return new AppError('INVALID_PARAMETER', message, { details: [{ path, message }] });
}

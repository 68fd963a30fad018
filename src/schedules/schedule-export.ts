import { actorIn, exporterOf, flag, json, OF_USER, time, type UserExporter } from '../data-protection/index.js';

/** The schedules whose runs belong to a user. */
export const SCHEDULE_EXPORT: UserExporter = exporterOf({
  kind: 'schedules',
  from: 'schedules',
  where: OF_USER,
  key: ['no'],
  members: {
    scheduleId: 'id',
    name: 'name',
    plan: ['plan', json],
    timezone: 'timezone',
    agent: 'agent',
    input: ['input', json],
    session: 'session',
    overlap: 'overlap',
    catchUp: 'catch_up',
    jitterSeconds: 'jitter_seconds',
    enabled: ['enabled', flag],
    suspendedReason: 'suspended_reason',
    metadata: ['metadata', json],
    modelOptions: ['model_options', json],
    createdBy: ['authority', actorIn('actor')],
    origin: 'origin',
    createdAt: ['created_at', time],
    expiresAt: ['expires_at', time],
    nextAt: ['next_at', time],
    lastRunId: 'last_run_id',
    lastAt: ['last_at', time],
  },
  leftOut: ['tenant_id', 'user_id', 'anchor_at', 'due_at'],
});

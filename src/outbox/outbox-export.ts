import { exporterOf, OF_USER, time, type UserExporter, type UserTable } from '../data-protection/index.js';

const HOOKS: UserTable = {
  kind: 'runHooks',
  from: 'run_hooks',
  where: OF_USER,
  key: ['no'],
  members: {
    hookId: 'id',
    channel: 'channel',
    rootRunId: 'root_run_id',
    format: 'format',
    url: 'url',
    createdAt: ['created_at', time],
  },
  leftOut: ['tenant_id', 'user_id', 'secrets'],
};

const DELIVERIES: UserTable = {
  kind: 'pushDeliveries',
  from: 'outbox o JOIN run_hooks h ON h.no = o.hook_no',
  where: 'h.tenant_id = ? AND h.user_id = ?',
  key: ['o.no'],
  members: {
    hookId: 'h.id',
    runId: 'o.run_id',
    seq: 'o.seq',
    status: 'o.status',
    attempts: 'o.attempts',
    outcome: 'o.outcome',
    createdAt: ['o.created_at', time],
    endedAt: ['o.ended_at', time],
  },
  leftOut: ['o.hook_no', 'o.run_no', 'o.due_at'],
};

/** Addresses that are called back about runs of a user, without their secrets, and what was sent there. */
export const OUTBOX_EXPORT: UserExporter = exporterOf(HOOKS, DELIVERIES);

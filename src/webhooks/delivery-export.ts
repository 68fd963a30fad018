import { isPlainObject, parsedJson } from '../common/index.js';
import {
  type ColumnValue,
  exporterOf,
  integer,
  json,
  OF_USER,
  type Reading,
  time,
  type UserExporter,
} from '../data-protection/index.js';

/** What receivers answered, and why one was not reached, is the tenant's: a user sees when it was tried, and how it ended. */
const attempts: Reading = (value, row, user) => {
  const log = typeof value === 'string' ? parsedJson(value) : undefined;
  const texts = (Array.isArray(log) ? log : []).filter(isPlainObject).map(({ at, status, durationMs }) => {
    const ended = `"status":${integer(numberOf(status), row, user)},"durationMs":${integer(numberOf(durationMs), row, user)}`;
    return `{"at":${time(numberOf(at), row, user)},${ended}}`;
  });
  return `[${texts.join(',')}]`;
};

function numberOf(value: unknown): ColumnValue {
  return typeof value === 'number' ? value : null;
}

/** Events about a user that were announced. The endpoints are the tenant's. */
export const DELIVERY_EXPORT: UserExporter = exporterOf({
  kind: 'webhookDeliveries',
  from: 'webhook_deliveries',
  where: OF_USER,
  key: ['no'],
  members: {
    deliveryId: 'id',
    type: 'type',
    runId: 'run_id',
    body: ['body', json],
    status: 'status',
    attempts: 'attempts',
    attemptLog: ['attempt_log', attempts],
    createdAt: ['created_at', time],
    endedAt: ['ended_at', time],
  },
  leftOut: ['tenant_id', 'user_id', 'webhook_no', 'run_no', 'traceparent', 'due_at', 'leased_until'],
});

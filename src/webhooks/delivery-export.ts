import { exporterOf, json, OF_USER, time, type UserExporter } from '../data-protection/index.js';

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
    attemptLog: ['attempt_log', json],
    createdAt: ['created_at', time],
    endedAt: ['ended_at', time],
  },
  leftOut: ['tenant_id', 'user_id', 'webhook_no', 'run_no', 'traceparent', 'due_at', 'leased_until'],
});

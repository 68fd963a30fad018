/** The acts of the audit trail, as the filter groups them. */
export const AUDIT_GROUPS: readonly { readonly title: string; readonly actions: readonly string[] }[] = [
  {
    title: 'Approvals and questions',
    actions: [
      'approval.requested',
      'approval.approved',
      'approval.denied',
      'approval.expired',
      'approval.cancelled',
      'input.requested',
      'input.answered',
      'input.expired',
      'input.cancelled',
      'policy.denied',
    ],
  },
  { title: 'Keys', actions: ['key.created', 'key.changed', 'key.rotated', 'key.revoked'] },
  { title: 'Access', actions: ['auth.failed', 'access.denied', 'acted.as'] },
  { title: 'Runs and sessions', actions: ['run.deleted', 'run.cancelled', 'thread.deleted'] },
  {
    title: 'Budgets and limits',
    actions: ['budget.changed', 'budget.refused', 'budget.threshold', 'price.changed', 'limit.changed'],
  },
  {
    title: 'Webhooks and schedules',
    actions: [
      'webhook.created',
      'webhook.changed',
      'webhook.rotated',
      'webhook.deleted',
      'webhook.disabled',
      'schedule.created',
      'schedule.changed',
      'schedule.deleted',
      'schedule.disabled',
    ],
  },
  {
    title: 'Tenants and data',
    actions: [
      'tenant.created',
      'tenant.suspended',
      'tenant.resumed',
      'tenant.renamed',
      'tenant.changed',
      'data.exported',
      'data.erased',
      'audit.exported',
      'audit.pruned',
    ],
  },
];

import type { JsonObject, Origin } from '../common/index.js';

/** What the audit trail records (contract access, section 8). */
export const AUDIT_ACTIONS = [
  'key.created',
  'key.changed',
  'key.rotated',
  'key.revoked',
  'auth.failed',
  'access.denied',
  'acted.as',
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
  'thread.deleted',
  'run.deleted',
  'run.cancelled',
  'budget.refused',
  'budget.threshold',
  'budget.changed',
  'price.changed',
  'limit.changed',
  'tenant.created',
  'tenant.suspended',
  'tenant.resumed',
  'tenant.renamed',
  'tenant.changed',
  'webhook.created',
  'webhook.changed',
  'webhook.rotated',
  'webhook.deleted',
  'webhook.disabled',
  'schedule.created',
  'schedule.changed',
  'schedule.deleted',
  'schedule.disabled',
  'data.exported',
  'data.erased',
  'audit.exported',
  'audit.pruned',
  'config.started',
] as const;

/** What was done. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** How it ended. */
export type AuditOutcome = 'done' | 'refused';

/** What an act is about. */
export interface AuditSubject {
  readonly kind:
    | 'key'
    | 'user'
    | 'thread'
    | 'run'
    | 'interrupt'
    | 'tool'
    | 'budget'
    | 'price'
    | 'limits'
    | 'tenant'
    | 'webhook'
    | 'schedule'
    | 'route'
    | 'audit'
    | 'erasure'
    | 'server';
  readonly id: string;
}

/** The tenant of acts that concern no tenant, or one that is not known: those of the installation's operator. */
export const OPERATOR_TENANT = '*';

/** An act, as whoever does it describes it. */
export interface AuditAct {
  /** `OPERATOR_TENANT` for an act of no known tenant. */
  readonly tenantId: string;
  readonly action: AuditAction;
  /** Default: `done`. */
  readonly outcome?: AuditOutcome;
  readonly by: Origin;
  /** A user is replaced by its pseudonym. */
  readonly subject?: AuditSubject;
  readonly runId?: string | null;
  readonly interruptId?: string | null;
  readonly callId?: string | null;
  readonly toolName?: string | null;
  /** Numbers, ids and words of a closed set: never text of people, never names of users. */
  readonly details?: JsonObject;
  /** What people and models have written. It is kept apart, and can be erased. */
  readonly content?: AuditContent;
  /** Milliseconds since the epoch. Default: now. */
  readonly at?: number;
}

/** What is kept beside a line. */
export interface AuditContent {
  /** Whose it is: it is erased with this user. */
  readonly userId: string;
  readonly value: JsonObject;
}

import type { Json, JsonObject } from '../common/index.js';
import type { OpenInterrupt } from '../events/index.js';

/** What a person is asked for: the permission for a tool call, or an input. */
export type InterruptKind = OpenInterrupt['kind'];

/** How a question stands. All but `pending` are final. */
export type InterruptStatus = 'pending' | 'approved' | 'denied' | 'answered' | 'cancelled' | 'expired';

/** Every status, for parsers and documents. */
export const INTERRUPT_STATUSES = ['pending', 'approved', 'denied', 'answered', 'cancelled', 'expired'] as const;

/** A question as everybody who may see it sees it. Times are milliseconds since the epoch. */
export interface InterruptView {
  readonly id: string;
  readonly kind: InterruptKind;
  readonly status: InterruptStatus;
  /** The run that asked. */
  readonly runId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly callId: string | null;
  readonly toolName: string | null;
  /** As the model wrote them; an edit is in `decision`. */
  readonly arguments: JsonObject | null;
  readonly serverLabel: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly responseSchema: JsonObject | null;
  readonly mayEdit: boolean;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly answeredAt: number | null;
  /** The run that goes on with the answer. */
  readonly resumedByRunId: string | null;
  /** `{approve, reason?, arguments?}` of an approval, `{payload}` of an input, `{reason?}` of a cancel. */
  readonly decision: JsonObject | null;
}

/** An answer as a wire brings it. */
export interface InterruptAnswer {
  readonly interruptId: string;
  /** `cancelled`: the person gave up; an approval then counts as denied. */
  readonly status: 'resolved' | 'cancelled';
  /** Of an approval. Absent: `payload` may be `{approved: boolean}` or `{approve: boolean}`. */
  readonly approve?: boolean;
  readonly reason?: string;
  /** Of an approval whose rule allows it: the whole arguments, instead of the model's. What is no object is refused. */
  readonly editedArguments?: Json;
  /** Of an input: checked against its response schema. */
  readonly payload?: Json;
}

/** A question that a run ends with. */
export interface AskedInterrupt {
  readonly item: OpenInterrupt;
  /** Which of an agent's inputs it is; null for approvals. */
  readonly key: string | null;
}

/** A question as the run that goes on with it sees it. */
export interface SettledInterrupt extends InterruptView {
  readonly key: string | null;
  /** The arguments' JSON text: the edited ones when there are any. */
  readonly argumentsText: string;
}

/** What a run that goes on has to know of the questions of its session. */
export interface Resumption {
  /** Approvals that are decided, and that this run acts on, in the order they were asked. */
  readonly approvals: readonly SettledInterrupt[];
  /** Answers to an agent's own questions, of the whole chain of runs. */
  readonly inputs: readonly SettledInterrupt[];
  /** Approvals that this run cannot act on: still open, or for a later run. */
  readonly waiting: readonly OpenInterrupt[];
}

/** What a run without answers knows. */
export const NO_RESUMPTION: Resumption = { approvals: [], inputs: [], waiting: [] };

/** What happened, as the audit trail names it. */
export type AuditAction = 'requested' | 'approved' | 'denied' | 'answered' | 'cancelled' | 'expired' | 'policy_denied';

/** A line for the audit trail about a call of the run that writes it. */
export interface AuditNote {
  readonly action: AuditAction;
  readonly callId: string;
  readonly toolName: string;
  readonly argumentsHash: string;
  readonly details: JsonObject;
}

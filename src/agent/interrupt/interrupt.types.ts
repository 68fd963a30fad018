import type { Actor, Json, JsonObject } from '../../common/index.js';
import type { OpenInterrupt } from '../../events/index.js';
import type { ApprovalBinding } from '../tools/index.js';

/** What an interrupt asks a person for: the approval of a tool call, or an input. */
export type InterruptKind = OpenInterrupt['kind'];

/** The state of an interrupt. All but `pending` are final. */
export type InterruptStatus = 'pending' | 'approved' | 'denied' | 'answered' | 'cancelled' | 'expired';

/** Every status, for parsers and documents. */
export const INTERRUPT_STATUSES = ['pending', 'approved', 'denied', 'answered', 'cancelled', 'expired'] as const;

/** Who may decide an approval, by the rule of the policy that asked for it (contract access, section 5.4). */
export interface Approvers {
  /** Patterns of role names, of which one must match; absent: any role, or none. */
  readonly roles?: readonly string[];
  /** Whether somebody else than the owner of the run and whoever started it has to decide. */
  readonly notOwner: boolean;
  /** Who started the run; null without authentication. */
  readonly startedBy: Actor | null;
}

/** Who answered an interrupt. */
export interface DecidedBy {
  readonly actor: Actor;
  /** The user that it acted for. */
  readonly userId: string;
  readonly requestId: string;
  /** Its roles at that time; absent in rows of earlier versions. Not shown to clients. */
  readonly roles?: readonly string[];
}

/** An interrupt as callers see it. Times are milliseconds since the epoch. */
export interface InterruptView {
  readonly id: string;
  readonly kind: InterruptKind;
  readonly status: InterruptStatus;
  /** The run that opened it. */
  readonly runId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly callId: string | null;
  readonly toolName: string | null;
  /** Those of the model, integers beyond 2^53 as text; edited arguments are in `decision`. */
  readonly arguments: JsonObject | null;
  /** The JSON text of `arguments`, exactly as the model wrote it. */
  readonly modelArguments: string | null;
  readonly serverLabel: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly responseSchema: JsonObject | null;
  readonly mayEdit: boolean;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly answeredAt: number | null;
  /** The run that resumed with the answer. */
  readonly resumedByRunId: string | null;
  /** `{approve, reason?, arguments?, argumentsText?}` of an approval (the text if it has integers beyond 2^53), `{payload}` of an input, `{reason?}` of a cancel. */
  readonly decision: JsonObject | null;
  /** Null: whoever may decide approvals. */
  readonly approvers: Approvers | null;
  /** What an approval is bound to; null for an input, and for an approval that an earlier version asked for. */
  readonly binding: ApprovalBinding | null;
  /** Null without authentication, and while it is pending. */
  readonly decidedBy: DecidedBy | null;
}

/** An interrupt in a list. */
export interface ListedInterrupt extends InterruptView {
  /** The agent of the run that opened it; null once that run is removed. */
  readonly agentType: string | null;
  /** The first words of the request that led to it; null if there are none, or once it is removed. */
  readonly requestText: string | null;
}

/** An answer as a client sends it. */
export interface InterruptAnswer {
  readonly interruptId: string;
  /** `cancelled`: the user declined to answer; an approval then counts as denied. */
  readonly status: 'resolved' | 'cancelled';
  /** Of an approval. Absent: `payload` may be `{approved: boolean}` or `{approve: boolean}`. */
  readonly approve?: boolean;
  readonly reason?: string;
  /** Of an approval whose rule allows it: an object with all arguments, in place of the model's. Large integers may be bigints. */
  readonly editedArguments?: Json;
  /** Of an input: validated against its response schema. */
  readonly payload?: Json;
}

/** An interrupt that a run ends with. */
export interface AskedInterrupt {
  readonly item: OpenInterrupt;
  /** Which of an agent's inputs it is; null for approvals. */
  readonly key: string | null;
  /** Of an approval: who may decide it. Absent: whoever may decide approvals. */
  readonly approvers?: Approvers;
  /** Of an approval. Absent where a request is repeated: it keeps the one that it has. */
  readonly binding?: ApprovalBinding;
}

/** An interrupt as the resumed run sees it. */
export interface SettledInterrupt extends InterruptView {
  readonly key: string | null;
  /** The arguments' JSON text: the edited ones when there are any. */
  readonly argumentsText: string;
}

/** What a resumed run needs to know of the interrupts of its session. */
export interface Resumption {
  /** Decided approvals that this run acts on, in the order they were opened. */
  readonly approvals: readonly SettledInterrupt[];
  /** Answered inputs of the whole chain of runs. */
  readonly inputs: readonly SettledInterrupt[];
  /** Approvals that this run cannot act on: pending, or resumed by a later run. */
  readonly waiting: readonly OpenInterrupt[];
}

/** The resumption of a run without answers. */
export const NO_RESUMPTION: Resumption = { approvals: [], inputs: [], waiting: [] };

/** A line of the audit trail about a tool call of the run that writes it. */
export interface AuditNote {
  readonly action: 'policy.denied';
  readonly callId: string;
  readonly toolName: string;
  readonly argumentsHash: string;
  /** The arguments, and why. Kept apart from the line. */
  readonly details: JsonObject;
}

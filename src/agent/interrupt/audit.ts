import type { AuditAct, AuditAction } from '../../audit/index.js';
import { type Actor, fingerprint, type JsonObject, type Origin, SERVER_ORIGIN } from '../../common/index.js';
import type { AskedInterrupt, AuditNote, DecidedBy, InterruptKind, InterruptStatus } from './interrupt.types.js';
import type { InterruptRun } from './ports/interrupt-store.js';

/** Whose interrupt it is. */
type Owner = Pick<InterruptRun, 'id' | 'tenantId' | 'userId' | 'sessionId'>;

/** An interrupt that has ended. */
interface EndedInterrupt {
  readonly id: string;
  readonly kind: InterruptKind;
  readonly callId: string | null;
  readonly toolName: string | null;
  readonly argumentsHash: string | null;
  /** The client's id of the run that goes on with its answer. */
  readonly resumedByRunId: string | null;
}

/** Without authentication nobody knows who answers. */
const UNKNOWN: Actor = { kind: 'none', id: 'anonymous' };

/** Stands for the tool and its arguments; null without a tool. */
export function hashOfCall(name: string | null, args: string | null): string | null {
  return name === null ? null : fingerprint({ name, arguments: args });
}

/** The line of an interrupt that is opened; its content is all that a person is asked. */
export function requestAct(run: Owner, item: AskedInterrupt['item'], now: number): AuditAct {
  const { id: interruptId, call_id: callId, tool_name: toolName, arguments: args } = item;
  return {
    ...actOf(run, `${item.kind}.requested`, byServer(run), now),
    ...{ subject: { kind: 'interrupt', id: interruptId }, interruptId, callId, toolName },
    content: contentOf(run, { ...item, arguments_hash: hashOfCall(toolName, args) }),
  };
}

/**
 * The line of an interrupt that is answered, canceled or expired.
 *
 * @param decidedBy null where it is not known; undefined where nobody decided
 * @param decision what was decided, and why
 */
export function endAct(
  run: Owner,
  { id, kind, callId, toolName, argumentsHash, resumedByRunId }: EndedInterrupt,
  end: {
    readonly status: Exclude<InterruptStatus, 'pending'>;
    readonly decision?: JsonObject;
    readonly decidedBy?: DecidedBy | null;
    /** What ended it, if nobody answered. */
    readonly cause?: 'new message' | 'cancel' | 'removal';
  },
  now: number,
): AuditAct {
  const { status, decision, decidedBy, cause } = end;
  const by = decidedBy === undefined ? byServer(run) : originOf(run, decidedBy);
  return {
    ...actOf(run, `${kind}.${status}` as AuditAction, by, now),
    ...{ subject: { kind: 'interrupt', id }, interruptId: id, callId, toolName },
    details: {
      ...(cause !== undefined && { by: cause }),
      ...(resumedByRunId !== null && { resumedBy: resumedByRunId }),
    },
    ...(decision && { content: contentOf(run, { ...decision, arguments_hash: argumentsHash }) }),
  };
}

/** The line that a run writes about one of its tool calls. */
export function noteAct(
  run: Owner,
  { action, callId, toolName, argumentsHash, details }: AuditNote,
  now: number,
): AuditAct {
  return {
    ...actOf(run, action, byServer(run), now),
    ...{ outcome: 'refused', subject: { kind: 'tool', id: toolName }, callId, toolName },
    content: contentOf(run, { ...details, arguments_hash: argumentsHash }),
  };
}

function actOf({ tenantId, id: runId }: Owner, action: AuditAction, by: Origin, at: number): AuditAct {
  return { tenantId, action, by, runId, at };
}

function contentOf({ userId, sessionId }: Owner, value: JsonObject): AuditAct['content'] {
  return { userId, value: { ...value, session_id: sessionId } };
}

/** An agent asks, or time passes: in the name of the owner. */
function byServer({ userId }: Owner): Origin {
  return { ...SERVER_ORIGIN, userId };
}

function originOf({ userId }: Owner, decidedBy: DecidedBy | null): Origin {
  if (!decidedBy) return { actor: UNKNOWN, userId, requestId: null, network: null };
  return { actor: decidedBy.actor, userId: decidedBy.userId, requestId: decidedBy.requestId, network: null };
}

import type { DecidedBy, InterruptView } from '../../interrupt/index.js';
import type { ApprovalDto } from './dto/approval.dto.js';
import type { InterruptDto } from './dto/interrupt.dto.js';

/** An approval as `GET /approvals` shows it. */
export function approvalView(view: InterruptView): ApprovalDto {
  return {
    id: view.id,
    status: view.status,
    runId: view.runId,
    sessionId: view.sessionId,
    callId: view.callId,
    toolName: view.toolName,
    arguments: view.arguments,
    serverLabel: view.serverLabel,
    reason: view.reason,
    message: view.message,
    mayEdit: view.mayEdit,
    createdAt: new Date(view.createdAt).toISOString(),
    expiresAt: isoOf(view.expiresAt),
    answeredAt: isoOf(view.answeredAt),
    resumedByRunId: view.resumedByRunId,
    decision: view.decision,
    ...(view.decidedBy && { decidedBy: shownDecider(view.decidedBy) }),
  };
}

/** An interrupt as `GET /interrupts` shows it. */
export function interruptView(view: InterruptView): InterruptDto {
  const { kind, responseSchema } = view;
  return Object.assign(approvalView(view), { kind, responseSchema });
}

/** Roles are kept for the policy alone. */
function shownDecider({ actor, userId, requestId }: DecidedBy): DecidedBy {
  return { actor, userId, requestId };
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

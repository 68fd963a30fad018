import type { Approvers, DecidedBy, InterruptView, ListedInterrupt } from '../../agent/interrupt/index.js';
import { isoTime, isoTimeOrNull } from '../../common/index.js';
import type { ApprovalDto } from './dto/approval.dto.js';
import type { ApproversDto, InterruptDto } from './dto/interrupt.dto.js';

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
    createdAt: isoTime(view.createdAt),
    expiresAt: isoTimeOrNull(view.expiresAt),
    answeredAt: isoTimeOrNull(view.answeredAt),
    resumedByRunId: view.resumedByRunId,
    decision: view.decision,
    ...(view.decidedBy && { decidedBy: shownDecider(view.decidedBy) }),
  };
}

/** An interrupt as `GET /interrupts` shows it. @param refusal why the caller may not answer it; null if it may */
export function interruptView(view: ListedInterrupt, refusal: string | null): InterruptDto {
  const { kind, responseSchema, userId, agentType: agent, requestText: request, approvers } = view;
  const more = { kind, responseSchema, userId, agent, request, refusal };
  return Object.assign(approvalView(view), more, { approvers: approvers && shownApprovers(approvers) });
}

/** Who has started the run is the policy's business alone. */
function shownApprovers({ roles = [], notOwner }: Approvers): ApproversDto {
  return { roles, notOwner };
}

/** Roles are kept for the policy alone. */
function shownDecider({ actor, userId, requestId }: DecidedBy): DecidedBy {
  return { actor, userId, requestId };
}

import { AppError, isSameActor, matchesGlob, missingScope, type Requester } from '../common/index.js';
import type { Approvers, DecidedBy, InterruptView } from './interrupt.types.js';

/**
 * Checks that somebody who reaches an interrupt may answer it (contract access, section 5.4). An approval needs the
 * right to decide, and the approver that its rule names; an agent's own question needs the right to continue runs.
 *
 * @param requester null without authentication: decides everything but what needs a certain approver
 * @throws AppError PERMISSION_DENIED, with a challenge that names the scope if one is missing
 */
export function assertMayAnswer(view: InterruptView, requester: Requester | null): void {
  if (view.kind !== 'approval') {
    if (requester && !requester.canWrite) throw missingScope('runs:write');
    return;
  }
  if (requester && !requester.canDecide) throw missingScope('approvals:decide');
  const { approvers } = view;
  if (!approvers) return;
  if (!requester) throw denied('This approval needs an approver whom the server has authenticated');
  if (!hasRole(approvers, requester))
    throw denied(`This approval needs an approver with the role ${rolesOf(approvers)}`);
  if (approvers.notOwner && isOwner(view, approvers, requester)) {
    throw denied('This approval needs an approver other than the owner of the run and whoever started it');
  }
}

/** What is kept of whoever answers. */
export function decidedByOf({ actor, userId, requestId }: Requester): DecidedBy {
  return { actor, userId, requestId };
}

function hasRole({ roles: patterns }: Approvers, { roles }: Requester): boolean {
  return patterns === undefined || patterns.some((pattern) => roles.some((role) => matchesGlob(pattern, role)));
}

/** A key that started the run is its starter under whatever name it acts. */
function isOwner({ userId }: InterruptView, { startedBy }: Approvers, requester: Requester): boolean {
  return requester.userId === userId || (startedBy !== null && isSameActor(startedBy, requester.actor));
}

function rolesOf({ roles = [] }: Approvers): string {
  return roles.join(' or ');
}

function denied(message: string): AppError {
  return new AppError('PERMISSION_DENIED', message);
}

import {
  AppError,
  isSameActor,
  matchesGlob,
  missingScope,
  type Principal,
  type Requester,
} from '../../common/index.js';
import { type ApprovalBinding, serverLabelOf, type ServerTool, toolIdentity } from '../tools/index.js';
import type { Approvers, DecidedBy, InterruptView, SettledInterrupt } from './interrupt.types.js';

/** Who decides, as far as rules of the policy ask; null without authentication. */
type Decider = Pick<DecidedBy, 'actor' | 'userId' | 'roles'> | null;

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
  const lack = view.approvers && lackOf(view.approvers, requester, view);
  if (lack !== null) throw new AppError('PERMISSION_DENIED', lack);
}

/** Why somebody may not answer an interrupt that waits, as a sentence; null if it may, and for one that does not wait. */
export function refusalOf(view: InterruptView, requester: Requester | null): string | null {
  if (view.status !== 'pending') return null;
  try {
    assertMayAnswer(view, requester);
    return null;
  } catch (error) {
    if (error instanceof AppError && error.code === 'PERMISSION_DENIED') return error.message;
    throw error;
  }
}

/** What is kept of whoever answers. */
export function decidedByOf({ actor, userId, requestId, roles }: Requester): DecidedBy {
  return { actor, userId, requestId, roles };
}

/** A rule of the policy that asks for an approval of a call, as it is now. */
export interface AskingRule {
  /** `ToolPolicy.ruleKey` */
  readonly key: string;
  readonly mayEdit: boolean;
  /** Absent: whoever may decide approvals. */
  readonly approvers?: Approvers | undefined;
}

/**
 * Whether the approval of a call holds where the policy asks for one: under the rule that asked. Under another rule,
 * because the policy has changed meanwhile, it holds if whoever decided may decide there too; edited arguments may have
 * brought the call under it, so they need an approval of their own.
 *
 * @param by who decides, or has decided
 */
export function holdsUnder(
  rule: AskingRule,
  { binding, userId }: Pick<InterruptView, 'binding' | 'userId'>,
  { isEdited, by }: { readonly isEdited: boolean; readonly by: Decider },
): boolean {
  if (binding?.rule === rule.key) return true;
  // An earlier version has kept no rule.
  if (isEdited && (binding !== null || !rule.mayEdit)) return false;
  return rule.approvers === undefined || lackOf(rule.approvers, by, { userId }) === null;
}

/** Whether an approval was asked for this tool. Of one that an earlier version asked for, only the server is known. */
export function isBoundTo(
  { binding, serverLabel }: { readonly binding: ApprovalBinding | null; readonly serverLabel: string | null },
  tool: ServerTool,
): boolean {
  return binding ? binding.tool === toolIdentity(tool) : (serverLabel ?? 'local') === serverLabelOf(tool);
}

/** Whether the person who approved a call has changed its arguments. */
export function isEdited({ decision }: Pick<SettledInterrupt, 'decision'>): boolean {
  return decision?.['arguments'] !== undefined;
}

/** Why somebody may not decide, as a sentence; null if nothing is missing. */
function lackOf(approvers: Approvers, by: Decider, { userId }: Pick<Principal, 'userId'>): string | null {
  if (!by) return 'This approval needs an approver whom the server has authenticated';
  const { roles: patterns, notOwner, startedBy } = approvers;
  const hasRole = (pattern: string): boolean => (by.roles ?? []).some((role) => matchesGlob(pattern, role));
  if (patterns && !patterns.some(hasRole)) {
    return `This approval needs an approver with the role ${patterns.join(' or ')}`;
  }
  // A key that started the run is its starter under whatever name it acts.
  const isOwner = by.userId === userId || (startedBy !== null && isSameActor(startedBy, by.actor));
  return notOwner && isOwner
    ? 'This approval needs an approver other than the owner of the run and whoever started it'
    : null;
}

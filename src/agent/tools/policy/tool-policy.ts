import { fingerprint, matchesGlob } from '../../../common/index.js';
import type { ServerTool } from '../tool.js';
import { holds, type PolicySubject } from './policy-condition.js';
import type { ApproverRule, PolicyRule } from './policy-rule.js';

/** The policy's decision on a call. */
export type PolicyDecision =
  | { readonly effect: 'allow' }
  | { readonly effect: 'deny'; readonly rule: number; readonly reason: string | null }
  | {
      readonly effect: 'ask';
      /** The rule's position in the file; null for the default policy and for restrictions of the run. */
      readonly rule: number | null;
      readonly reason: string | null;
      readonly expiresInMs: number;
      readonly mayEdit: boolean;
      /** Absent: whoever may decide approvals. */
      readonly approvers?: ApproverRule;
    };

/** The key of the default policy, and of restrictions of the run. */
const NO_RULE = 'default';

/**
 * Decides which tool calls are allowed, which are denied and which require an approval. The first rule that
 * matches decides. If none matches, unsafe and destructive tools require an approval and all others are
 * allowed.
 */
export class ToolPolicy {
  /** @param expiresInMs milliseconds until an approval expires if its rule does not say */
  constructor(
    private readonly rules: readonly PolicyRule[],
    private readonly expiresInMs: number,
  ) {}

  /** Sentences for the log about rules that need authentication. */
  warnings(isAuthenticated: boolean): readonly string[] {
    const asks = ({ conditions, approvers }: PolicyRule): boolean =>
      approvers !== undefined || conditions.some(({ tenant, user, roles }) => (tenant ?? user ?? roles) !== undefined);
    if (isAuthenticated || !this.rules.some(asks)) return [];
    return [
      'Rules of the tool policy ask for the tenant, the user, roles or approvers, and AUTH is none: requests can name any user, and nobody has a role or can decide where approvers are named.',
    ];
  }

  /**
   * Tells rules apart by what they apply to and who may decide, also in another version of the file, where they may have
   * other positions.
   *
   * @param rule as in a decision
   */
  ruleKey(rule: number | null): string {
    const found = this.rules.find(({ index }) => index === rule);
    if (!found) return NO_RULE;
    const { tools, effect, conditions, approvers } = found;
    const compared = conditions.map(({ comparison, ...rest }) => {
      return { ...rest, ...(comparison && { op: comparison.op, value: comparison.value }) };
    });
    return fingerprint({ tools, effect, conditions: compared, approvers: approvers ?? null });
  }

  decide(subject: PolicySubject): PolicyDecision {
    const rule = this.rules.find(
      ({ tools, conditions, effect }) =>
        tools.some((glob) => matchesGlob(glob, subject.tool.name)) &&
        conditions.every((one) => holds(one, subject, effect !== 'allow')),
    );
    if (!rule) return this.byDefault(subject.tool);
    const reason = rule.reason ?? null;
    if (rule.effect === 'allow') return this.allowed(subject.tool);
    if (rule.effect === 'deny') return { effect: 'deny', rule: rule.index, reason };
    const expiresInMs = rule.expiresInMs ?? this.expiresInMs;
    const { approvers, allowEdit: mayEdit } = rule;
    return { effect: 'ask', rule: rule.index, reason, expiresInMs, mayEdit, ...(approvers && { approvers }) };
  }

  /** True if a call of this tool could require an approval, as far as is known without its arguments. */
  mayAsk(subject: Omit<PolicySubject, 'args'>): boolean {
    if (subject.tool.requiresApproval) return true;
    for (const { tools, conditions, effect } of this.rules) {
      if (!tools.some((glob) => matchesGlob(glob, subject.tool.name))) continue;
      const known = conditions.filter(({ path }) => path === undefined);
      if (!known.every((one) => holds(one, { args: {}, ...subject }, effect !== 'allow'))) continue;
      if (effect === 'ask') return true;
      if (known.length === conditions.length) return false;
    }
    return isRisky(subject.tool);
  }

  private byDefault(tool: ServerTool): PolicyDecision {
    return isRisky(tool) ? this.asked() : this.allowed(tool);
  }

  /** An allowed call still requires an approval if the run's restrictions say so. */
  private allowed({ requiresApproval }: ServerTool): PolicyDecision {
    return requiresApproval ? this.asked() : { effect: 'allow' };
  }

  private asked(): PolicyDecision {
    return { effect: 'ask', rule: null, reason: null, expiresInMs: this.expiresInMs, mayEdit: false };
  }
}

/** Missing hints of an MCP server have the defaults of MCP: not read-only, and destructive. */
function isRisky({ origin, annotations, effects }: ServerTool): boolean {
  if (origin.kind === 'local') return effects === 'unsafe' || annotations?.destructiveHint === true;
  return annotations?.readOnlyHint !== true && annotations?.destructiveHint !== false;
}

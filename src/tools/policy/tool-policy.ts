import type { ServerTool } from '../tool.js';
import { matchesGlob } from './glob.js';
import { holds, type PolicySubject } from './policy-condition.js';
import type { PolicyRule } from './policy-rule.js';

/** What the policy says of a call. */
export type PolicyDecision =
  | { readonly effect: 'allow' }
  | { readonly effect: 'deny'; readonly rule: number; readonly reason: string | null }
  | {
      readonly effect: 'ask';
      /** The rule's place in the file; null for the default policy and for what the run itself asks for. */
      readonly rule: number | null;
      readonly reason: string | null;
      readonly expiresInMs: number;
      readonly mayEdit: boolean;
    };

/**
 * Decides which tool calls are made, which are denied and which need a person's permission. The first
 * rule that fits decides; where none does, unsafe and destructive tools ask and all others are allowed.
 */
export class ToolPolicy {
  /** @param expiresInMs how long an approval may be given where its rule does not say */
  constructor(
    private readonly rules: readonly PolicyRule[],
    private readonly expiresInMs: number,
  ) {}

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
    return { effect: 'ask', rule: rule.index, reason, expiresInMs, mayEdit: rule.allowEdit };
  }

  /** True when some arguments of this tool could need a permission: what is known of a call before its arguments. */
  mayAsk(subject: Omit<PolicySubject, 'args'>): boolean {
    if (subject.tool.needsPermission) return true;
    for (const { tools, conditions, effect } of this.rules) {
      if (!tools.some((glob) => matchesGlob(glob, subject.tool.name))) continue;
      const known = conditions.filter(({ path }) => path === undefined);
      if (!known.every((one) => holds(one, { ...subject, args: {} }, effect !== 'allow'))) continue;
      if (effect === 'ask') return true;
      if (known.length === conditions.length) return false;
    }
    return isRisky(subject.tool);
  }

  private byDefault(tool: ServerTool): PolicyDecision {
    return isRisky(tool) ? this.asked() : this.allowed(tool);
  }

  /** What no rule forbids is still asked for where the run says so. */
  private allowed({ needsPermission }: ServerTool): PolicyDecision {
    return needsPermission ? this.asked() : { effect: 'allow' };
  }

  private asked(): PolicyDecision {
    return { effect: 'ask', rule: null, reason: null, expiresInMs: this.expiresInMs, mayEdit: false };
  }
}

/** What an MCP server leaves unsaid is read as MCP says: not read-only, and destructive. */
function isRisky({ origin, annotations, effects }: ServerTool): boolean {
  if (origin.kind === 'local') return effects === 'unsafe' || annotations?.destructiveHint === true;
  return annotations?.readOnlyHint !== true && annotations?.destructiveHint !== false;
}

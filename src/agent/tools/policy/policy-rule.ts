import type { Json } from '../../../common/index.js';
import type { BoundedPattern } from '../bounded-pattern.js';
import type { ToolAnnotations } from '../tool.js';

/** The effects of a rule. */
export const POLICY_EFFECTS = ['allow', 'deny', 'ask'] as const;
/** The effect of a rule. */
export type PolicyEffect = (typeof POLICY_EFFECTS)[number];

/** The comparison operators. */
export const POLICY_OPERATORS = ['==', '!=', '>', '>=', '<', '<=', 'in', 'contains', 'matches', 'exists'] as const;
/** A comparison operator. */
export type PolicyOperator = (typeof POLICY_OPERATORS)[number];

/** The annotations that a condition may test. */
export const ANNOTATION_NAMES = [
  'title',
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
] as const;

/** A comparison with a value. The pattern of `matches` is compiled once. */
export interface Comparison {
  readonly op: PolicyOperator;
  readonly value: Json;
  readonly pattern?: BoundedPattern;
}

/** A condition on a call. All given parts must be true; of a list of globs, one must match. */
export interface PolicyCondition {
  readonly path?: readonly (string | number)[];
  readonly annotation?: keyof ToolAnnotations;
  /** Applied to `path` or `annotation`. */
  readonly comparison?: Comparison;
  readonly tenant?: readonly string[];
  readonly user?: readonly string[];
  /** One of the roles of whoever started the run. */
  readonly roles?: readonly string[];
  readonly agentType?: readonly string[];
  /** The label of the MCP server; `local` for this server's own tools. */
  readonly server?: readonly string[];
}

/** Who may decide the approvals that a rule asks for. All that is given must hold. */
export interface ApproverRule {
  /** Patterns of role names: one role of the approver must match one of them. Absent: any role, or none. */
  readonly roles?: readonly string[];
  /** Whether somebody else than the run's owner and whoever started it has to decide. */
  readonly notOwner: boolean;
}

/** A rule of the policy. */
export interface PolicyRule {
  /** The position in the file, from 0, for the audit log. */
  readonly index: number;
  /** Globs of tool names. */
  readonly tools: readonly string[];
  readonly effect: PolicyEffect;
  readonly conditions: readonly PolicyCondition[];
  /** For `ask`: milliseconds until the approval expires. */
  readonly expiresInMs?: number;
  /** For `ask`: whether the person may change the arguments. */
  readonly allowEdit: boolean;
  /** For `ask`: who may decide. Absent: whoever may decide approvals, the owner included. */
  readonly approvers?: ApproverRule;
  /** Shown to the person who decides, and to the model if the call is denied. */
  readonly reason?: string;
}

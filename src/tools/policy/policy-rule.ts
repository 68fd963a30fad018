import type { BoundedPattern } from '../bounded-pattern.js';
import type { Json } from '../../common/index.js';
import type { ToolAnnotations } from '../tool.js';

/** What a rule does with a call. */
export const POLICY_EFFECTS = ['allow', 'deny', 'ask'] as const;
export type PolicyEffect = (typeof POLICY_EFFECTS)[number];

/** How a value is compared. */
export const POLICY_OPERATORS = ['==', '!=', '>', '>=', '<', '<=', 'in', 'contains', 'matches', 'exists'] as const;
export type PolicyOperator = (typeof POLICY_OPERATORS)[number];

/** The annotations a condition may ask for. */
export const ANNOTATION_NAMES = [
  'title',
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
] as const;

/** A comparison with its value; a pattern is compiled once. */
export interface Comparison {
  readonly op: PolicyOperator;
  readonly value: Json;
  readonly pattern?: BoundedPattern;
}

/** What must be true of a call; all that a condition names. Globs: one of them must fit. */
export interface PolicyCondition {
  readonly path?: readonly (string | number)[];
  readonly annotation?: keyof ToolAnnotations;
  /** Of `path` or `annotation`. */
  readonly comparison?: Comparison;
  readonly tenant?: readonly string[];
  readonly user?: readonly string[];
  readonly agentType?: readonly string[];
  /** The label of the MCP server, `local` for a tool of this server. */
  readonly server?: readonly string[];
}

/** One rule of the policy. */
export interface PolicyRule {
  /** The place in the file, from 0, for the audit trail. */
  readonly index: number;
  /** Globs of tool names. */
  readonly tools: readonly string[];
  readonly effect: PolicyEffect;
  readonly conditions: readonly PolicyCondition[];
  /** Milliseconds; of `ask`. */
  readonly expiresInMs?: number;
  /** Of `ask`: the person may change the arguments. */
  readonly allowEdit: boolean;
  /** For the person, and for the model when the call is denied. */
  readonly reason?: string;
}

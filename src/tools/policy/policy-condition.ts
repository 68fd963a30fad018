import { canonicalJson, type Json, type JsonObject, type Principal } from '../../common/index.js';
import type { ServerTool } from '../tool.js';
import { matchesGlob } from './glob.js';
import { valueAt } from './policy-path.js';
import type { Comparison, PolicyCondition } from './policy-rule.js';

/** Of longer texts it is not told whether they fit a pattern. */
const LONGEST_MATCHED = 10_000;

/** A call as the policy sees it: its arguments have passed the tool's schema. */
export interface PolicySubject {
  readonly tool: ServerTool;
  readonly args: JsonObject;
  readonly principal: Principal;
  readonly agentType: string;
}

/** The label of the server a tool comes from; `local` for this one. */
export function serverLabelOf({ origin }: ServerTool): string {
  return origin.kind === 'mcp' ? origin.serverLabel : 'local';
}

/**
 * True when everything that the condition names is true of the call.
 *
 * @param unsure the answer when a pattern cannot be tried in time or values have no order: true for a rule that restricts
 */
export function holds(
  condition: PolicyCondition,
  { tool, args, principal, agentType }: PolicySubject,
  unsure: boolean,
): boolean {
  const { path, annotation, comparison } = condition;
  if (path && comparison && !compares(valueAt(args, path), comparison, unsure)) return false;
  if (annotation && comparison && !compares(tool.annotations?.[annotation], comparison, unsure)) return false;
  return (
    fits(condition.tenant, principal.tenantId) &&
    fits(condition.user, principal.userId) &&
    fits(condition.agentType, agentType) &&
    fits(condition.server, serverLabelOf(tool))
  );
}

function fits(globs: readonly string[] | undefined, text: string): boolean {
  return globs === undefined || globs.some((glob) => matchesGlob(glob, text));
}

/** A value that is not there differs from everything and is neither greater nor smaller than anything. */
function compares(actual: Json | undefined, { op, value, pattern }: Comparison, unsure: boolean): boolean {
  if (op === 'exists') return (actual !== undefined) === value;
  if (actual === undefined) return op === '!=';
  switch (op) {
    case '==':
      return same(actual, value);
    case '!=':
      return !same(actual, value);
    case 'in':
      return Array.isArray(value) && value.some((one) => same(actual, one));
    case 'contains':
      return contains(actual, value);
    case 'matches':
      if (typeof actual !== 'string') return false;
      return (actual.length > LONGEST_MATCHED ? undefined : pattern?.verdict(actual)) ?? unsure;
    default:
      return ordered(actual, op, value) ?? unsure;
  }
}

function same(a: Json, b: Json): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
}

function contains(actual: Json, value: Json): boolean {
  if (typeof actual === 'string') return typeof value === 'string' && actual.includes(value);
  return Array.isArray(actual) && actual.some((one) => same(one, value));
}

/** Numbers with numbers, texts with texts; undefined for all else, which has no order: `"500"` must not get round `> 100`. */
function ordered(actual: Json, op: '>' | '>=' | '<' | '<=', value: Json): boolean | undefined {
  const areNumbers = typeof actual === 'number' && typeof value === 'number';
  const areTexts = typeof actual === 'string' && typeof value === 'string';
  if (!areNumbers && !areTexts) return undefined;
  if (op === '>') return actual > value;
  if (op === '>=') return actual >= value;
  return op === '<' ? actual < value : actual <= value;
}

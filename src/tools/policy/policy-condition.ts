import { canonicalJson, type Json, type JsonObject, type Principal } from '../../common/index.js';
import type { ServerTool } from '../tool.js';
import { matchesGlob } from './glob.js';
import { valueAt } from './policy-path.js';
import type { Comparison, PolicyCondition } from './policy-rule.js';

/** Texts longer than this fit no pattern: they are not what a rule was written for. */
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

/** True when everything that the condition names is true of the call. */
export function holds(condition: PolicyCondition, { tool, args, principal, agentType }: PolicySubject): boolean {
  const { path, annotation, comparison } = condition;
  if (path && comparison && !compares(valueAt(args, path), comparison)) return false;
  if (annotation && comparison && !compares(tool.annotations?.[annotation], comparison)) return false;
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
function compares(actual: Json | undefined, { op, value, pattern }: Comparison): boolean {
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
      return typeof actual === 'string' && actual.length <= LONGEST_MATCHED && pattern?.test(actual) === true;
    default:
      return ordered(actual, op, value);
  }
}

function same(a: Json, b: Json): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
}

function contains(actual: Json, value: Json): boolean {
  if (typeof actual === 'string') return typeof value === 'string' && actual.includes(value);
  return Array.isArray(actual) && actual.some((one) => same(one, value));
}

/** Numbers with numbers, texts with texts; nothing else has an order. */
function ordered(actual: Json, op: '>' | '>=' | '<' | '<=', value: Json): boolean {
  const areNumbers = typeof actual === 'number' && typeof value === 'number';
  const areTexts = typeof actual === 'string' && typeof value === 'string';
  if (!areNumbers && !areTexts) return false;
  if (op === '>') return actual > value;
  if (op === '>=') return actual >= value;
  return op === '<' ? actual < value : actual <= value;
}

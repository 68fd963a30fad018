import {
  type Authority,
  canonicalJson,
  matchesGlob,
  type Json,
  type JsonObject,
  type Principal,
} from '../../../common/index.js';
import type { ServerTool } from '../tool.js';
import type { Comparison, PolicyCondition } from './policy-rule.js';

/** Longer texts are not tested against a pattern; the comparison is then undecided. */
const LONGEST_MATCHED = 10_000;

/** A call as the policy sees it. Its arguments are valid for the tool's schema. */
export interface PolicySubject {
  readonly tool: ServerTool;
  readonly args: JsonObject;
  readonly principal: Principal;
  /** Null without authentication: then there are no roles, and the user is whoever the request said. */
  readonly authority: Authority | null;
  readonly agentType: string;
}

/** The label of the MCP server that a tool comes from; `local` for this server's own tools. */
export function serverLabelOf({ origin }: Pick<ServerTool, 'origin'>): string {
  return origin.kind === 'mcp' ? origin.serverLabel : 'local';
}

/**
 * True if every part of the condition is true of the call.
 *
 * @param undecided the result if a pattern exceeds its time limit or values cannot be ordered: true for rules
 *   that restrict, so that they are not bypassed
 */
export function holds(
  condition: PolicyCondition,
  { tool, args, principal, authority, agentType }: PolicySubject,
  undecided: boolean,
): boolean {
  const { path, annotation, comparison } = condition;
  if (path && comparison && !compares(valueAt(args, path), comparison, undecided)) return false;
  if (annotation && comparison && !compares(tool.annotations?.[annotation], comparison, undecided)) return false;
  return (
    fits(condition.tenant, principal.tenantId) &&
    fits(condition.user, principal.userId) &&
    (condition.roles === undefined || (authority?.roles ?? []).some((role) => fits(condition.roles, role))) &&
    fits(condition.agentType, agentType) &&
    fits(condition.server, serverLabelOf(tool))
  );
}

function fits(globs: readonly string[] | undefined, text: string): boolean {
  return globs === undefined || globs.some((glob) => matchesGlob(glob, text));
}

/** A missing value is unequal to every value, and neither greater nor less than any. */
function compares(actual: Json | undefined, { op, value, pattern }: Comparison, undecided: boolean): boolean {
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
      return (actual.length > LONGEST_MATCHED ? undefined : pattern?.verdict(actual)) ?? undecided;
    default:
      return ordered(actual, op, value) ?? undecided;
  }
}

function same(a: Json, b: Json): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
}

function contains(actual: Json, value: Json): boolean {
  if (typeof actual === 'string') return typeof value === 'string' && actual.includes(value);
  return Array.isArray(actual) && actual.some((one) => same(one, value));
}

/** Compares two numbers or two texts; undefined for other values, so that `"500"` does not bypass `> 100`. */
function ordered(actual: Json, op: '>' | '>=' | '<' | '<=', value: Json): boolean | undefined {
  if (isNumber(actual) && isNumber(value)) return isOrdered(actual, op, value);
  return typeof actual === 'string' && typeof value === 'string' ? isOrdered(actual, op, value) : undefined;
}

function isOrdered<Value extends number | string>(actual: Value, op: '>' | '>=' | '<' | '<=', value: Value): boolean {
  if (op === '>') return actual > value;
  if (op === '>=') return actual >= value;
  return op === '<' ? actual < value : actual <= value;
}

/** Integers beyond 2^53 are bigints, in arguments as in rules. */
function isNumber(value: unknown): value is number {
  return typeof value === 'number' || typeof value === 'bigint';
}

const STEP = /^(?:\.([A-Za-z_$][\w$-]*)|\[(\d{1,6})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\])/;

/** Parses a path such as `$.amount`, `$.to[0].email` or `$["odd name"]`; undefined if it is not valid. */
export function parsePath(text: string): readonly (string | number)[] | undefined {
  if (!text.startsWith('$')) return undefined;
  const steps: (string | number)[] = [];
  for (let rest = text.slice(1); rest !== '';) {
    const match = STEP.exec(rest);
    if (!match) return undefined;
    const [whole, name, index, double, single] = match;
    steps.push(index === undefined ? (name ?? unescaped(double ?? single ?? '')) : Number(index));
    rest = rest.slice(whole.length);
  }
  return steps;
}

/** The value at a path; undefined if there is none. Inherited members are not found. */
export function valueAt(root: JsonObject, path: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string | number, Json>>)[step];
  }
  return value;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

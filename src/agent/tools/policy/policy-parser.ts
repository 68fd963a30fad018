import { readFileSync } from 'node:fs';
import { isPlainObject, type Json, parseDuration, parseExactJson } from '../../../common/index.js';
import { ConfigurationError } from '../../../config/index.js';
import { BoundedPattern } from '../bounded-pattern.js';
import type { ToolSettings } from '../tools.settings.js';
import { parsePath } from './policy-condition.js';
import {
  ANNOTATION_NAMES,
  type ApproverRule,
  type Comparison,
  POLICY_EFFECTS,
  POLICY_OPERATORS,
  type PolicyCondition,
  type PolicyRule,
} from './policy-rule.js';
import { ToolPolicy } from './tool-policy.js';

/** The largest policy file, in characters. */
const FILE_LIMIT = 1024 * 1024;

/**
 * The policy in TOOL_POLICY_FILE, or the default policy if none is set.
 *
 * @throws ConfigurationError that names every problem
 */
export function loadPolicy({ policyFile, approvalExpiresInMs }: ToolSettings): ToolPolicy {
  if (policyFile === undefined) return new ToolPolicy([], approvalExpiresInMs);
  const { rules, problems } = parsePolicy(textOf(policyFile));
  if (problems.length === 0) return new ToolPolicy(rules, approvalExpiresInMs);
  throw failure(problems.map((problem) => `names a file that cannot be used: ${problem}`));
}

function textOf(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';
    throw failure([`names a file that cannot be read (${code}): ${file}`]);
  }
  if (text.length > FILE_LIMIT) throw failure([`names a file of more than ${FILE_LIMIT} characters`]);
  return text.replace(/^\uFEFF/, '');
}

function failure(messages: readonly string[]): ConfigurationError {
  return new ConfigurationError(messages.map((message) => ({ name: 'TOOL_POLICY_FILE', message })));
}

const MAX_RULES = 1000;
const MAX_CONDITIONS = 50;
const LONGEST_TEXT = 500;
const YEAR_MS = 365 * 86_400_000;
const RULE_KEYS = ['tool', 'effect', 'when', 'expiresIn', 'allowEdit', 'approvers', 'reason', 'description'];
const CONDITION_KEYS = ['path', 'annotation', 'op', 'value', 'tenant', 'user', 'roles', 'agentType', 'server'];

/** The rules of a policy file, or its problems. Every problem starts with its location in the file. */
interface PolicyReading {
  readonly rules: readonly PolicyRule[];
  readonly problems: readonly string[];
}

/** Parses the text of a policy file: `{"rules": [{"tool": …, "effect": …, "when": …}]}`. */
export function parsePolicy(text: string): PolicyReading {
  const problems: string[] = [];
  const parser = new PolicyParser((at, rule) => problems.push(`${at} ${rule}`));
  const rules = parser.file(text);
  return { rules: problems.length > 0 ? [] : rules, problems };
}

/** Parses one file. Invalid parts are reported and left out. */
class PolicyParser {
  constructor(private readonly problem: (at: string, rule: string) => void) {}

  file(text: string): PolicyRule[] {
    let content: unknown;
    try {
      content = parseExactJson(text);
    } catch (error) {
      this.problem('the file', `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
    const source = this.object(content, 'the file', ['rules', '$schema', 'description']);
    const rules = source?.['rules'];
    if (source && !Array.isArray(rules)) this.problem('rules', 'must be a list');
    if (!Array.isArray(rules)) return [];
    if (rules.length > MAX_RULES) this.problem('rules', `must have at most ${MAX_RULES} entries`);
    return rules.slice(0, MAX_RULES).flatMap((rule, index) => this.rule(rule, index) ?? []);
  }

  private rule(value: unknown, index: number): PolicyRule | undefined {
    const at = `rules[${index}]`;
    const source = this.object(value, at, RULE_KEYS);
    if (!source) return undefined;
    const effect = this.choice(source['effect'], `${at}.effect`, POLICY_EFFECTS);
    const tools = this.globs(source['tool'], `${at}.tool`);
    const expiresInMs = this.expiry(source['expiresIn'], `${at}.expiresIn`);
    const allowEdit = source['allowEdit'] ?? false;
    if (typeof allowEdit !== 'boolean') this.problem(`${at}.allowEdit`, 'must be true or false');
    for (const key of ['expiresIn', 'allowEdit', 'approvers']) {
      if (source[key] !== undefined && effect !== 'ask') this.problem(`${at}.${key}`, 'is only for the effect ask');
    }
    const approvers = this.approvers(source['approvers'], `${at}.approvers`);
    const reason = this.text(source['reason'], `${at}.reason`);
    const conditions = this.conditions(source['when'], `${at}.when`);
    if (!effect || !tools) return undefined;
    const extras = {
      ...(expiresInMs !== undefined && { expiresInMs }),
      ...(reason !== undefined && { reason }),
      ...(approvers && { approvers }),
    };
    return { index, tools, effect, conditions, allowEdit: allowEdit === true, ...extras };
  }

  private approvers(value: unknown, at: string): ApproverRule | undefined {
    if (value === undefined) return undefined;
    const source = this.object(value, at, ['roles', 'notOwner']);
    if (!source) return undefined;
    const { roles, notOwner = false } = source;
    if (typeof notOwner !== 'boolean') this.problem(`${at}.notOwner`, 'must be true or false');
    if (roles === undefined && notOwner !== true) this.problem(at, 'must name roles, or notOwner with the value true');
    const globs = roles === undefined ? undefined : this.globs(roles, `${at}.roles`);
    return { notOwner: notOwner === true, ...(globs && { roles: globs }) };
  }

  private conditions(value: unknown, at: string): PolicyCondition[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [this.condition(value, at) ?? {}];
    if (value.length > MAX_CONDITIONS) this.problem(at, `must have at most ${MAX_CONDITIONS} entries`);
    return value.slice(0, MAX_CONDITIONS).map((one, index) => this.condition(one, `${at}[${index}]`) ?? {});
  }

  private condition(value: unknown, at: string): PolicyCondition | undefined {
    const source = this.object(value, at, CONDITION_KEYS);
    if (!source) return undefined;
    if (Object.keys(source).length === 0) this.problem(at, 'must name something: an empty condition holds always');
    const { path, annotation } = source;
    if (path !== undefined && annotation !== undefined) this.problem(at, 'must not have both path and annotation');
    const steps = typeof path === 'string' ? parsePath(path) : undefined;
    if (path !== undefined && !steps) this.problem(`${at}.path`, 'must be a path such as $.amount or $.to[0].email');
    const name = annotation === undefined ? undefined : this.choice(annotation, `${at}.annotation`, ANNOTATION_NAMES);
    const isCompared = path !== undefined || annotation !== undefined;
    if (!isCompared && (source['op'] !== undefined || source['value'] !== undefined)) {
      this.problem(at, 'must have a path or an annotation to compare');
    }
    const comparison = isCompared ? this.comparison(source, at) : undefined;
    const subject = {
      ...(steps && { path: steps }),
      ...(name && { annotation: name }),
      ...(comparison && { comparison }),
    };
    return { ...subject, ...this.scopes(source, at) };
  }

  private scopes(source: Record<string, unknown>, at: string): PolicyCondition {
    const names = ['tenant', 'user', 'roles', 'agentType', 'server'] as const;
    const entries = names.flatMap((name) => {
      const globs = source[name] === undefined ? undefined : this.globs(source[name], `${at}.${name}`);
      return globs ? [[name, globs] as const] : [];
    });
    return Object.fromEntries(entries);
  }

  private comparison(source: Record<string, unknown>, at: string): Comparison | undefined {
    const op = this.choice(source['op'], `${at}.op`, POLICY_OPERATORS);
    if (!op) return undefined;
    const given = source['value'] as Json | undefined;
    if (op === 'exists') {
      if (given !== undefined && typeof given !== 'boolean') this.problem(`${at}.value`, 'must be true or false');
      return { op, value: given ?? true };
    }
    if (given === undefined) {
      this.problem(`${at}.value`, 'is required');
      return undefined;
    }
    const isOrder = op === '>' || op === '>=' || op === '<' || op === '<=';
    if (isOrder && !['number', 'bigint', 'string'].includes(typeof given)) {
      this.problem(`${at}.value`, 'must be a number or a text');
    }
    if (op === 'in' && !Array.isArray(given)) this.problem(`${at}.value`, 'must be a list');
    return op === 'matches' ? this.pattern(given, `${at}.value`) : { op, value: given };
  }

  private pattern(value: Json, at: string): Comparison | undefined {
    const checked = checkPattern(value);
    if ('problem' in checked) {
      this.problem(at, checked.problem);
      return undefined;
    }
    return { op: 'matches', value, pattern: checked.pattern };
  }

  private object(value: unknown, at: string, keys: readonly string[]): Record<string, unknown> | undefined {
    if (!isPlainObject(value)) {
      this.problem(at, 'must be an object');
      return undefined;
    }
    for (const key of Object.keys(value)) {
      if (!keys.includes(key)) this.problem(at, `must not have "${key}"; known are ${keys.join(', ')}`);
    }
    return value;
  }

  private choice<Word extends string>(value: unknown, at: string, words: readonly Word[]): Word | undefined {
    const word = words.find((one) => one === value);
    if (!word) this.problem(at, `must be one of ${words.join(', ')}`);
    return word;
  }

  private globs(value: unknown, at: string): readonly string[] | undefined {
    const list: unknown[] = Array.isArray(value) ? value : [value];
    const isFine = list.length > 0 && list.every((one) => typeof one === 'string' && one !== '' && one.length <= 256);
    if (isFine) return list as string[];
    this.problem(at, 'must be a name with * and ?, or a list of such names');
    return undefined;
  }

  private expiry(value: unknown, at: string): number | undefined {
    if (value === undefined) return undefined;
    const ms = typeof value === 'string' ? parseDuration(value) : undefined;
    if (ms !== undefined && ms >= 1 && ms <= YEAR_MS) return ms;
    this.problem(at, 'must be a length of time such as 60s, 10m or 24h, at most 365d');
    return undefined;
  }

  private text(value: unknown, at: string): string | undefined {
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT) return value;
    this.problem(at, `must be a text of 1 to ${LONGEST_TEXT} characters`);
    return undefined;
  }
}

const LONGEST_PATTERN = 1000;

/** A valid pattern, or the problem as the end of a sentence. */
type CheckedPattern = { readonly pattern: BoundedPattern } | { readonly problem: string };

/** Compiles the pattern of a rule. It may match anywhere in the text, unless it uses ^ and $. */
function checkPattern(source: unknown): CheckedPattern {
  if (typeof source !== 'string' || source === '' || source.length > LONGEST_PATTERN) {
    return { problem: `must be a regular expression of 1 to ${LONGEST_PATTERN} characters` };
  }
  try {
    return { pattern: new BoundedPattern(source) };
  } catch (error) {
    return { problem: `is not a regular expression: ${error instanceof Error ? error.message : String(error)}` };
  }
}

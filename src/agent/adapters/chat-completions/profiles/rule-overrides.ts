import { isPlainObject, StartupError } from '../../../../common/index.js';
import { GENERIC_RULES, type RuleChange, type WireRules } from './wire-rules.js';

/** Which values a rule may have. */
interface Check {
  /** As the end of the sentence "The rule must be …". */
  readonly expectation: string;
  readonly accepts: (value: unknown) => boolean;
}

const TRUTH: Check = { expectation: 'true or false', accepts: (value) => typeof value === 'boolean' };
const OBJECT: Check = { expectation: 'an object', accepts: isPlainObject };
const TEXTS: Check = {
  expectation: 'a list of texts',
  accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};

/** The rules whose values follow from more than their type. */
const CHECKS: Readonly<Partial<Record<keyof WireRules, Check>>> = {
  limit: oneOf('max_tokens', 'max_completion_tokens'),
  rename: objectOf('texts', (value) => typeof value === 'string'),
  effort: objectOf('objects', isPlainObject),
  toolsEffort: {
    expectation: 'a text or null',
    accepts: (value) => value === null || (typeof value === 'string' && value !== ''),
  },
  withThinking: nested(),
  withoutThinking: nested(),
  toolChoices: listOf('none', 'required', 'named'),
  requiredWord: oneOf('required', 'any'),
  jsonSchema: oneOf('full', 'simple', 'object', 'text'),
  jsonObject: oneOf('object', 'schema', 'text'),
  toolSchema: oneOf('common', 'kimi', 'gemini', 'strict', 'llamacpp'),
  maxTools: {
    expectation: 'a whole number from 0 to 10000',
    accepts: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 10_000,
  },
  system: oneOf('any', 'first', 'user'),
  callsPerMessage: oneOf('all', 'one'),
  callIds: oneOf('any', 'short', 'nine'),
  images: oneOf('all', 'inline', 'none'),
  thoughts: oneOf('same', 'reasoning_content', 'reasoning', 'never'),
  thoughtsOf: oneOf('all', 'turn'),
};

/**
 * The rules of `LLM_COMPAT` (contract model-servers, section 0).
 *
 * @param value its JSON
 * @param setting what errors call it
 * @throws StartupError that names every member that is no rule, or whose value cannot be used
 */
export function ruleOverrides(value: unknown, setting = 'LLM_COMPAT'): RuleChange {
  const problems = problemsIn(value);
  if (problems.length > 0) throw new StartupError(`${setting} cannot be used: ${problems.join('; ')}`);
  return value as RuleChange;
}

function problemsIn(value: unknown): string[] {
  if (!isPlainObject(value)) return ['it must be a JSON object'];
  return Object.entries(value).flatMap(([name, given]) => {
    if (!Object.hasOwn(GENERIC_RULES, name)) {
      return [`${JSON.stringify(name)} is no rule (there are ${Object.keys(GENERIC_RULES).join(', ')})`];
    }
    const { expectation, accepts } = checkOf(name as keyof WireRules);
    return accepts(given) ? [] : [`${name} must be ${expectation}`];
  });
}

function checkOf(name: keyof WireRules): Check {
  const usual = GENERIC_RULES[name];
  return CHECKS[name] ?? (Array.isArray(usual) ? TEXTS : typeof usual === 'boolean' ? TRUTH : OBJECT);
}

function oneOf(...words: readonly string[]): Check {
  return {
    expectation: `one of ${words.join(', ')}`,
    accepts: (value) => typeof value === 'string' && words.includes(value),
  };
}

function listOf(...words: readonly string[]): Check {
  return {
    expectation: `a list of ${words.join(', ')}`,
    accepts: (value) => Array.isArray(value) && value.every((item) => words.includes(item as string)),
  };
}

function objectOf(what: string, accepts: (value: unknown) => boolean): Check {
  return {
    expectation: `an object of ${what}`,
    accepts: (value) => isPlainObject(value) && Object.values(value).every(accepts),
  };
}

/** Rules within rules, one level deep. */
function nested(): Check {
  return {
    expectation: 'an object of rules',
    accepts: (value) =>
      isPlainObject(value) &&
      !('withThinking' in value || 'withoutThinking' in value) &&
      problemsIn(value).length === 0,
  };
}

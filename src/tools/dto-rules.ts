import type { Json, JsonObject } from '../common/index.js';

/** One class-validator decorator: its name and arguments. */
export interface Rule {
  readonly name?: string;
  readonly constraints?: readonly unknown[];
}

type Keywords = (constraints: readonly unknown[]) => JsonObject;

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const bound = (keyword: string, value: unknown): JsonObject => (typeof value === 'number' ? { [keyword]: value } : {});
const constant =
  (keywords: JsonObject): Keywords =>
  () => ({ ...keywords });

/** The JSON Schema keywords that say the same as a class-validator decorator. */
const KEYWORDS: Readonly<Record<string, Keywords>> = {
  isString: constant({ type: 'string' }),
  isNumber: constant({ type: 'number' }),
  isInt: constant({ type: 'integer' }),
  isBoolean: constant({ type: 'boolean' }),
  isObject: constant({ type: 'object' }),
  isPositive: constant({ exclusiveMinimum: 0 }),
  isNegative: constant({ exclusiveMaximum: 0 }),
  isEmail: constant({ type: 'string', format: 'email' }),
  isUrl: constant({ type: 'string', format: 'uri' }),
  isUuid: constant({ type: 'string', format: 'uuid' }),
  isNotEmpty: constant({}),
  isIn: ([values]) => ({ enum: [...(values as readonly Json[])] }),
  isEnum: ([, values]) => ({ enum: [...(values as readonly Json[])] }),
  equals: ([value]) => ({ const: value as Json }),
  min: ([value]) => ({ minimum: number(value) }),
  max: ([value]) => ({ maximum: number(value) }),
  minLength: ([value]) => ({ minLength: number(value) }),
  maxLength: ([value]) => ({ maxLength: number(value) }),
  isLength: ([least, most]) => ({ ...bound('minLength', least), ...bound('maxLength', most) }),
  isDivisibleBy: ([value]) => ({ multipleOf: number(value) }),
  arrayMinSize: ([value]) => ({ minItems: number(value) }),
  arrayMaxSize: ([value]) => ({ maxItems: number(value) }),
  arrayNotEmpty: constant({ minItems: 1 }),
  arrayUnique: constant({ uniqueItems: true }),
  matches: ([pattern]): JsonObject =>
    pattern instanceof RegExp && pattern.flags === '' ? { pattern: pattern.source } : {},
};

/** The JSON Schema keywords of a rule; nothing for a rule that JSON Schema cannot say. */
export function ruleKeywords(rule: Rule): JsonObject {
  return (rule.name === undefined ? undefined : KEYWORDS[rule.name])?.(rule.constraints ?? []) ?? {};
}

import type { Json, JsonObject } from '../../../../common/index.js';
import type { ArgumentsClass } from '../../agent-tool.decorator.js';
import { setViolationMessage } from '../../violation-messages.js';
import {
  designType,
  documentation,
  initialValues,
  isDateProperty,
  nestedClassOf,
  type RuleMetadata,
  rulesByProperty,
} from './argument-class.js';

/**
 * Makes a JSON Schema from a class with class-validator decorators: types, ranges, lengths, `IsIn`,
 * `IsEnum`, formats, dates, arrays, nested classes and `IsOptional`. A property with an initial value is optional, and the
 * value is its default. Descriptions, other defaults and the class of array items come from
 * `@ApiProperty({ description, default, type })`, or the class from `@Type()`. Additional properties are refused.
 * The `message` of a decorator is what `SchemaValidator` says of a value that violates it.
 *
 * @throws Error if a class contains itself, or if the class of a nested property is not known
 */
export function dtoSchema(dto: ArgumentsClass): JsonObject {
  return classSchema(dto, []);
}

function classSchema(dto: ArgumentsClass, path: readonly ArgumentsClass[]): JsonObject {
  if (path.includes(dto)) throw new Error(`${dto.name} contains itself; give a JSON Schema instead`);
  const initial = initialValues(dto);
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const [property, rules] of rulesByProperty(dto)) {
    const schema = propertySchema(dto, property, rules, [...path, dto]);
    const value = initial.get(property)?.value;
    properties[property] = value === undefined ? schema : Object.assign(schema, { default: value });
    const isOptional = initial.has(property) || rules.some((rule) => rule.type === 'conditionalValidation');
    if (!isOptional) required.push(property);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function propertySchema(
  dto: ArgumentsClass,
  property: string,
  rules: readonly RuleMetadata[],
  path: readonly ArgumentsClass[],
): JsonObject {
  const designed = designType(dto, property);
  const documented = documentation(dto, property);
  const isArray = designed === Array || rules.some((rule) => rule.each || rule.name === 'isArray');
  const nested = rules.some((rule) => rule.type === 'nestedValidation');
  const item: JsonObject = nested ? nestedSchema(dto, property, path) : {};
  if (!nested && isDateProperty(dto, property, rules)) Object.assign(item, DATE);
  const whole: JsonObject = {};
  for (const rule of rules) {
    Object.assign(isArray && rule.each ? item : isArray ? whole : item, ruleKeywords(rule));
  }
  const schema: JsonObject = isArray
    ? { type: 'array', ...(Object.keys(item).length > 0 && { items: item }), ...whole, ...notes(documented) }
    : { ...defaultType(designed, item), ...item, ...notes(documented) };
  for (const rule of rules) setMessage(isArray && rule.each ? item : schema, dto, rule);
  return schema;
}

/** Keeps the message of a decorator for the keywords that express it, with its placeholders replaced. */
function setMessage(schema: JsonObject, dto: ArgumentsClass, rule: RuleMetadata): void {
  const { message, propertyName: property, constraints = [] } = rule;
  const keywords = Object.keys(ruleKeywords(rule));
  if (message === undefined || keywords.length === 0) return;
  setViolationMessage(schema, keywords, (value) => {
    const args = { value, constraints: [...constraints], targetName: dto.name, object: {}, property };
    const text = typeof message === 'function' ? message(args) : message;
    return text
      .replace(/\$constraint(\d+)/g, (_, n: string) => String(constraints[Number(n) - 1]))
      .replace(/\$(value|property|target)/g, (_, name: string) =>
        String({ value: shown(value), property, target: dto.name }[name]),
      );
  });
}

/** A value within a message: class-validator does not show objects either. */
function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'the value' : String(value);
}

/** A time with its zone: tools get it as a date. */
const DATE = { type: 'string', format: 'date-time' } as const;

/** The declared TypeScript type, for a property whose decorators do not determine one. */
function defaultType(designed: unknown, schema: JsonObject): JsonObject {
  if ('type' in schema || 'enum' in schema) return {};
  if (designed === String) return { type: 'string' };
  if (designed === Number) return { type: 'number' };
  if (designed === Boolean) return { type: 'boolean' };
  return {};
}

function nestedSchema(dto: ArgumentsClass, property: string, path: readonly ArgumentsClass[]): JsonObject {
  const nested = nestedClassOf(dto, property);
  if (nested) return classSchema(nested, path);
  throw new Error(`The class of ${property} is not known: add @ApiProperty({ type: [Item] }) or @Type(() => Item)`);
}

function notes(documented: Record<string, unknown>): JsonObject {
  const result: JsonObject = {};
  if (typeof documented['description'] === 'string') result['description'] = documented['description'];
  if (documented['default'] !== undefined) result['default'] = documented['default'] as Json;
  return result;
}

type Keywords = (constraints: readonly unknown[]) => JsonObject;

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const bound = (keyword: string, value: unknown): JsonObject => (typeof value === 'number' ? { [keyword]: value } : {});
const constant =
  (keywords: JsonObject): Keywords =>
  () => ({ ...keywords });

/** The JSON Schema keywords equivalent to each class-validator decorator. */
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

/** The JSON Schema keywords of a rule; empty for a rule that JSON Schema cannot express. */
function ruleKeywords(rule: RuleMetadata): JsonObject {
  return (rule.name === undefined ? undefined : KEYWORDS[rule.name])?.(rule.constraints ?? []) ?? {};
}

import { getMetadataStorage, type ValidationArguments } from 'class-validator';
import 'reflect-metadata';
import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import { setViolationMessage } from '../violation-messages.js';
import type { ArgumentsClass } from './agent-tool.decorator.js';

/** The metadata key of `@ApiProperty()` of @nestjs/swagger. */
const API_PROPERTY_KEY = 'swagger/apiModelProperties';

interface RuleMetadata extends Rule {
  readonly type: string;
  readonly propertyName: string;
  readonly each: boolean;
  /** The sentence that the author of the class gave for a violation. */
  readonly message?: string | ((args: ValidationArguments) => string);
}

/**
 * Makes a JSON Schema from a class with class-validator decorators: types, ranges, lengths, `IsIn`,
 * `IsEnum`, formats, arrays, nested classes and `IsOptional`. Descriptions, defaults and the class of
 * array items come from `@ApiProperty({ description, default, type })`. Additional properties are refused. The `message`
 * of a decorator is what `SchemaValidator` says of a value that violates it.
 *
 * @throws Error if a class contains itself, or if the class of a nested property is not known
 */
export function dtoSchema(dto: ArgumentsClass): JsonObject {
  return classSchema(dto, []);
}

function classSchema(dto: ArgumentsClass, path: readonly ArgumentsClass[]): JsonObject {
  if (path.includes(dto)) throw new Error(`${dto.name} contains itself; give a JSON Schema instead`);
  const byProperty = new Map<string, RuleMetadata[]>();
  for (const rule of rulesOf(dto)) {
    byProperty.set(rule.propertyName, [...(byProperty.get(rule.propertyName) ?? []), rule]);
  }
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const [property, rules] of byProperty) {
    properties[property] = propertySchema(dto, property, rules, [...path, dto]);
    if (!rules.some((rule) => rule.type === 'conditionalValidation')) required.push(property);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function rulesOf(dto: ArgumentsClass): RuleMetadata[] {
  return getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
}

function propertySchema(
  dto: ArgumentsClass,
  property: string,
  rules: readonly RuleMetadata[],
  path: readonly ArgumentsClass[],
): JsonObject {
  const prototype = dto.prototype as object;
  const designed: unknown = Reflect.getMetadata('design:type', prototype, property);
  const documented = documentation(prototype, property);
  const isArray = designed === Array || rules.some((rule) => rule.each || rule.name === 'isArray');
  const nested = rules.some((rule) => rule.type === 'nestedValidation');
  const item: JsonObject = nested ? nestedSchema(documented['type'], designed, property, path) : {};
  const whole: JsonObject = {};
  for (const rule of rules) {
    Object.assign(isArray && rule.each ? item : isArray ? whole : item, ruleKeywords(rule));
  }
  const schema: JsonObject = isArray
    ? { type: 'array', ...(Object.keys(item).length > 0 ? { items: item } : {}), ...whole, ...notes(documented) }
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
    const args = { value: value as unknown, constraints: [...constraints], targetName: dto.name, object: {}, property };
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

/** The declared TypeScript type, for a property whose decorators do not determine one. */
function defaultType(designed: unknown, schema: JsonObject): JsonObject {
  if ('type' in schema || 'enum' in schema) return {};
  if (designed === String) return { type: 'string' };
  if (designed === Number) return { type: 'number' };
  if (designed === Boolean) return { type: 'boolean' };
  return {};
}

function nestedSchema(
  documentedType: unknown,
  designed: unknown,
  property: string,
  path: readonly ArgumentsClass[],
): JsonObject {
  const named: unknown = Array.isArray(documentedType) ? documentedType[0] : documentedType;
  const candidate = resolveClass(named) ?? (designed === Array ? undefined : resolveClass(designed));
  if (candidate) return classSchema(candidate, path);
  throw new Error(`The class of ${property} is not known: add @ApiProperty({ type: [Item] })`);
}

/** A class, or the class returned by a `() => Class` or `() => [Class]`. */
function resolveClass(value: unknown): ArgumentsClass | undefined {
  if (typeof value !== 'function' || value === Object) return undefined;
  if (value.prototype !== undefined && rulesOf(value as ArgumentsClass).length > 0) return value as ArgumentsClass;
  if (value.prototype !== undefined) return undefined;
  const lazy: unknown = (value as () => unknown)();
  return resolveClass(Array.isArray(lazy) ? lazy[0] : lazy);
}

function documentation(prototype: object, property: string): Record<string, unknown> {
  const documented: unknown = Reflect.getMetadata(API_PROPERTY_KEY, prototype, property);
  return isPlainObject(documented) ? documented : {};
}

function notes(documented: Record<string, unknown>): JsonObject {
  const result: JsonObject = {};
  if (typeof documented['description'] === 'string') result['description'] = documented['description'];
  if (documented['default'] !== undefined) result['default'] = documented['default'] as Json;
  return result;
}

/** One class-validator decorator: its name and arguments. */
interface Rule {
  readonly name?: string;
  readonly constraints?: readonly unknown[];
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
function ruleKeywords(rule: Rule): JsonObject {
  return (rule.name === undefined ? undefined : KEYWORDS[rule.name])?.(rule.constraints ?? []) ?? {};
}

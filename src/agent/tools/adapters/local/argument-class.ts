import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, type ValidationArguments } from 'class-validator';
import { isPlainObject, type Json, type JsonObject } from '../../../../common/index.js';
import type { ArgumentsClass } from '../../agent-tool.decorator.js';

/** The metadata key of `@ApiProperty()` of @nestjs/swagger. */
const API_PROPERTY_KEY = 'swagger/apiModelProperties';

/** `@Type()`, `@Transform()` and initial values hold; names and visibility are those of the schema. */
const TRANSFORM = { ignoreDecorators: true } as const;

/** One decorator of class-validator on a property. */
export interface RuleMetadata {
  /** Its name, for example `isInt`; absent for decorators that are no check. */
  readonly name?: string;
  readonly constraints?: readonly unknown[];
  /** What kind of decorator it is, such as `nestedValidation`. */
  readonly type: string;
  readonly propertyName: string;
  readonly each: boolean;
  /** The sentence that the author of the class gave for a violation. */
  readonly message?: string | ((args: ValidationArguments) => string);
}

/** The decorators of class-validator on the properties of a class and its base classes. */
export function rulesOf(dto: ArgumentsClass): readonly RuleMetadata[] {
  return getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
}

/** What `@ApiProperty()` says about a property; empty without it. */
export function documentation(dto: ArgumentsClass, property: string): Record<string, unknown> {
  const documented: unknown = Reflect.getMetadata(API_PROPERTY_KEY, dto.prototype as object, property);
  return isPlainObject(documented) ? documented : {};
}

/** The declared TypeScript type of a property, as far as the compiler emits it. */
export function designType(dto: ArgumentsClass, property: string): unknown {
  return Reflect.getMetadata('design:type', dto.prototype as object, property);
}

/**
 * The class of a property, or of its items: that of `@Type()`, of `@ApiProperty({ type })`, or the declared type. Undefined
 * if none of them is a class with decorators of class-validator.
 */
export function nestedClassOf(dto: ArgumentsClass, property: string): ArgumentsClass | undefined {
  const typed = typedValue(dto, property, {});
  if (typed !== undefined && typed !== null) return resolveClass(typed.constructor);
  const { type } = documentation(dto, property);
  const designed = designType(dto, property);
  return (
    resolveClass(Array.isArray(type) ? type[0] : type) ?? (designed === Array ? undefined : resolveClass(designed))
  );
}

/** Whether the values of a property, or its items, are dates. */
export function isDateProperty(dto: ArgumentsClass, property: string, rules: readonly RuleMetadata[]): boolean {
  if (rules.some(({ name }) => name === 'isDate') || designType(dto, property) === Date) return true;
  return typedValue(dto, property, '2000-01-01T00:00:00Z') instanceof Date;
}

/** What is known of a value that a class gives to a property by itself. */
export interface InitialValue {
  /** As JSON, if it is the same for every instance. */
  readonly value?: Json;
}

/** The properties that instances of a class have from the beginning, such as `unit = 'g'`. */
export function initialValues(dto: ArgumentsClass): ReadonlyMap<string, InitialValue> {
  const [one, other] = [freshInstance(dto), freshInstance(dto)];
  const entries = Object.entries(one).filter(([, value]) => value !== undefined && typeof value !== 'function');
  return new Map(
    entries.map(([property, value]) => {
      const json = jsonOf(value);
      const isSame = json !== undefined && JSON.stringify(json) === JSON.stringify(jsonOf(other[property]));
      return [property, isSame ? { value: json } : {}];
    }),
  );
}

/**
 * An instance of an argument class with valid arguments: initial values hold where an argument is missing, nested objects
 * are instances of their classes, and times are dates. Integers beyond 2^53 stay bigints.
 */
export function argumentInstance(dto: ArgumentsClass, args: JsonObject): object {
  const plan = planOf(dto);
  const members = Object.entries(args).map(([property, value]): [string, unknown] => {
    const { nested, isDate, isTyped } = plan.get(property) ?? PLAIN;
    // What has `@Type()` is made by class-transformer itself.
    if (isTyped || !(nested || isDate)) return [property, value];
    const make = (item: Json): unknown => {
      if (isDate) return typeof item === 'string' ? new Date(item) : item;
      return nested && isPlainObject(item) ? argumentInstance(nested, item) : item;
    };
    return [property, Array.isArray(value) ? value.map(make) : make(value)];
  });
  return plainToInstance(dto as new () => object, Object.fromEntries(members), TRANSFORM);
}

/** The arguments with the initial values of the class, as JSON: what the tool computes with. */
export function withInitialValues(dto: ArgumentsClass, args: JsonObject): JsonObject {
  const plan = planOf(dto);
  const fresh = freshInstance(dto);
  const missing = [...plan.keys()].flatMap((property): [string, Json][] => {
    const value = Object.hasOwn(args, property) ? undefined : jsonOf(fresh[property]);
    return value === undefined ? [] : [[property, value]];
  });
  const given = Object.entries(args).map(([property, value]): [string, Json] => {
    const nested = plan.get(property)?.nested;
    const complete = (item: Json): Json => (nested && isPlainObject(item) ? withInitialValues(nested, item) : item);
    return [property, Array.isArray(value) ? value.map(complete) : complete(value)];
  });
  return Object.fromEntries([...given, ...missing]);
}

/** The decorators of each property. */
export function rulesByProperty(dto: ArgumentsClass): ReadonlyMap<string, readonly RuleMetadata[]> {
  const byProperty = new Map<string, RuleMetadata[]>();
  for (const rule of rulesOf(dto)) {
    byProperty.set(rule.propertyName, [...(byProperty.get(rule.propertyName) ?? []), rule]);
  }
  return byProperty;
}

/** How the values of a property become those of an instance. */
interface Conversion {
  /** The class of nested objects. */
  readonly nested?: ArgumentsClass | undefined;
  readonly isDate: boolean;
  /** Whether class-transformer knows the class, by `@Type()`. */
  readonly isTyped: boolean;
}

const PLAIN: Conversion = { isDate: false, isTyped: false };
const plans = new WeakMap<ArgumentsClass, ReadonlyMap<string, Conversion>>();

/** The conversions of the properties of a class. */
function planOf(dto: ArgumentsClass): ReadonlyMap<string, Conversion> {
  let plan = plans.get(dto);
  if (plan) return plan;
  const entries = [...rulesByProperty(dto)].map(([property, rules]): [string, Conversion] => {
    const isNested = rules.some(({ type }) => type === 'nestedValidation');
    const nested = isNested ? nestedClassOf(dto, property) : undefined;
    const isTyped = typedValue(dto, property, {}) !== undefined;
    return [property, { nested, isTyped, isDate: !isNested && isDateProperty(dto, property, rules) }];
  });
  plans.set(dto, (plan = new Map(entries)));
  return plan;
}

/**
 * What `@Type()` makes of a value; undefined without the decorator. class-transformer has no public way to read its
 * decorators.
 */
function typedValue(dto: ArgumentsClass, property: string, probe: Json): object | undefined {
  try {
    const made = plainToInstance(dto as new () => object, { [property]: probe }, TRANSFORM) as Record<string, unknown>;
    const value = made[property];
    return typeof value === 'object' && value !== null && value.constructor !== Object ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A class, or the class returned by a `() => Class` or `() => [Class]`. */
function resolveClass(value: unknown): ArgumentsClass | undefined {
  if (typeof value !== 'function' || value === Object) return undefined;
  if (value.prototype !== undefined && rulesOf(value as ArgumentsClass).length > 0) return value as ArgumentsClass;
  if (value.prototype !== undefined) return undefined;
  const lazy: unknown = (value as () => unknown)();
  return resolveClass(Array.isArray(lazy) ? lazy[0] : lazy);
}

/** Empty for a class whose constructor throws. */
function freshInstance(dto: ArgumentsClass): Record<string, unknown> {
  try {
    return new (dto as new () => object)() as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** A value as JSON; undefined if it has no equal there. */
function jsonOf(value: unknown): Json | undefined {
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) return undefined;
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

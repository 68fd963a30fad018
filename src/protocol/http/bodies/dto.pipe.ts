import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidationTypes, validateSync } from 'class-validator';
import { AppError, isPlainObject } from '../../../common/index.js';

/** A class whose properties have the decorators of class-validator. */
type DtoClass<T extends object> = new () => T;

/** What is known of a DTO class. */
interface Shape {
  readonly keys: readonly string[];
  /** Those that are objects of a class of their own. Any other object is any JSON, which is neither copied nor walked. */
  readonly nested: ReadonlySet<string>;
  /** True when an object without any of the keys is valid. */
  readonly mayBeEmpty: boolean;
}

/** What `Closed` and `AnyJson` declare, by the prototype of the class. */
const closed = new WeakSet<object>();
const nullable = new WeakMap<object, Set<string>>();
const shapes = new WeakMap<DtoClass<object>, Shape>();

/**
 * A class of bodies that have no other fields, because a mistyped name must not count as left out. The body itself may be
 * absent, and a field that is null stays null.
 */
export function Closed(): ClassDecorator {
  return ({ prototype }) => void closed.add(prototype as object);
}

/** A property that may be any JSON, null included; elsewhere null counts as absent. */
export function AnyJson(): PropertyDecorator {
  return (target, property) => {
    const names = nullable.get(target) ?? new Set<string>();
    nullable.set(target, names.add(String(property)));
  };
}

/** Whether a body has a field: null counts as absent, unless the field may be any JSON. */
export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/**
 * Checks a small flat object, such as a query or the body of a small route, and makes an instance of its DTO class. Only
 * the fields that the class declares are looked at.
 *
 * @throws AppError PARAMETER_VALIDATION with one detail per field; for a field that a closed class does not have
 */
export function toDto<T extends object>(Dto: DtoClass<T>, given: unknown): T {
  if (given instanceof Dto) return given;
  const isClosed = closed.has(Dto.prototype as object);
  const value = isClosed ? (given ?? {}) : given;
  if (!isPlainObject(value)) throw new AppError('PARAMETER_VALIDATION', 'The request body must be a JSON object');
  const dto = instanceOf(Dto, value);
  if (isClosed) refuseOthers(Dto, value);
  const nulls = isClosed ? Object.keys(value) : anyJsonOf(Dto);
  for (const key of nulls) if (value[key] === null) Object.assign(dto, { [key]: null });
  return dto;
}

/** `toDto` of a query, whose parser makes objects of a class of its own. @throws AppError as `toDto` */
export function queryDto<T extends object>(Dto: DtoClass<T>, query: unknown): T {
  return query instanceof Dto ? query : toDto(Dto, { ...(query as object) });
}

/** `@Body(DtoPipe) body: Dto`, `@Query(DtoPipe) query: Dto`: checks the parameter by the class that is its type. */
@Injectable()
export class DtoPipe implements PipeTransform {
  /** @throws AppError PARAMETER_VALIDATION; TypeError for a parameter that has no DTO class as its type */
  transform(value: unknown, { type, metatype }: ArgumentMetadata): object {
    if (!metatype || metatype === Object) throw new TypeError('DtoPipe is for parameters whose type is a DTO class');
    const Dto = metatype as Type<object>;
    return type === 'query' ? queryDto(Dto, value) : toDto(Dto, value);
  }
}

function instanceOf<T extends object>(Dto: DtoClass<T>, value: Readonly<Record<string, unknown>>): T {
  const shape = shapeOf(Dto);
  const plain: Record<string, unknown> = {};
  const opaque: Record<string, unknown> = {};
  let isEmpty = true;
  for (const key of shape.keys) {
    const field = value[key];
    if (field === undefined || field === null) continue;
    isEmpty = false;
    if (typeof field === 'object' && !shape.nested.has(key)) opaque[key] = field;
    else plain[key] = field;
  }
  // Most queries have no parameter at all: what was found out once holds for all of them.
  if (isEmpty && shape.mayBeEmpty) return new Dto();
  const dto = Object.assign(plainToInstance(Dto, plain), opaque);
  const details = validateSync(dto, { stopAtFirstError: true }).map(({ property, constraints }) => ({
    path: property,
    message: Object.values(constraints ?? {})[0] ?? `${property} is invalid`,
  }));
  if (details.length > 0) throw new AppError('PARAMETER_VALIDATION', details[0]?.message, { details });
  return dto;
}

function refuseOthers(Dto: DtoClass<object>, value: object): void {
  const { keys } = shapeOf(Dto);
  const unknown = Object.keys(value).find((field) => !keys.includes(field));
  if (unknown === undefined) return;
  const message = `${JSON.stringify(unknown.slice(0, 100))} is not a field: use ${keys.join(', ')}`;
  throw new AppError('PARAMETER_VALIDATION', message, { details: [{ path: unknown.slice(0, 100), message }] });
}

function shapeOf(Dto: DtoClass<object>): Shape {
  let shape = shapes.get(Dto);
  if (!shape) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(Dto, '', false, false);
    const keys = [...new Set([...metadata.map(({ propertyName }) => propertyName), ...anyJsonOf(Dto)])];
    const nested = metadata.filter(({ type }) => type === ValidationTypes.NESTED_VALIDATION);
    shape = {
      keys,
      nested: new Set(nested.map(({ propertyName }) => propertyName)),
      mayBeEmpty: validateSync(new Dto()).length === 0,
    };
    shapes.set(Dto, shape);
  }
  return shape;
}

/** The properties that `AnyJson` declares, also in the classes that this one extends. */
function anyJsonOf({ prototype }: DtoClass<object>): string[] {
  const names: string[] = [];
  for (let of: object | null = prototype as object; of; of = Object.getPrototypeOf(of) as object | null) {
    names.push(...(nullable.get(of) ?? []));
  }
  return names;
}

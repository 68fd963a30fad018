import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { getMetadataStorage, validateSync } from 'class-validator';
import { AppError, isPlainObject } from '../../common/index.js';

/** What is known of a DTO class. */
interface Shape {
  readonly keys: readonly string[];
  /** True when an object without any of the keys is valid. */
  readonly mayBeEmpty: boolean;
}

const shapes = new WeakMap<new () => object, Shape>();

/**
 * Checks a small flat object against its DTO class. Only the keys the class declares are looked at,
 * so opaque fields beside them are neither copied nor walked.
 *
 * @throws AppError PARAMETER_VALIDATION with one detail per field
 */
export function validateShape<T extends object>(Dto: new () => T, value: unknown): T {
  if (!isPlainObject(value)) throw new AppError('PARAMETER_VALIDATION', 'The request body must be a JSON object');
  const dto = new Dto();
  const shape = shapeOf(Dto);
  let isEmpty = true;
  for (const key of shape.keys) {
    if (value[key] === undefined || value[key] === null) continue;
    Object.assign(dto, { [key]: value[key] });
    isEmpty = false;
  }
  // Most queries have no parameter at all: what was found out once holds for all of them.
  if (isEmpty && shape.mayBeEmpty) return dto;
  const details = validateSync(dto, { stopAtFirstError: true }).map(({ property, constraints }) => ({
    path: property,
    message: Object.values(constraints ?? {})[0] ?? `${property} is invalid`,
  }));
  if (details.length > 0) throw new AppError('PARAMETER_VALIDATION', details[0]?.message, { details });
  return dto;
}

/** `@Body(new ShapePipe(Dto))`, `@Query(new ShapePipe(Dto))`: the checked DTO of a small endpoint. */
export class ShapePipe<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly dto: new () => T) {}

  /** @throws AppError PARAMETER_VALIDATION */
  transform(value: unknown, { type }: ArgumentMetadata): T {
    // The query parser makes objects of a class of its own.
    return validateShape(this.dto, type === 'query' ? { ...(value as object) } : value);
  }
}

function shapeOf(Dto: new () => object): Shape {
  let shape = shapes.get(Dto);
  if (!shape) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(Dto, '', false, false);
    const keys = [...new Set(metadata.map(({ propertyName }) => propertyName))];
    shape = { keys, mayBeEmpty: validateSync(new Dto()).length === 0 };
    shapes.set(Dto, shape);
  }
  return shape;
}

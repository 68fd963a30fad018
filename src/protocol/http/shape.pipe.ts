import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { validateShape } from './validate-shape.js';

/** `@Body(new ShapePipe(Dto))`, `@Query(new ShapePipe(Dto))`: the checked DTO of a small endpoint. */
export class ShapePipe<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly dto: new () => T) {}

  /** @throws AppError PARAMETER_VALIDATION */
  transform(value: unknown, { type }: ArgumentMetadata): T {
    // The query parser makes objects of a class of its own.
    return validateShape(this.dto, type === 'query' ? { ...(value as object) } : value);
  }
}

import type { PipeTransform } from '@nestjs/common';
import { validateShape } from './validate-shape.js';

/** `@Body(new ShapePipe(Dto))`, `@Query(new ShapePipe(Dto))`: the checked DTO of a small endpoint. */
export class ShapePipe<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly dto: new () => T) {}

  /** @throws AppError PARAMETER_VALIDATION */
  transform(value: unknown): T {
    return validateShape(this.dto, value);
  }
}

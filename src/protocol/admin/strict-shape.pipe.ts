import type { PipeTransform } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { AppError, isPlainObject } from '../../common/index.js';
import { validateShape } from '../http/index.js';

/**
 * The checked DTO of a body. A field that the DTO does not have is an error, because a mistyped `scopes` must not
 * make a key with the default scopes. A field that is null stays null.
 */
export class StrictShapePipe<T extends object> implements PipeTransform<unknown, T> {
  private readonly fields: ReadonlySet<string>;

  constructor(private readonly dto: new () => T) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    this.fields = new Set(metadata.map(({ propertyName }) => propertyName));
  }

  /** @throws AppError PARAMETER_VALIDATION */
  transform(value: unknown): T {
    const body = value ?? {};
    const shape = validateShape(this.dto, body);
    const given = isPlainObject(body) ? Object.entries(body) : [];
    const unknown = given.find(([field]) => !this.fields.has(field))?.[0];
    if (unknown !== undefined) {
      const message = `${JSON.stringify(unknown.slice(0, 100))} is not a field: use ${[...this.fields].join(', ')}`;
      throw new AppError('PARAMETER_VALIDATION', message, { details: [{ path: unknown.slice(0, 100), message }] });
    }
    const nulls = given.filter(([, field]) => field === null);
    return Object.assign(shape, Object.fromEntries(nulls));
  }
}

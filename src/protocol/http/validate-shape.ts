import { getMetadataStorage, validateSync } from 'class-validator';
import { AppError, isPlainObject } from '../../common/index.js';

/**
 * Checks a small flat object against its DTO class. Only the keys the class declares are looked at,
 * so opaque fields beside them are neither copied nor walked.
 *
 * @throws AppError PARAMETER_VALIDATION with one detail per field
 */
export function validateShape<T extends object>(Dto: new () => T, value: unknown): T {
  if (!isPlainObject(value)) throw new AppError('PARAMETER_VALIDATION', 'The request body must be a JSON object');
  const dto = new Dto();
  const metadata = getMetadataStorage().getTargetValidationMetadatas(Dto, '', false, false);
  for (const key of new Set(metadata.map(({ propertyName }) => propertyName))) {
    if (value[key] !== undefined && value[key] !== null) Object.assign(dto, { [key]: value[key] });
  }
  const details = validateSync(dto, { stopAtFirstError: true }).map(({ property, constraints }) => ({
    path: property,
    message: Object.values(constraints ?? {})[0] ?? `${property} is invalid`,
  }));
  if (details.length > 0) throw new AppError('PARAMETER_VALIDATION', details[0]?.message, { details });
  return dto;
}

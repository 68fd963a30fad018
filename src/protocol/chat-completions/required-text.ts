import { type FieldReader, fieldError } from '../http/bodies/field-reader.js';

/** A string that must not be empty. @throws AppError MISSING_PARAMETER */
export function requiredText(fields: FieldReader, name: string): string {
  const value = fields.string(name);
  if (value === undefined || value === '') throw fieldError(fields.at(name), 'is required', 'MISSING_PARAMETER');
  return value;
}

/** A string that may be empty. @throws AppError MISSING_PARAMETER */
export function presentText(fields: FieldReader, name: string): string {
  const value = fields.string(name);
  if (value === undefined) throw fieldError(fields.at(name), 'is required', 'MISSING_PARAMETER');
  return value;
}

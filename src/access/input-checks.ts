import { AppError, PLAIN_TEXT } from '../common/index.js';

const SLUG = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const LONGEST_NAME = 256;

/** The error for a field that breaks a rule. @param path names the field */
export function invalidField(path: string, rule: string): AppError {
  const message = `${path} ${rule}`;
  return new AppError('INVALID_PARAMETER', message, { details: [{ path, message }] });
}

/** The id of a tenant or the name of an account. @throws AppError INVALID_PARAMETER naming `path` */
export function checkedSlug(value: string, path: string): string {
  if (SLUG.test(value)) return value;
  throw invalidField(path, 'must have 1 to 63 characters of a-z, 0-9, - and _, and begin with a letter or a digit');
}

/** A name for people. @throws AppError INVALID_PARAMETER naming `path` */
export function checkedName(value: string, path: string): string {
  const isValid = value.length >= 1 && value.length <= LONGEST_NAME && PLAIN_TEXT.test(value);
  if (isValid) return value;
  throw invalidField(path, `must have 1 to ${LONGEST_NAME} characters, none of them a control character`);
}

import { isUtf8 } from 'node:buffer';
import { AppError, PLAIN_TEXT } from '../../common/index.js';
import { headerValues, type RequestHeaders } from './credential.js';

const HEADER = 'X-User-Id';
const LONGEST = 256;

/**
 * The user that a request's header `X-User-Id` names; undefined when it is absent or empty. A name that
 * cannot be stored is an error: ignoring it would put the user's threads among those without a user.
 *
 * @throws AppError INVALID_PARAMETER for more than 256 characters, control characters, or a repeated header
 */
export function userIdHeader(request: RequestHeaders): string | undefined {
  const [value, ...others] = headerValues(request, 'x-user-id');
  if (others.length > 0) throw refused(HEADER, 'must be sent once');
  return value === undefined ? undefined : checkedUserId(textOfBytes(value), HEADER);
}

/**
 * A user by the same rules, from where else a request may name one.
 *
 * @throws AppError INVALID_PARAMETER naming `path`
 */
export function checkedUserId(value: unknown, path: string): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw refused(path, 'must be given once');
  if (value.length > LONGEST) throw refused(path, `must have 1 to ${LONGEST} characters`);
  if (!PLAIN_TEXT.test(value)) throw refused(path, 'must be well-formed text without control characters');
  return value;
}

/** Whether a text can be the id of a user: 1 to 256 characters, none of them a control character. */
export function isUserId(text: string): boolean {
  return text.length >= 1 && text.length <= LONGEST && PLAIN_TEXT.test(text);
}

/** Headers come as bytes, one a character; a name in UTF-8 is the same user as in a body. */
export function textOfBytes(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

function refused(path: string, rule: string): AppError {
  const message = `${path} ${rule}`;
  return new AppError('INVALID_PARAMETER', message, { details: [{ path, message }] });
}

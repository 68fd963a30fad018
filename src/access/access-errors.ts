import { AppError, BEARER_CHALLENGE } from '../common/index.js';

const INVALID_TOKEN = `${BEARER_CHALLENGE}, error="invalid_token"`;

/** The sentence for every credential that is not valid: it does not say why (contract access, section 3.1). */
export const INVALID_CREDENTIAL = 'The credential is not valid';

/** The error for a request without a credential that needs one. */
export function missingCredential(): AppError {
  const message = 'A credential is required: send Authorization: Bearer <key or token>, or X-API-Key';
  return new AppError('AUTH_FAILED', message, { headers: { 'www-authenticate': BEARER_CHALLENGE } });
}

/** The error for a credential that is not valid. @param message what may be told about it */
export function invalidCredential(message = INVALID_CREDENTIAL): AppError {
  return new AppError('AUTH_FAILED', message, { headers: { 'www-authenticate': INVALID_TOKEN } });
}

/** Whether an error tells that a request had a credential that is not valid. */
export function isInvalidCredential(error: unknown): boolean {
  return error instanceof AppError && error.headers?.['www-authenticate'] === INVALID_TOKEN;
}

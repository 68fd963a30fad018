import { AppError } from './app-error.js';

/** How a client learns of what it needs: the beginning of every `WWW-Authenticate` header. */
export const BEARER_CHALLENGE = 'Bearer realm="parley"';

/**
 * The error for whoever lacks a scope, with the challenge that names it (contract access, section 3.9).
 *
 * @param scopes one would be enough; the challenge names the first
 */
export function missingScope(...scopes: readonly [string, ...string[]]): AppError {
  const challenge = `${BEARER_CHALLENGE}, error="insufficient_scope", scope="${scopes[0]}"`;
  return new AppError('PERMISSION_DENIED', `The scope ${scopes.join(' or ')} is required`, {
    headers: { 'www-authenticate': challenge },
  });
}

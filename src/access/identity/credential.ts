import type { IncomingMessage } from 'node:http';
import { invalidCredential } from '../access-errors.js';

const BEARER = /^Bearer(?: +(.*))?$/i;

/**
 * The token that a request presents: `Authorization: Bearer …` or `X-API-Key`. An empty one counts as none, as
 * does another scheme (contract access, section 3).
 *
 * @throws AppError AUTH_FAILED for a header that is sent twice, and for two different tokens
 */
export function presentedToken(request: RequestHeaders): string | undefined {
  const authorization = once(headerValues(request, 'authorization'));
  const bearer = BEARER.exec(authorization ?? '')?.[1]?.trim();
  const key = once(headerValues(request, 'x-api-key'))?.trim();
  if (bearer && key && bearer !== key) throw invalidCredential('The request has two different credentials');
  return bearer || key || undefined;
}

/** The headers of a request; one that a test injects has no `headersDistinct`. */
export type RequestHeaders = Pick<IncomingMessage, 'headers'> & Partial<Pick<IncomingMessage, 'headersDistinct'>>;

/** All values of a header, in the order they were sent. @param name in lower case */
export function headerValues({ headers, headersDistinct }: RequestHeaders, name: string): readonly string[] {
  if (headersDistinct) return headersDistinct[name] ?? [];
  const value = headers[name];
  return value === undefined ? [] : [value].flat();
}

function once(values: readonly string[]): string | undefined {
  if (values.length > 1) throw invalidCredential('The request has more than one credential');
  return values[0];
}

import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';

/** The header in which a request id comes in and goes out. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** Short, and nothing in it that a log or a header could misread. */
const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The id that the client gave its request, when it is usable; otherwise a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
}

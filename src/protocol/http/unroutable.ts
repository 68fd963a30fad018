import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorMappers } from './error-mappers.js';
import type { HttpError } from './http-error.js';

const FAILURE: HttpError = { status: 400, code: 'INVALID_PARAMETER', message: 'The request address is not valid' };
/** Where a server keeps the error bodies of its wires: the router knows the server, and nothing of the modules. */
const MAPPERS = Symbol('parley.errorMappers');

/** Tells a server how its wires say that an address is not valid. To be called before it listens. */
export function registerErrorBodies(server: FastifyInstance, mappers: ErrorMappers): void {
  server.decorate(MAPPERS, mappers);
}

/** What is answered to an address that cannot even be decoded: no route, and no filter, sees such a request. */
export function bodyOfUnroutable({ server, raw, id }: FastifyRequest): object {
  const path = (raw.url ?? '/').split('?', 1)[0] ?? '/';
  if (!server.hasDecorator(MAPPERS)) return { code: FAILURE.code, message: FAILURE.message };
  return server.getDecorator<ErrorMappers>(MAPPERS).bodyOf(path, FAILURE, id);
}

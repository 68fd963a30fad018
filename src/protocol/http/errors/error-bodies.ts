import type { FastifyInstance, FastifyRequest } from 'fastify';
import { maskCredentials } from '../../../common/index.js';
import { commonErrorBody, type HttpError } from './http-error.js';

/** How an error is answered. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: object;
  /** Further headers, in place of those of the error. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes the answer to an error for the wire of its request. */
export type ErrorBodies = (request: FastifyRequest, error: HttpError) => ErrorAnswer;

const UNROUTABLE: HttpError = { status: 400, code: 'INVALID_PARAMETER', message: 'The request address is not valid' };
/** The decorator of a server that holds its error bodies: Fastify's own handlers have no access to Nest's modules. */
const ERROR_BODIES = Symbol('parley.errorBodies');

/** Sets how a server writes the bodies of errors. To be called once, before it listens. */
export function registerErrorBodies(server: FastifyInstance, bodies: ErrorBodies): void {
  server.decorate(ERROR_BODIES, bodies);
}

/**
 * The body of an error; the common one on a server without `registerErrorBodies`. A credential in what the message
 * quotes, such as the path, is masked.
 */
export function errorBodyOf(request: FastifyRequest, thrown: HttpError): object {
  return errorAnswerOf(request, thrown).body;
}

/** As `errorBodyOf`, with the status. */
export function errorAnswerOf(request: FastifyRequest, thrown: HttpError): ErrorAnswer {
  const error = { ...thrown, message: maskCredentials(thrown.message) };
  const { server } = request;
  if (!server.hasDecorator(ERROR_BODIES)) return { status: error.status, body: commonErrorBody(error, request.id) };
  return server.getDecorator<ErrorBodies>(ERROR_BODIES)(request, error);
}

/** The body for an address that cannot be decoded: no route and no exception filter sees such a request. */
export function bodyOfUnroutable(request: FastifyRequest): object {
  return errorBodyOf(request, UNROUTABLE);
}

/** The path of a request, without the query, which may hold secrets. */
export function pathOf({ raw }: Pick<FastifyRequest, 'raw'>): string {
  return (raw.url ?? '/').split('?', 1)[0] ?? '/';
}

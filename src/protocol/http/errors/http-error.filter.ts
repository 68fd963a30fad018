import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { AppError, ERROR_CATALOGUE } from '../../../common/index.js';
import { pathOf } from './error-bodies.js';
import { HttpErrors } from './http-errors.js';
import type { HttpError } from './http-error.js';

const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Answers the errors that reach no interceptor of a wire: addresses without a route, bodies that cannot be parsed, what
 * hooks and guards refuse, and the routes that belong to no wire.
 */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  constructor(private readonly errors: HttpErrors) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // A request without a route may have been refused before, such as for its missing credential.
    const isUnrouted = request.is404 && !(thrown instanceof AppError);
    const error = isUnrouted ? unrouted(request, reply) : undefined;
    const body = this.errors.answer(thrown, request, reply, error);
    if (body) void reply.send(body);
  }
}

/** A path that answers other methods is a 405, any other a 404. */
function unrouted(request: FastifyRequest, reply: FastifyReply): HttpError {
  const path = pathOf(request);
  const allowed = METHODS.filter((method) => request.server.hasRoute({ method, url: path }));
  if (allowed.length === 0) return { status: 404, code: 'RESOURCE_NOT_FOUND', message: `There is no ${path}` };
  reply.header('allow', allowed.join(', '));
  const { status } = ERROR_CATALOGUE.METHOD_NOT_ALLOWED;
  return { status, code: 'METHOD_NOT_ALLOWED', message: `${path} does not answer ${request.method}` };
}

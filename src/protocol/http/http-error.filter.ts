import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { ERROR_CATALOGUE } from '../../common/index.js';
import { ErrorMappers } from './error-mappers.js';
import { type HttpError, toHttpError } from './http-error.js';

const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Answers every error before a stream, those of Fastify included, in the error model of the wire.
 * Nothing of a stack, a cause or an unknown error's text is shown; unknown errors are logged.
 */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(HttpErrorFilter.name);

  constructor(private readonly mappers: ErrorMappers) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const path = (request.raw.url ?? '/').split('?', 1)[0] ?? '/';
    const failure = request.is404 ? this.unrouted(request, reply, path) : toHttpError(error);
    if (failure.status >= 500) this.log(error, request, failure);
    if (reply.sent || reply.raw.headersSent) return;
    if (failure.retryAfterSeconds !== undefined)
      reply.header('retry-after', String(Math.ceil(failure.retryAfterSeconds)));
    reply.removeHeader('content-type');
    void reply.status(failure.status).send(this.mappers.bodyOf(path, failure, request.id));
  }

  /** No route: another method of the same path is a 405, anything else a 404. */
  private unrouted(request: FastifyRequest, reply: FastifyReply, path: string): HttpError {
    const allowed = METHODS.filter((method) => request.server.hasRoute({ method, url: path }));
    if (allowed.length === 0) return { status: 404, code: 'RESOURCE_NOT_FOUND', message: `There is no ${path}` };
    reply.header('allow', allowed.join(', '));
    const { status } = ERROR_CATALOGUE.METHOD_NOT_ALLOWED;
    return { status, code: 'METHOD_NOT_ALLOWED', message: `${path} does not answer ${request.method}` };
  }

  private log(error: unknown, request: FastifyRequest, failure: HttpError): void {
    const stack = error instanceof Error ? error.stack : String(error);
    this.logger.error(`${request.method} ${request.raw.url} failed as ${failure.code} (request ${request.id})`, stack);
  }
}

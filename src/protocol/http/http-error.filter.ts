import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { AppError, ERROR_CATALOGUE } from '../../common/index.js';
import { errorBodyOf, pathOf } from './error-bodies.js';
import { type HttpError, retryHeaders, toHttpError } from './http-error.js';

const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Whether the connection has ended in the middle of the request's body. Node's error for it has the code of a lost connection. */
function hasLeft({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

/**
 * Answers every error before a stream, including Fastify's own, with the error body of the request's wire.
 * Nothing of a stack, a cause or an unknown error's text is shown; unknown errors are logged.
 */
@Catch()
export class HttpErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(HttpErrorFilter.name);

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // A request without a route may have been refused before, such as for its missing credential.
    const isUnrouted = request.is404 && !(thrown instanceof AppError);
    const error = isUnrouted ? this.unrouted(request, reply) : toHttpError(thrown);
    if (error.status >= 500 && !hasLeft(request)) this.log(thrown, request, error);
    if (reply.sent || reply.raw.headersSent) return;
    reply.headers(retryHeaders(error, pathOf(request)));
    if (error.headers) reply.headers(error.headers);
    reply.removeHeader('content-type');
    void reply.status(error.status).send(errorBodyOf(request, error));
  }

  /** A path that answers other methods is a 405, any other a 404. */
  private unrouted(request: FastifyRequest, reply: FastifyReply): HttpError {
    const path = pathOf(request);
    const allowed = METHODS.filter((method) => request.server.hasRoute({ method, url: path }));
    if (allowed.length === 0) return { status: 404, code: 'RESOURCE_NOT_FOUND', message: `There is no ${path}` };
    reply.header('allow', allowed.join(', '));
    const { status } = ERROR_CATALOGUE.METHOD_NOT_ALLOWED;
    return { status, code: 'METHOD_NOT_ALLOWED', message: `${path} does not answer ${request.method}` };
  }

  /** The path alone: a query may hold the signature of an attachment's address. */
  private log(thrown: unknown, request: FastifyRequest, { code }: HttpError): void {
    const stack = thrown instanceof Error ? thrown.stack : String(thrown);
    this.logger.error(`${request.method} ${pathOf(request)} failed as ${code} (request ${request.id})`, stack);
  }
}

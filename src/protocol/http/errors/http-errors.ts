import { Injectable, Logger, Optional } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessActs, callerOf } from '../../../access/index.js';
import { loggedPath } from '../../../common/index.js';
import type { ControlFrames } from '../sse/stream-client.js';
import { errorAnswerOf, pathOf } from './error-bodies.js';
import { type HttpError, retryHeaders, toHttpError } from './http-error.js';

/**
 * What a client gets for anything that is thrown: the Error model of the request's wire, before and inside a stream.
 * Nothing of a stack, a cause or an unknown error's text is shown; unknown errors are logged.
 */
@Injectable()
export class HttpErrors {
  private readonly logger = new Logger('HttpErrors');

  /** @param acts absent where nobody decides about access */
  constructor(@Optional() private readonly acts?: AccessActs) {}

  /**
   * The body of the answer to an error. Sets the status and the headers of the answer, and logs errors of the server.
   *
   * @param error as `toHttpError(thrown)`, where the request decides it
   * @returns undefined if the answer was sent already
   */
  answer(
    thrown: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    error: HttpError = toHttpError(thrown),
  ): object | undefined {
    if (error.status === 401 || error.status === 403) this.acts?.refused(thrown, request.raw, callerOf(request));
    if (error.status >= 500 && !hasLeft(request)) this.log(thrown, request, error);
    if (reply.sent || reply.raw.headersSent) return undefined;
    reply.headers(retryHeaders(error, pathOf(request)));
    if (error.headers) reply.headers(error.headers);
    reply.removeHeader('content-type');
    const { status, body, headers } = errorAnswerOf(request, error);
    if (headers) reply.headers(headers);
    reply.status(status);
    return body;
  }

  /** The frames that end a stream which has begun; undefined if its wire has none, so that the stream is cut. */
  frames(thrown: unknown, frames: Pick<ControlFrames, 'errorFrames'>): readonly string[] | undefined {
    this.logger.error('An event stream ended with an error', stackOf(thrown));
    return frames.errorFrames?.(toHttpError(thrown));
  }

  /** The path alone: a query may hold the signature of an attachment's address. */
  private log(thrown: unknown, request: FastifyRequest, { code }: HttpError): void {
    this.logger.error(
      `${request.method} ${loggedPath(request.raw.url ?? '/')} failed as ${code} (request ${request.id})`,
      stackOf(thrown),
    );
  }
}

/** Whether the connection has ended in the middle of the request's body. Node's error for it has the code of a lost connection. */
function hasLeft({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

function stackOf(thrown: unknown): string | undefined {
  return thrown instanceof Error ? thrown.stack : String(thrown);
}

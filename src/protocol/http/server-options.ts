import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import type { ErrorCode } from '../../common/index.js';
import type { ConfigShape } from '../../config/index.js';
import { REQUEST_ID_HEADER } from '../../telemetry/index.js';
import { bodyOfUnroutable } from './unroutable.js';

/** Milliseconds within which a whole request must have arrived. */
const REQUEST_TIMEOUT_MS = 120_000;
/** Longer than the idle time of the usual proxies, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** Ids have up to 256 characters, each up to twelve when escaped. */
const MAX_PARAM_LENGTH = 3072;

/** The options of `new FastifyAdapter(…)`: limits, and failures below the router in the common error model. */
export function fastifyServerOptions(config: { readonly http: Pick<ConfigShape['http'], 'bodyLimitBytes'> }) {
  return {
    bodyLimit: config.http.bodyLimitBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: true,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerMalformed,
  } satisfies FastifyServerOptions;
}

/** An address that no route can take, in the error model of the wire whose place it names. */
function answerUnroutable(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  void reply.header(REQUEST_ID_HEADER, request.id).status(400).send(bodyOfUnroutable(request));
}

/** Answers what is not even HTTP, straight on the socket. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const body = JSON.stringify({
      code: 'INVALID_PARAMETER' satisfies ErrorCode,
      message: 'The request is not valid HTTP',
    });
    const head = ['HTTP/1.1 400 Bad Request', 'content-type: application/json; charset=utf-8', 'connection: close'];
    socket.write(`${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  socket.destroySoon();
}

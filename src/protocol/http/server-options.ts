import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import type { ErrorCode } from '../../common/index.js';
import { REQUEST_ID_HEADER } from '../../telemetry/index.js';
import { bodyOfUnroutable } from './error-bodies.js';
import { HttpSettings } from './http.settings.js';

/** Milliseconds within which a whole request must have arrived. */
const REQUEST_TIMEOUT_MS = 120_000;
/** Longer than the idle time of the usual proxies, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** Ids have up to 256 characters, each up to twelve when escaped. */
const MAX_PARAM_LENGTH = 3072;

/** The options of `new FastifyAdapter(…)`: limits, and failures below the router in the common error model. */
export function fastifyServerOptions(settings: Pick<HttpSettings, 'bodyLimitBytes'>) {
  return {
    bodyLimit: settings.bodyLimitBytes,
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

interface Malformed {
  readonly status: string;
  readonly code: ErrorCode;
  readonly message: string;
}

const NO_HTTP: Malformed = {
  status: '400 Bad Request',
  code: 'INVALID_PARAMETER',
  message: 'The request is not valid HTTP',
};

/** What else keeps a request from being read, by Node's codes. */
const MALFORMED: Readonly<Record<string, Malformed>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'TIMEOUT',
    message: `The request did not arrive within ${REQUEST_TIMEOUT_MS / 1000} seconds`,
  },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The URL and the headers of the request are too long',
  },
};

/** Answers what cannot be read as a request, straight on the socket. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const { status, code, message } = MALFORMED[error.code ?? ''] ?? NO_HTTP;
    const body = JSON.stringify({ code, message });
    const head = [`HTTP/1.1 ${status}`, 'content-type: application/json; charset=utf-8', 'connection: close'];
    socket.write(`${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  socket.destroySoon();
}

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../../common/index.js';
import { REQUEST_ID_HEADER } from '../../../telemetry/index.js';
import { bodyOfUnroutable } from '../errors/error-bodies.js';
import { HttpSettings } from '../http.settings.js';
import { SECURITY_HEADERS } from './security-headers.js';

/** Milliseconds within which a whole request must have arrived. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Milliseconds within which the head of a request must have arrived. */
const HEADERS_TIMEOUT_MS = 15_000;
/** Bytes of the address and the headers of a request. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Milliseconds between two looks at these times. */
const TIMEOUT_CHECK_MS = 5000;
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
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerMalformed,
  } satisfies FastifyHttpOptions<Server>;
}

/** An address that no route can take, in the error model of the wire whose place it names. */
function answerUnroutable(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .headers({ ...SECURITY_HEADERS, [REQUEST_ID_HEADER]: request.id })
    .status(400)
    .send(bodyOfUnroutable(request));
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
    message: `The head of the request must arrive within ${HEADERS_TIMEOUT_MS / 1000} seconds, the whole request within ${REQUEST_TIMEOUT_MS / 1000}`,
  },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The URL and the headers of the request are too long',
  },
};

/** What Node keeps on a connection and does not document: the response in progress. */
interface AnsweringSocket extends Socket {
  readonly _httpMessage?: ServerResponse | null;
}

/** Answers what cannot be read as a request, straight on the socket. If a response is in progress, it is cut instead. */
function answerMalformed(error: NodeJS.ErrnoException, socket: AnsweringSocket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  if (socket.writable) {
    const { status, code, message } = MALFORMED[error.code ?? ''] ?? NO_HTTP;
    const body = JSON.stringify({ code, message });
    const headers = { ...SECURITY_HEADERS, 'content-type': 'application/json; charset=utf-8', connection: 'close' };
    const head = [`HTTP/1.1 ${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
    socket.write(`${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  socket.destroySoon();
}

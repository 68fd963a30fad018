import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoggerService } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { holdsCredential, loggedPath } from '../common/index.js';
import { traceIdOf } from './tracing/request-traces.js';

/** Paths that monitoring requests every few seconds: logged at debug level only. */
const PROBES = new Set(['/health', '/readiness', '/liveness']);

/**
 * The log of the process: Nest's messages, and one line per finished request with its id.
 *
 * Messages that are logged during a request do not contain its id, because an asynchronous context would slow
 * down every promise of the process (docs/performance.md). A message that must name its request does so itself.
 */
export class ServerLog {
  /** For `app.useLogger`. */
  readonly messages: LoggerService;
  /** For lines without values of clients: looking for secrets takes ten times as long as writing the line. */
  private readonly requests: Logger;

  constructor(private readonly lines: Logger) {
    this.messages = new NestLog(lines);
    this.requests = lines.child({}, { redact: [] });
  }

  /** A log whose lines all have these fields. They are written once, when it is made. */
  child(fields: Readonly<Record<string, unknown>>): Logger {
    return this.lines.child(fields);
  }

  /**
   * Logs every request of a server, including those that no route or hook accepts.
   *
   * @param observer receives one call per request, also if nothing is logged
   */
  observe(server: FastifyInstance, observer?: RequestObserver): void {
    if (!observer && !this.lines.isLevelEnabled('error')) return;
    server.addHook('onRequest', (request, reply, done) => {
      observer?.began(request);
      this.follow(request, reply.raw, observer);
      done();
    });
  }

  /** Writes the line of a request when its response has ended for any reason. */
  private follow(request: FastifyRequest, response: ServerResponse, observer: RequestObserver | undefined): void {
    const start = performance.now();
    const end = (err?: Error): void => {
      response.off('close', end).off('finish', end).off('error', end);
      const milliseconds = performance.now() - start;
      observer?.ended(request, response, milliseconds);
      this.write(request.raw, response, { reqId: request.id, responseTime: Math.round(milliseconds), err });
    };
    response.on('close', end).on('finish', end).on('error', end);
  }

  /** One line with the method, the path, the status and the duration. Queries are never logged. */
  private write(request: IncomingMessage, response: ServerResponse, { reqId, responseTime, err }: RequestEnd): void {
    const level = levelOf(request, response, err);
    if (!this.lines.isLevelEnabled(level)) return;
    const { statusCode } = response;
    const { method = '' } = request;
    const path = pathOf(request);
    const traceId = traceIdOf(request);
    const runId = response.getHeader('x-run-id');
    const fields = {
      reqId,
      req: { method, path },
      res: { statusCode },
      responseTime,
      ...(runId !== undefined && { run_id: runId }),
      ...(traceId !== undefined && { trace_id: traceId }),
    };
    const abandoned = response.writableEnded ? '' : ' (left by the client)';
    const message = `${method} ${path} ${statusCode} ${responseTime}ms${abandoned}`;
    if (err) this.lines[level]({ ...fields, err }, message);
    else this.requests[level](fields, message);
  }
}

/** Receives one call per request. */
export interface RequestObserver {
  /** Called before anything else is done. */
  began(request: FastifyRequest): void;
  /** Called when the response was written, or the client has left. */
  ended(request: FastifyRequest, response: ServerResponse, milliseconds: number): void;
}

/** How a request ended. */
interface RequestEnd {
  /** The id of the request, as in the `x-request-id` header. */
  readonly reqId: string;
  /** Milliseconds. */
  readonly responseTime: number;
  /** The error of the connection; undefined for a response that ended normally. */
  readonly err: Error | undefined;
}

/** Errors of the server are `error`, whatever the path. */
function levelOf(
  request: IncomingMessage,
  response: ServerResponse,
  error: Error | undefined,
): 'debug' | 'info' | 'error' {
  if (error !== undefined || response.statusCode >= 500) return 'error';
  return PROBES.has(pathOf(request)) ? 'debug' : 'info';
}

function pathOf(request: IncomingMessage & { originalUrl?: string }): string {
  return loggedPath(request.originalUrl ?? request.url ?? '');
}

/** The levels of pino that Nest's levels are mapped to. */
type PinoLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/**
 * Writes the messages of Nest's loggers to the process's log. Nest passes the name of the logging class as the
 * last argument (`context`), and an error's stack before it.
 */
class NestLog implements LoggerService {
  constructor(private readonly lines: Logger) {}

  /** Nest's `verbose` is pino's `trace`. */
  verbose(message: unknown, ...rest: unknown[]): void {
    this.line('trace', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.line('debug', message, rest);
  }

  /** Nest's `log` is pino's `info`. */
  log(message: unknown, ...rest: unknown[]): void {
    this.line('info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.line('warn', message, rest);
  }

  /** The text before the context is taken for the error's stack. */
  error(message: unknown, ...rest: unknown[]): void {
    this.line('error', message, rest);
  }

  /** As `error`, at the highest level. */
  fatal(message: unknown, ...rest: unknown[]): void {
    this.line('fatal', message, rest);
  }

  /** An `Error` is logged with its stack, another object with its fields, anything else as text. */
  private line(level: PinoLevel, message: unknown, rest: readonly unknown[]): void {
    const context = rest.at(-1);
    const stack = level === 'error' || level === 'fatal' ? rest.slice(0, -1).find(isText) : undefined;
    const fields = { context, ...(stack !== undefined && { err: { message: String(message), stack } }) };
    if (message instanceof Error) this.lines[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.lines[level]({ ...fields, ...message });
    else this.lines[level](fields, String(message));
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The header of request ids, in requests and responses. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** Ids from clients must be short and safe in logs and headers. */
const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The request id that the client sent, if it is acceptable and no credential; otherwise a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[REQUEST_ID_HEADER];
  const isTaken = typeof given === 'string' && ACCEPTABLE.test(given) && !holdsCredential(given);
  return isTaken ? given : randomUUID();
}

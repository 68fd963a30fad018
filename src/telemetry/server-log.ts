import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type LoggerService } from '@nestjs/common';
import { type FastifyInstance } from 'fastify';
import { type Logger } from 'pino';
import { NestLog } from './nest-log.js';

const PROBES = new Set(['/health', '/readiness', '/liveness']);

/**
 * The log of the process: Nest's messages, and one line per finished request with its id.
 *
 * The request is not carried to the messages that are logged on its way: an asynchronous context would
 * make every promise of the process more expensive (docs/performance.md). A message that has to name its
 * request does so itself.
 */
export class ServerLog {
  /** For `app.useLogger`. */
  readonly messages: LoggerService;

  constructor(private readonly lines: Logger) {
    this.messages = new NestLog(lines);
  }

  /** Logs every request of a server, also those that no route or hook accepts. */
  observe(server: FastifyInstance): void {
    if (!this.lines.isLevelEnabled('error')) return;
    server.addHook('onRequest', (request, reply, done) => {
      this.follow(request.raw, reply.raw, request.id);
      done();
    });
  }

  /** Writes the line of a request when its response has ended in one way or another. */
  private follow(request: IncomingMessage, response: ServerResponse, reqId: string): void {
    const start = Date.now();
    const end = (err?: Error): void => {
      response.off('close', end).off('finish', end).off('error', end);
      this.write(request, response, { reqId, responseTime: Date.now() - start, err });
    };
    response.on('close', end).on('finish', end).on('error', end);
  }

  private write(request: IncomingMessage, response: ServerResponse, { reqId, responseTime, err }: RequestEnd): void {
    const level = levelOf(request, response, err);
    if (!this.lines.isLevelEnabled(level)) return;
    const { statusCode } = response;
    const { method = '' } = request;
    const path = pathOf(request);
    const fields = { reqId, req: { method, path }, res: { statusCode }, responseTime };
    const abandoned = response.writableEnded ? '' : ' (left by the client)';
    this.lines[level](
      err ? { ...fields, err } : fields,
      `${method} ${path} ${statusCode} ${responseTime}ms${abandoned}`,
    );
  }
}

interface RequestEnd {
  readonly reqId: string;
  /** Milliseconds. */
  readonly responseTime: number;
  readonly err: Error | undefined;
}

function levelOf(
  request: IncomingMessage,
  response: ServerResponse,
  error: Error | undefined,
): 'debug' | 'info' | 'error' {
  if (error !== undefined || response.statusCode >= 500) return 'error';
  return PROBES.has(pathOf(request)) ? 'debug' : 'info';
}

/** Without the query, which may hold what should not be in a log. */
function pathOf(request: IncomingMessage & { originalUrl?: string }): string {
  return (request.originalUrl ?? request.url ?? '').split('?', 1)[0] ?? '';
}

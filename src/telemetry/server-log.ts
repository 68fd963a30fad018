import { type LoggerService } from '@nestjs/common';
import { type FastifyInstance } from 'fastify';
import { type HttpLogger, type Options, pinoHttp } from 'pino-http';
import { NestLog } from './nest-log.js';

/**
 * The log of the process: Nest's messages, and one line per finished request with its id.
 *
 * The request is not carried to the messages that are logged on its way: an asynchronous context would
 * make every promise of the process dearer (docs/performance.md). What has to name its request does so.
 */
export class ServerLog {
  /** For `app.useLogger`. */
  readonly messages: LoggerService;
  private readonly requests: HttpLogger;

  constructor(options: Options) {
    this.requests = pinoHttp(options);
    this.messages = new NestLog(this.requests.logger);
  }

  /** Logs every request of a server, also those that no route or hook lets through. */
  observe(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, done) => {
      const { raw } = request as { raw: { id?: unknown } };
      raw.id = request.id;
      this.requests(request.raw, reply.raw);
      done();
    });
  }
}

import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError, type BackpressureGate } from '../../common/index.js';
import { AppConfig } from '../../config/index.js';
import { KeepAliveTimer } from './keep-alive-timer.js';
import { SseWriter } from './sse-writer.js';
import type { ControlFrames } from './stream-context.js';
import { FlushScheduler } from './flush-scheduler.js';

/**
 * All event streams this process is serving. On shutdown each of them ends and its connection is
 * closed; the runs behind them go on, and a client resumes where it was.
 */
@Injectable()
export class ActiveStreams implements BeforeApplicationShutdown {
  private readonly open = new Map<SseWriter, { readonly reply: FastifyReply; readonly controlFrames: ControlFrames }>();
  private shuttingDown = false;

  constructor(
    private readonly keepAlive: KeepAliveTimer,
    private readonly scheduler: FlushScheduler,
    private readonly config: AppConfig,
  ) {}

  /** How many streams are open. */
  get size(): number {
    return this.open.size;
  }

  /** True once the server ends its streams: a stream that closes now was not left by its client. */
  get isShuttingDown(): boolean {
    return this.shuttingDown;
  }

  /**
   * Makes the body of a stream.
   *
   * @throws AppError SHUTTING_DOWN
   */
  create(
    reply: FastifyReply,
    gate: BackpressureGate,
    onClose: () => void,
    controlFrames: ControlFrames = {},
  ): SseWriter {
    if (this.shuttingDown) throw new AppError('SHUTTING_DOWN');
    const { slowReaderTimeoutMs } = this.config.http;
    const writer = new SseWriter({
      gate,
      keepAlive: this.keepAlive,
      scheduler: this.scheduler,
      slowReaderTimeoutMs,
      pingFrame: controlFrames.keepAliveFrame,
      onClose: () => {
        this.open.delete(writer);
        onClose();
      },
    });
    writer.once('end', () => cutWhenStuck(reply, slowReaderTimeoutMs));
    this.open.set(writer, { reply, controlFrames });
    return writer;
  }

  beforeApplicationShutdown(): void {
    this.shuttingDown = true;
    for (const [writer, { reply, controlFrames }] of [...this.open]) {
      reply.raw.once('finish', () => reply.raw.socket?.end());
      if (writer.backlog > 0) writer.destroy();
      else {
        // Read now: a wire that numbers its frames knows the number of the last one only at the end.
        const { shutdownFrame } = controlFrames;
        if (shutdownFrame !== undefined) writer.send([shutdownFrame]);
        writer.finish();
      }
    }
  }
}

/** The last bytes wait in the socket: a reader that never takes them must not hold it for ever. */
function cutWhenStuck(reply: FastifyReply, timeoutMs: number): void {
  const timer = setTimeout(() => reply.raw.destroy(), timeoutMs).unref();
  reply.raw.once('close', () => clearTimeout(timer));
}

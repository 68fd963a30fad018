import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError, type Demand } from '../../common/index.js';
import { AppConfig } from '../../config/index.js';
import { KeepAliveWheel } from './keep-alive-wheel.js';
import { SseWriter } from './sse-writer.js';
import type { StreamSigns } from './stream-context.js';
import { WriteTurn } from './write-turn.js';

/**
 * All event streams this process is serving. On shutdown each of them ends and its connection is
 * closed; the runs behind them go on, and a client resumes where it was.
 */
@Injectable()
export class OpenStreams implements BeforeApplicationShutdown {
  private readonly open = new Map<SseWriter, { readonly reply: FastifyReply; readonly signs: StreamSigns }>();
  private shuttingDown = false;

  constructor(
    private readonly wheel: KeepAliveWheel,
    private readonly turn: WriteTurn,
    private readonly config: AppConfig,
  ) {}

  /** How many streams are open. */
  get size(): number {
    return this.open.size;
  }

  /** True once the server ends its streams: a stream that closes now was not left by its client. */
  get closing(): boolean {
    return this.shuttingDown;
  }

  /**
   * Makes the body of a stream.
   *
   * @throws AppError SHUTTING_DOWN
   */
  create(reply: FastifyReply, demand: Demand, onClose: () => void, signs: StreamSigns = {}): SseWriter {
    if (this.shuttingDown) throw new AppError('SHUTTING_DOWN');
    const { slowReaderTimeoutMs } = this.config.http;
    const writer = new SseWriter({
      demand,
      wheel: this.wheel,
      turn: this.turn,
      slowReaderTimeoutMs,
      pingFrame: signs.ping,
      onClose: () => {
        this.open.delete(writer);
        onClose();
      },
    });
    writer.once('end', () => cutWhenStuck(reply, slowReaderTimeoutMs));
    this.open.set(writer, { reply, signs });
    return writer;
  }

  beforeApplicationShutdown(): void {
    this.shuttingDown = true;
    for (const [writer, { reply, signs }] of [...this.open]) {
      reply.raw.once('finish', () => reply.raw.socket?.end());
      if (writer.backlog > 0) writer.destroy();
      else {
        // Read now: a wire that numbers its frames knows the number of the last one only at the end.
        const { closing } = signs;
        if (closing !== undefined) writer.send([closing]);
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

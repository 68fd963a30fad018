import { finished, Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../common/index.js';
import { FlushScheduler } from './flush-scheduler.js';
import { HttpSettings } from './http.settings.js';
import { KeepAliveTimer } from './keep-alive-timer.js';
import { SseWriter } from './sse-writer.js';
import type { StreamClient } from './stream-client.js';
import { NO_WIRE, StreamMetrics } from './stream.metrics.js';

/** Milliseconds that readers of binary streams have, when the server stops, to take the end of their stream. */
const LAST_BYTES_MS = 1000;

/**
 * All streams this process is serving. On shutdown each of them ends and its connection is closed; the
 * runs behind them continue, and a client resumes where it was.
 */
@Injectable()
export class ActiveStreams implements BeforeApplicationShutdown {
  /** The event streams, each with its client, whose control frames are read at the end. */
  private readonly open = new Map<SseWriter, StreamClient>();
  /** The binary streams; each promise resolves when its stream is closed. */
  private readonly bodies = new Map<Readable, Promise<void>>();
  /** Set once; no event stream is opened afterwards. */
  private shuttingDown = false;

  constructor(
    private readonly keepAlive: KeepAliveTimer,
    private readonly scheduler: FlushScheduler,
    private readonly settings: HttpSettings,
    private readonly metrics: StreamMetrics,
  ) {
    metrics.watch(() => [...this.open.values()].map(wireOf));
  }

  /** How many event streams are open. */
  get size(): number {
    return this.open.size;
  }

  /** True once the server ends its streams: a stream that closes now was not left by its client. */
  get isShuttingDown(): boolean {
    return this.shuttingDown;
  }

  /**
   * Makes the body of an event stream.
   *
   * @throws AppError SHUTTING_DOWN
   */
  create(client: StreamClient, onClose: () => void): SseWriter {
    if (this.shuttingDown) throw new AppError('SHUTTING_DOWN');
    const { slowReaderTimeoutMs } = this.settings;
    const wire = wireOf(client);
    if (client.controlFrames.isResumed === true) this.metrics.resumes.with(wire).add();
    const writer = new SseWriter({
      gate: client.gate,
      keepAlive: this.keepAlive,
      scheduler: this.scheduler,
      slowReaderTimeoutMs,
      pingFrame: client.controlFrames.keepAliveFrame,
      sent: this.metrics.bytes.with(wire),
      onCut: () => this.metrics.cut.with(wire).add(),
      onClose: () => {
        this.open.delete(writer);
        onClose();
      },
    });
    writer.once('end', () => cutWhenStuck(client.reply, slowReaderTimeoutMs));
    this.open.set(writer, client);
    return writer;
  }

  /** Makes the answer of a binary stream. */
  binary(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, type: string): StreamableFile {
    const body = Readable.from(chunks, { objectMode: false });
    const closed = new Promise<void>((resolve) => {
      finished(body, () => {
        this.bodies.delete(body);
        resolve();
      });
    });
    this.bodies.set(body, closed);
    return new StreamableFile(body, { type });
  }

  /** The tails of all runs have ended by now: what is left is to be written. */
  async beforeApplicationShutdown(): Promise<void> {
    this.shuttingDown = true;
    for (const [writer, { reply, controlFrames }] of [...this.open]) {
      reply.raw.once('finish', () => reply.raw.socket?.end());
      if (writer.backlog > 0) writer.destroy();
      // Read now: a wire that numbers its frames knows the number of the last one only at the end.
      else writer.finish(controlFrames.shutdownFrame);
    }
    await this.lastBytes();
  }

  /** Waits for the binary streams to close, and destroys those that take too long. */
  private async lastBytes(): Promise<void> {
    if (this.bodies.size === 0) return;
    const stuck = setTimeout(() => {
      for (const body of this.bodies.keys()) body.destroy();
    }, LAST_BYTES_MS);
    await Promise.all(this.bodies.values());
    clearTimeout(stuck);
  }
}

function wireOf({ controlFrames }: StreamClient): string {
  return controlFrames.wire ?? NO_WIRE;
}

/** The last bytes wait in the socket: a reader that never takes them must not keep the connection. */
function cutWhenStuck({ raw }: FastifyReply, timeoutMs: number): void {
  // Closed already: nothing would clear the timer, which holds the whole request until then.
  if (raw.closed) return;
  const timer = setTimeout(() => raw.destroy(), timeoutMs).unref();
  raw.once('close', () => clearTimeout(timer));
}

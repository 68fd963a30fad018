import { finished, Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type AbortLike, AppError } from '../../../common/index.js';
import { LightAbortSignal, TurnoverMap, TurnoverSet } from '../../../runtime/index.js';
import { Download } from '../bodies/download.js';
import { HttpSettings } from '../http.settings.js';
import { FlushScheduler } from './flush-scheduler.js';
import { KeepAliveTimer } from './keep-alive-timer.js';
import { SseWriter } from './sse-writer.js';
import type { StreamClient } from './stream-client.js';
import { NO_WIRE, StreamMetrics } from './stream.metrics.js';

/** Milliseconds that readers of binary streams have, when the server stops, to take the end of their stream. */
const LAST_BYTES_MS = 1000;

/** The part of the time for draining in which clients that reconnect are sent away: the others need what is left. */
const RECONNECT_SHARE = 0.8;
/** Milliseconds after which a client reconnects that was sent away, at least and at most. */
const RETRY_LEAST_MS = 500;
const RETRY_MOST_MS = 5000;

/** A stream that follows a run, whatever carries it. */
export interface FollowingStream {
  /** Whether its client reconnects by itself and continues where it was, as an `EventSource` does. */
  readonly reconnects: boolean;
  /** Ends it between two events, and its connection with it. @param frame the last one; the wire's closing frame if absent */
  end(frame?: string): void;
}

/**
 * All streams this process is serving. On shutdown each of them ends and its connection is closed; the
 * runs behind them continue, and a client resumes where it was.
 */
@Injectable()
export class ActiveStreams implements BeforeApplicationShutdown {
  /** The event streams, each with its client, whose control frames are read at the end. */
  private readonly open = new TurnoverMap<SseWriter, StreamClient>();
  /** The binary streams; each promise resolves when its stream is closed. */
  private readonly bodies = new Map<Readable, Promise<void>>();
  /** Keep-alive timers of wires with an interval of their own: few, because it is a setting. */
  private readonly timers = new Map<number, KeepAliveTimer>();
  /** The streams that follow runs. */
  private readonly following = new TurnoverSet<FollowingStream>();
  /** While it drains: until when clients that reconnect are sent away, by the monotonic clock. */
  private reconnectsUntil: number | undefined;
  private drained: (() => void) | undefined;
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

  /** True once the server sends its clients to other processes. */
  get isDraining(): boolean {
    return this.reconnectsUntil !== undefined;
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
      keepAlive: this.keepAliveTimer(client.controlFrames.keepAliveMs),
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

  /** The timer of an interval; the server's own without one. */
  private keepAliveTimer(keepAliveMs: number | undefined): KeepAliveTimer {
    if (keepAliveMs === undefined) return this.keepAlive;
    const timer = this.timers.get(keepAliveMs) ?? new KeepAliveTimer({ keepAliveMs });
    this.timers.set(keepAliveMs, timer);
    return timer;
  }

  /** Includes a stream in draining. Returns what is to be called when it is over. */
  track(stream: FollowingStream): () => void {
    this.following.add(stream);
    if (this.reconnectsUntil !== undefined) this.sendAway(stream);
    return () => {
      this.following.delete(stream);
      if (this.following.size === 0) this.drained?.();
    };
  }

  /**
   * Includes a client that waits for one answer, and cannot continue elsewhere, in draining.
   *
   * @param work gets a signal that aborts when the time for draining is over
   */
  async waiting<T>(work: (over: AbortLike) => Promise<T>): Promise<T> {
    const over = new LightAbortSignal();
    const untrack = this.track({ reconnects: false, end: () => over.abort() });
    try {
      return await work(over);
    } finally {
      untrack();
    }
  }

  /**
   * Lets streams go on while other processes execute their runs. Clients that reconnect are sent away one after the
   * other, so that they do not all come back at once; the others stay to the end of their runs (contract attach,
   * section 3, rule 2). Those that are left at the end of the time end with the closing frame of their wire.
   *
   * @param withinMs resolves after it at the latest
   */
  async drain(withinMs: number): Promise<void> {
    this.reconnectsUntil = performance.now() + withinMs * RECONNECT_SHARE;
    if (this.following.size === 0) return;
    for (const stream of this.following) this.sendAway(stream);
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.drained = resolve;
      timer = setTimeout(resolve, withinMs);
    });
    clearTimeout(timer);
    for (const stream of [...this.following]) stream.end();
  }

  private sendAway(stream: FollowingStream): void {
    if (!stream.reconnects) return;
    const left = Math.max(0, (this.reconnectsUntil ?? 0) - performance.now());
    const retryMs = Math.round(RETRY_LEAST_MS + Math.random() * (RETRY_MOST_MS - RETRY_LEAST_MS));
    setTimeout(() => {
      if (this.following.has(stream)) stream.end(`retry: ${retryMs}\n\n`);
    }, Math.random() * left).unref();
  }

  /** Makes the answer of a binary stream. */
  binary(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, type: string): StreamableFile {
    return this.answer(Readable.from(chunks, { objectMode: false }), type);
  }

  /** Makes the answer of a download. A reader that takes nothing for `SLOW_READER_TIMEOUT_MS` is disconnected. */
  download(pieces: AsyncIterable<Uint8Array>, type: string, reply: FastifyReply): StreamableFile {
    const { slowReaderTimeoutMs } = this.settings;
    const onCut = (): void => this.metrics.cut.with(NO_WIRE).add();
    const body = new Download(pieces, { slowReaderTimeoutMs, onCut });
    body.once('end', () => cutWhenStuck(reply, slowReaderTimeoutMs));
    return this.answer(body, type);
  }

  private answer(body: Readable, type: string): StreamableFile {
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
    for (const [writer, client] of [...this.open]) {
      client.endConnection();
      if (writer.backlog > 0 || client.controlFrames.isCutAtShutdown === true) writer.destroy();
      // Read now: a wire that numbers its frames knows the number of the last one only at the end.
      else writer.finish(client.controlFrames.shutdownFrame);
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

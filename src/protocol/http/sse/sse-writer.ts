import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { BackpressureGate, Counter } from '../../../common/index.js';
import { type FrameOutput, openFrameOutput } from './frame-output.js';
import { PING_FRAME } from './frames.js';
import type { KeepAliveTarget, KeepAliveTimer } from './keep-alive-timer.js';
import type { FlushScheduler } from './flush-scheduler.js';

/** Characters that may pile up behind a reader that is stuck, from a source that ignores its `BackpressureGate`. */
const STUCK_LIMIT = 4 * 1024 * 1024;

/** Characters after which a source has to wait for the end of the turn. */
const TURN_LIMIT = 64 * 1024;

/** What a writer needs of the rest of the server. */
export interface SseWriterOptions {
  /** Pauses the source while the reader does not keep up. */
  readonly gate: BackpressureGate;
  /** Writes the keep-alive frames after a silence. */
  readonly keepAlive: KeepAliveTimer;
  /** Decides when the frames of a turn are written. */
  readonly scheduler: FlushScheduler;
  /** Milliseconds for which a reader may take nothing before it is disconnected. */
  readonly slowReaderTimeoutMs: number;
  /** The keep-alive frame, when the wire has its own. */
  readonly pingFrame?: string | undefined;
  /** Counts the bytes that are written. */
  readonly sent: Counter;
  /** Called when the reader is disconnected because it takes nothing. */
  readonly onCut: () => void;
  /** Called once, when the stream is over for whatever reason: the source may stop. */
  readonly onClose: () => void;
}

/**
 * The body of one event stream. Each frame is one chunk of the HTTP answer, and all frames of one turn
 * of the event loop leave in one system call. While the socket is full the `BackpressureGate` is paused, so the
 * source waits and memory stays at one batch; a reader that takes nothing is cut off in the end.
 *
 * To Fastify it is a stream like any other: it is handed to `reply.send`, which sets the headers and
 * pipes it into the response. From then on it writes to the connection itself.
 */
export class SseWriter extends Readable implements KeepAliveTarget {
  /** The tick of the last frame; read by `KeepAliveTimer`. */
  lastTick = 0;
  /** Undefined until Fastify pipes the answer: frames sent before that wait in `frames`. */
  private output: FrameOutput | undefined;
  private frames: string[] = [];
  /** Characters of `frames`. */
  private length = 0;
  /** True from the start until the answer flows, and while the socket is full. */
  private stalled = true;
  /** Characters handed to the socket since it became full. */
  private stuckLength = 0;
  private slowTimer: NodeJS.Timeout | undefined;
  /** True after `finish`: later frames are dropped. */
  private ended = false;

  constructor(private readonly options: SseWriterOptions) {
    super({ highWaterMark: 0 });
    options.gate.pause();
    options.keepAlive.add(this);
  }

  /** Bytes or characters that wait for the reader. */
  get backlog(): number {
    return this.frames.length + (this.output?.backlog ?? 0);
  }

  /** Takes over the connection from Fastify, and writes the frames that were sent before. */
  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    this.output = openFrameOutput(destination as unknown as ServerResponse, this.options.sent, () => this.drained());
    this.stalled = false;
    this.options.gate.resume();
    this.flush();
    return destination;
  }

  override _read(): void {
    // Nothing is ever read from it: it writes.
  }

  /** Writes frames, each as a chunk of its own, before this turn of the event loop is over. */
  send(frames: readonly string[]): void {
    if (this.ended || this.destroyed) return;
    if (this.length + this.stuckLength > STUCK_LIMIT) {
      this.cut();
      return;
    }
    this.lastTick = this.options.keepAlive.tick;
    if (this.frames.length === 0 && this.output) this.options.scheduler.add(this);
    for (const frame of frames) {
      this.length += frame.length;
      this.frames.push(frame);
    }
    if (this.length > TURN_LIMIT) this.options.gate.pause();
  }

  /** Writes what was sent in this turn. Called by `FlushScheduler`. */
  flush(): void {
    const { frames, output } = this;
    if (!output || this.destroyed) return;
    if (this.stalled) this.stuckLength += this.length;
    this.frames = [];
    this.length = 0;
    if (this.ended) this.close(output, frames);
    else if (frames.length > 0) this.write(output, frames);
  }

  /** Writes a keep-alive, unless frames are waiting anyway. */
  ping(): void {
    if (!this.stalled) this.send([this.options.pingFrame ?? PING_FRAME]);
  }

  /** Ends the answer after the frames sent so far, and a last one when given. */
  finish(last?: string): void {
    if (this.ended || this.destroyed) return;
    if (last) this.send([last]);
    this.ended = true;
    this.flush();
  }

  /** Runs for every end of the stream, so that the source and the timers are always released. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.slowTimer);
    this.output?.detach();
    this.options.keepAlive.remove(this);
    this.options.onClose();
    this.options.gate.resume();
    callback(error);
  }

  /** Writes to the connection; the source may go on only if its buffer has room. */
  private write(output: FrameOutput, frames: readonly string[]): void {
    if (!output.write(frames)) this.stall();
    else if (!this.stalled) this.options.gate.resume();
  }

  /** Ends the HTTP answer, then the stream that Fastify sees. */
  private close(output: FrameOutput, frames: readonly string[]): void {
    output.detach();
    output.end(frames);
    // Tells Fastify that the body is complete.
    this.push(null);
    this.resume();
  }

  /** Pauses the source and starts the time after which a reader that takes nothing is disconnected. */
  private stall(): void {
    this.stalled = true;
    this.options.gate.pause();
    clearTimeout(this.slowTimer);
    this.slowTimer = setTimeout(() => this.cut(), this.options.slowReaderTimeoutMs).unref();
  }

  private cut(): void {
    this.options.onCut();
    this.destroy();
  }

  /** The socket took all it had. */
  private drained(): void {
    if (this.destroyed || !this.stalled) return;
    clearTimeout(this.slowTimer);
    this.stalled = false;
    this.stuckLength = 0;
    this.options.gate.resume();
  }
}

import { Readable } from 'node:stream';
import type { Demand } from '../../common/index.js';
import { PING_FRAME } from './frames.js';
import type { KeepAliveTarget, KeepAliveWheel } from './keep-alive-wheel.js';

/** Characters that may pile up behind a reader that is stuck, from a source that ignores its `Demand`. */
const STUCK_LIMIT = 4 * 1024 * 1024;

/** What a writer needs of the rest of the server. */
export interface SseWriterOptions {
  readonly demand: Demand;
  readonly wheel: KeepAliveWheel;
  /** Milliseconds for which a reader may take nothing before it is disconnected. */
  readonly slowReaderTimeoutMs: number;
  /** The keep-alive frame, when the wire has its own. */
  readonly pingFrame?: string | undefined;
  /** Called once, when the stream is over for whatever reason: the source may stop. */
  readonly onClose: () => void;
}

/**
 * The body of one event stream. Each frame is one chunk of the HTTP answer, and the frames of one
 * `send` leave in one system call. While the socket is full the `Demand` is paused, so the source
 * waits and memory stays at one batch; a reader that takes nothing is cut off in the end.
 */
export class SseWriter extends Readable implements KeepAliveTarget {
  lastTick = 0;
  /** True from the start until the answer flows, and while the socket is full. */
  private stalled = true;
  private stuckLength = 0;
  private slowTimer: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(private readonly options: SseWriterOptions) {
    // Strings in object mode stay apart, so a chunk of the answer is exactly one frame.
    super({ objectMode: true, highWaterMark: 1 });
    options.demand.pause();
    this.on('pause', () => this.stall());
    this.on('resume', () => queueMicrotask(() => this.flowed()));
    options.wheel.add(this);
  }

  override _read(): void {
    // The source pushes; `Demand` tells it when.
  }

  /** Writes frames, each as a chunk of its own, all in this turn of the event loop. */
  send(frames: readonly string[]): void {
    if (this.ended || this.destroyed) return;
    if (this.stuckLength > STUCK_LIMIT) {
      this.destroy();
      return;
    }
    this.lastTick = this.options.wheel.tick;
    for (const frame of frames) {
      if (this.stalled) this.stuckLength += frame.length;
      this.push(frame);
    }
  }

  /** Writes a keep-alive, unless frames are waiting anyway. */
  ping(): void {
    if (!this.stalled) this.send([this.options.pingFrame ?? PING_FRAME]);
  }

  /** Ends the answer after the frames sent so far. */
  finish(): void {
    if (this.ended || this.destroyed) return;
    this.ended = true;
    this.push(null);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.slowTimer);
    this.options.wheel.remove(this);
    this.options.onClose();
    this.options.demand.resume();
    callback(error);
  }

  private stall(): void {
    this.stalled = true;
    this.options.demand.pause();
    this.restartSlowTimer();
  }

  /** The socket took what it had: go on when nothing is left behind it, else the reader has shown life. */
  private flowed(): void {
    if (this.destroyed) return;
    if (this.readableFlowing === false || this.readableLength > 0) {
      this.restartSlowTimer();
      return;
    }
    clearTimeout(this.slowTimer);
    this.stalled = false;
    this.stuckLength = 0;
    this.options.demand.resume();
  }

  private restartSlowTimer(): void {
    clearTimeout(this.slowTimer);
    this.slowTimer = setTimeout(() => this.destroy(), this.options.slowReaderTimeoutMs).unref();
  }
}

import type { StreamableFile } from '@nestjs/common';
import { Observable, type Subscriber } from 'rxjs';
import {
  type ActiveStreams,
  type ControlFrames,
  type HttpError,
  StreamCut,
  type StreamReader,
  toHttpError,
} from '../http/index.js';
import type { FrameBatch } from './frame-encoder.js';
import type { FrameSource } from './frame-source.js';

/** What a stream is made of. */
export interface RunStreamOptions {
  /** The frames, read once. */
  readonly source: FrameSource;
  /** Who reads them, and the back-pressure of the connection. */
  readonly reader: StreamReader;
  /** Ends the reading of the log. */
  readonly stop: () => void;
  /** Called when the stream begins: calls `end` when the credential of the reader ends. Returns how to stop that. */
  readonly watch?: (end: () => void) => (() => void) | undefined;
  /** Called once when the reader leaves before the end. */
  readonly onLeft: () => void;
  /** The name of the wire, by which the stream is counted. */
  readonly wire?: string | undefined;
  /** Whether it continues after a cursor of its reader. Default false. */
  readonly isResumed?: boolean;
  /** The wire's keep-alive frame; undefined for the default comment. */
  readonly keepAliveFrame: string | undefined;
  /** As `Wire.keepAliveMs`. */
  readonly keepAliveMs?: number | undefined;
  /** As `Wire.streamHeaders`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The last frame when the credential of the reader ends; the wire's closing frame if absent. */
  readonly credentialFrame?: string | undefined;
  /** Whether its client reconnects by itself and continues where it was. */
  readonly reconnects?: boolean | undefined;
  /** Registers the stream, so that a shutdown waits for it. */
  readonly active: ActiveStreams;
}

/** The frames of a run for one reader, to be handed to one transport: `events`, `binary` or `sendTo`. */
export class RunStream {
  /** True after the end or after the reader left: `leave` then does nothing. */
  private isOver = false;
  /** Set by `release`. */
  private isReleased = false;
  /** Whether `end` cuts the connection. */
  private isCut = false;
  /** What `end` writes last. */
  private lastFrame: string | undefined;
  /** Ends the registration. */
  private untrack: (() => void) | undefined;
  /** Stops watching the credential of the reader. */
  private unwatch: (() => void) | undefined;

  constructor(private readonly options: RunStreamOptions) {}

  /** Of a resumed stream: the run has ended, and the reader has all its frames; only the frames of `end` follow. */
  get isRead(): boolean {
    return this.options.source.isRead;
  }

  /** From now on the reader's leaving has no effect on the run: the server ends the connection itself. */
  release(): void {
    this.isReleased = true;
  }

  /** Ends the stream between two events. The run continues. @param frame the last one; the wire's closing frame if absent */
  end(frame?: string): void {
    if (this.isOver) return;
    this.release();
    const { source, reader, stop } = this.options;
    this.isCut = frame === undefined && source.isCutAtShutdown;
    const closing = source.shutdownFrame;
    this.lastFrame = frame ?? closing;
    stop();
    reader.gate?.resume();
  }

  /** Server-sent events, for the handler of a `SsePost` or `SseGet` route to return. */
  events(): Observable<FrameBatch> {
    const { reader, onLeft } = this.options;
    if (reader.gone.aborted) onLeft();
    reader.useControlFrames?.(new RunStreamFrames(this.options));
    return new Observable((out) => {
      this.begin();
      this.pump(out).then(
        () => this.ended(() => out.complete()),
        (error: unknown) => this.ended(() => out.error(error)),
      );
      return () => this.leave();
    });
  }

  /** The same as bytes, one for each character of a frame, as an answer of the given content type. */
  binary(type: string): StreamableFile {
    return this.options.active.binary(this.bytes(), type);
  }

  /**
   * Sends frame by frame, each when the one before was taken. Resolves at the end, also when the reader left.
   *
   * @throws what reading the run throws
   */
  async sendTo(send: (frame: string) => Promise<void>): Promise<void> {
    const stopListening = this.leaveWithReader();
    this.track();
    try {
      for await (const frames of this.options.source) for (const frame of frames) await send(frame);
    } finally {
      this.isOver = true;
      this.untrack?.();
      this.options.stop();
      // A socket outlives its streams.
      stopListening();
    }
  }

  private begin(): void {
    this.unwatch = this.options.watch?.(() => this.end(this.options.credentialFrame));
    this.track();
  }

  private track(): void {
    const { active, reader, reconnects = false } = this.options;
    const end = (frame?: string): void => {
      // A client that comes back over the same connection would meet the same server.
      reader.endConnection?.();
      this.end(frame);
    };
    this.untrack = active.track({ reconnects, end });
  }

  /** Marks the end before it is reported, because the report unsubscribes and that would count as leaving. */
  private ended(notify: () => void): void {
    this.isOver = true;
    this.stop();
    notify();
  }

  /** The batches, pulled at the socket's pace. */
  private async pump(out: Subscriber<FrameBatch>): Promise<void> {
    const { source, reader } = this.options;
    while (!out.closed) {
      for (let wait = reader.gate?.ready(); wait; wait = reader.gate?.ready()) {
        await wait;
        if (out.closed) return;
      }
      const step = await source.next();
      if (step.done === true) {
        if (this.isCut) throw new StreamCut();
        if (this.lastFrame) out.next([this.lastFrame]);
        return;
      }
      out.next(step.value);
    }
  }

  /** The batches as bytes. An error after the first batch becomes the wire's error frames if it has any. */
  private bytes(): AsyncIterableIterator<Uint8Array> {
    const { source } = this.options;
    this.begin();
    this.leaveWithReader();
    let hasBegun = false;
    const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
      try {
        for (;;) {
          const step = await source.next();
          if (step.done === true) return this.ending(this.lastFrame === undefined ? undefined : [this.lastFrame]);
          // An empty batch only means that the request is accepted.
          if (step.value.length === 0) continue;
          hasBegun = true;
          return { done: false, value: bytesOf(step.value) };
        }
      } catch (error) {
        const frames = hasBegun ? source.errorFrames(toHttpError(error)) : undefined;
        if (frames) return this.ending(frames);
        this.isOver = true;
        this.stop();
        throw error;
      }
    };
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next,
      return: () => {
        this.leave();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /** The last step of a binary stream. */
  private ending(frames: FrameBatch | undefined): IteratorResult<Uint8Array, undefined> {
    this.isOver = true;
    this.stop();
    return frames ? { done: false, value: bytesOf(frames) } : { done: true, value: undefined };
  }

  /** Lets go of the log, of the timer of the stream's lifetime, and of the reader's credential. */
  private stop(): void {
    this.unwatch?.();
    this.untrack?.();
    this.options.stop();
  }

  /** Returns how to stop listening to the reader. */
  private leaveWithReader(): () => void {
    const { gone } = this.options.reader;
    const leave = (): void => this.leave();
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
    return () => gone.removeEventListener('abort', leave);
  }

  /** The reader is gone, or no longer wanted. */
  private leave(): void {
    if (this.isOver) return;
    this.isOver = true;
    const { source, reader, onLeft } = this.options;
    this.stop();
    reader.gate?.resume();
    source.return?.().catch(() => undefined);
    // To cancel a run that has ended would close what it waits for.
    if (!this.isReleased && !source.hasEnded) onLeft();
  }
}

/**
 * The control frames of a run's stream. A class, because an object literal with a getter has a hidden class of its own,
 * which keeps what the getter refers to until the whole heap is collected.
 */
class RunStreamFrames implements ControlFrames {
  constructor(private readonly options: RunStreamOptions) {}

  get wire(): string | undefined {
    return this.options.wire;
  }

  get isResumed(): boolean | undefined {
    return this.options.isResumed;
  }

  get keepAliveFrame(): string | undefined {
    return this.options.keepAliveFrame;
  }

  get keepAliveMs(): number | undefined {
    return this.options.keepAliveMs;
  }

  get headers(): Readonly<Record<string, string>> | undefined {
    return this.options.headers;
  }

  get isCutAtShutdown(): boolean {
    return this.options.source.isCutAtShutdown;
  }

  get shutdownFrame(): string | undefined {
    return this.options.source.shutdownFrame;
  }

  errorFrames(error: HttpError): readonly string[] | undefined {
    return this.options.source.errorFrames(error);
  }
}

/** One byte per character: frames of binary wires are latin1 strings. */
function bytesOf(frames: FrameBatch): Uint8Array {
  return Buffer.from(frames.join(''), 'latin1');
}

import { AppError } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import type { HttpError } from '../http/errors/http-error.js';
import { StreamCut } from '../http/sse/stream-cut.js';
import type { StoppedEncoder } from './resume-cache.js';
import type { FrameBatch, FrameEncoder } from './frame-encoder.js';
import { ACCEPTED, DONE, type FrameSource, lastFrame, type Step } from './frame-source.js';
import { NewestFrames } from './newest-frames.js';
import { SkipFrames } from './skip-frames.js';
import type { CursorCheck, RunFramesOptions } from './stream-options.js';

/** Characters after which a batch of frames is handed on, so that a full socket can pause the reader in between. */
const BATCH_LENGTH = 64 * 1024;
/** Characters of an event's JSON that are not its values, such as the names of its fields. */
const EVENT_OVERHEAD = 110;
/** What an encoder keeps of an event at least, in characters. */
const LEAST_LENGTH = 32;

/** The batch before the first: shared, because it never changes. */
const NO_EVENTS: readonly LoggedEvent[] = [];

/**
 * The frames of one run: its log, read in one pass through a wire's encoder. Written by hand: a generator
 * costs several promises more for each batch, and a stream is made of batches.
 */
export class RunFrames implements FrameSource {
  /** The encoder, for the frames that end the stream early. */
  readonly encoder: FrameEncoder;
  /** Counts frames, and drops those that the reader has. */
  private readonly skip: SkipFrames;
  /** The batch of the log that is being encoded. */
  private events = NO_EVENTS;
  /** The index in `events` of the next event to encode. */
  private position = 0;
  /** The number of the last event that was encoded. */
  private lastSeq = -1;
  /** What the encoder may keep of the events so far, in characters. */
  private length = 0;
  /** The frames of an earlier reader that this one lacks. */
  private missed: readonly string[] = [];
  /** Undefined if no other reader can continue with the encoder. */
  private readonly newest: NewestFrames | undefined;
  /** False while the encoder prepares itself and after an error: then nobody can continue with it. */
  private isConsistent = true;
  /** Undefined once the cursor was checked, or if there is none. */
  private cursor: CursorCheck | undefined;
  /** True until the empty batch was returned that accepts the request. */
  private acceptsFirst: boolean;
  /** The step that `prime` read ahead. */
  private primed: Step | undefined;
  /** Whether the first frame, which `firstFrame` may change, was written. */
  private hasWritten = false;
  /** Whether the terminal event was encoded. */
  private ended = false;
  /** Whether the source has ended for whatever reason. */
  private isOver = false;
  /** Set when the tail ended before the terminal event. */
  private cut = false;

  constructor(
    private readonly tail: AsyncIterator<readonly LoggedEvent[]>,
    private readonly options: RunFramesOptions,
  ) {
    this.encoder = options.encoder;
    this.skip = options.skip ?? new SkipFrames();
    if (options.onStop && this.encoder.variant !== undefined) this.newest = new NewestFrames();
    const { stopped } = options;
    if (stopped) this.continueFrom(stopped);
    else if (this.skip.isBehind) this.encoder.discardFirst?.(this.skip.seen - this.skip.count);
    this.cursor = options.cursor;
    this.acceptsFirst = options.isAccepted === true;
  }

  /** True when the server stopped before the run's terminal event. */
  get isCut(): boolean {
    return this.cut;
  }

  /** True once the terminal event was encoded, even if its frames are not yet written. */
  get hasEnded(): boolean {
    return this.ended;
  }

  /** True after `prime` when the run has ended without a frame that the reader lacks. */
  get isRead(): boolean {
    return this.ended && this.primed?.value?.length === 0;
  }

  /** Whether a server that stops cuts the connection. */
  get isCutAtShutdown(): boolean {
    return !this.ended && this.encoder.isCutAtShutdown === true;
  }

  /** Reading it ends the source: the frame is the last one. */
  get shutdownFrame(): string | undefined {
    if (this.isOver || this.ended) return undefined;
    this.isOver = true;
    return this.frameOfShutdown();
  }

  /** A source can be iterated once. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Reads one step ahead, so that errors are thrown before headers are sent. */
  async prime(): Promise<void> {
    this.primed = await this.next();
  }

  /**
   * The next batch. An empty one only means that the request is accepted.
   *
   * @throws what reading the log throws; the log is released first
   */
  async next(): Promise<Step> {
    const { primed } = this;
    if (primed) {
      this.primed = undefined;
      return primed;
    }
    if (this.acceptsFirst) {
      this.acceptsFirst = false;
      return ACCEPTED;
    }
    try {
      while (!this.isOver) {
        if (this.missed.length > 0) {
          const frames = this.missed;
          this.missed = [];
          return this.write(frames);
        } else if (this.position < this.events.length) {
          const frames = this.encode();
          if (frames.length > 0) return this.write(frames);
        } else if (this.cursor && this.lastSeq >= this.cursor.lastSeq) {
          return this.verify(this.cursor);
        } else {
          const step = await this.tail.next();
          if (step.done === true) return this.finish();
          if (this.isOver) break;
          this.events = step.value;
          this.position = 0;
          const prepared = this.encoder.prepare?.(step.value);
          if (prepared) await this.prepared(prepared);
        }
      }
      return DONE;
    } catch (error) {
      this.isConsistent = false;
      await this.return();
      return this.replace(error);
    }
  }

  /** Releases the log. Called when the reader has left. */
  async return(): Promise<Step> {
    if (!this.isOver) this.stop();
    this.isOver = true;
    await this.tail.return?.();
    return DONE;
  }

  /** The encoder's frames for an error in the middle of the stream. */
  errorFrames(error: HttpError): readonly string[] | undefined {
    return this.encoder.errorFrames?.(error);
  }

  /** The frames after the terminal event's. */
  end(): Step {
    const last = this.encoder.end();
    return last.length > 0 ? { done: false, value: this.pack(last) } : DONE;
  }

  /** What a stream writes that is cut here. */
  frameOfShutdown(): string | undefined {
    return this.encoder.shutdownFrame?.() ?? this.options.shutdownFrame;
  }

  /** Takes over the encoder of an earlier reader, and the frames of it that this one lacks. */
  private continueFrom({ lastSeq, count, newest, length }: StoppedEncoder): void {
    this.lastSeq = lastSeq;
    this.length = length;
    this.skip.add(count);
    // A reader that has more frames skips the next ones, after which these would not be the newest.
    if (!this.skip.isBehind) this.newest?.add(newest, lengthOf(newest));
    this.missed = newest.slice(newest.length - Math.max(0, count - this.skip.seen));
  }

  /** Hands the encoder on, if another reader can continue with it: not while it makes frames that are discarded. */
  private stop(): void {
    const { encoder, lastSeq, length, newest, skip } = this;
    if (!newest || this.ended || !this.isConsistent || skip.isBehind || lastSeq < 0) return;
    this.options.onStop?.({ encoder, lastSeq, length, count: skip.count, newest: newest.all() });
  }

  /** Waits for the encoder, with which nobody can continue meanwhile. */
  private async prepared(prepared: Promise<void>): Promise<void> {
    this.isConsistent = false;
    await prepared;
    this.isConsistent = true;
  }

  /** The frames of the next events, until there are many. */
  private encode(): string[] {
    const frames: string[] = [];
    const { events, encoder, skip, newest } = this;
    let length = 0;
    for (; this.position < events.length && length < BATCH_LENGTH; this.position += 1) {
      const event = events[this.position];
      if (!event) continue;
      this.length += Math.max(LEAST_LENGTH, event.json.length - EVENT_OVERHEAD);
      for (const frame of skip.take(encoder.next(event))) {
        frames.push(frame);
        length += frame.length;
      }
    }
    const last = events[this.position - 1];
    if (last) {
      this.lastSeq = last.seq;
      this.ended = last.isTerminal;
    }
    if (newest && frames.length > 0) newest.add(frames, length);
    return frames;
  }

  /** A batch of frames that the reader does not have; the first frame of the stream passes `firstFrame`. */
  private write(frames: readonly string[]): Step {
    // A frame that the reader does not have: its cursor is not ahead.
    this.cursor = undefined;
    if (!this.hasWritten) {
      this.hasWritten = true;
      const [first, ...rest] = frames;
      if (this.encoder.firstFrame && first !== undefined) {
        return { done: false, value: this.pack([this.encoder.firstFrame(first), ...rest]) };
      }
    }
    return { done: false, value: this.pack(frames) };
  }

  /** Events that were removed are reported before the first batch: nothing was written yet. */
  private async replace(error: unknown): Promise<Step> {
    const { expired } = this.options;
    if (!expired || !(error instanceof AppError) || error.code !== 'EVENTS_EXPIRED') throw error;
    this.ended = true;
    return { done: false, value: this.pack(await expired()) };
  }

  /** Every event that was committed at the request is counted: now the cursor is known to be valid or not. */
  private verify({ ahead }: CursorCheck): Step {
    this.cursor = undefined;
    if (this.skip.isBehind) throw ahead(this.skip.count);
    return ACCEPTED;
  }

  /** The tail has ended: after the terminal event, because the reader left, or because the server stops. */
  private finish(): Step {
    if (this.isOver) return DONE;
    if (this.options.signal.aborted) this.stop();
    this.isOver = true;
    if (this.ended) return this.options.hasEnd === false ? DONE : this.end();
    if (this.options.signal.aborted) return DONE;
    this.cut = true;
    if (this.isCutAtShutdown) throw new StreamCut();
    return lastFrame(this.frameOfShutdown());
  }

  /** Frames of a joinable encoder are joined: one chunk costs less than many. */
  private pack(frames: readonly string[]): FrameBatch {
    return this.encoder.joinable && this.options.isJoined !== false ? [frames.join('')] : frames;
  }
}

/** The characters of frames. */
function lengthOf(frames: readonly string[]): number {
  return frames.reduce((sum, frame) => sum + frame.length, 0);
}

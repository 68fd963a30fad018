import type { AbortLike } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import type { HttpError } from '../http/errors/http-error.js';
import { ACCEPTED, DONE, type FrameSource, lastFrame, type Step } from './frame-source.js';
import type { FrameBatch } from './frame-encoder.js';
import type { RunFrames } from './run-frames.js';
import type { NextRun } from './stream-options.js';

/** What a session is followed with. */
export interface SessionFramesOptions {
  /** The frames to begin with; undefined to begin with the next run. */
  readonly first: RunFrames | undefined;
  /** True when the request is accepted before anything is read. */
  readonly isAccepted: boolean;
  /** Frames that are written before all others, and not counted. They accept the request. */
  readonly head?: FrameBatch | undefined;
  /** The run after those that were read; `ended` when none follows, `stopped` when the server stops. */
  readonly next: () => Promise<NextRun>;
  /** Makes the frames of a run. Called when the run before has ended. */
  readonly open: (run: RunView) => RunFrames | Promise<RunFrames>;
  /** Aborted when the reader has left. */
  readonly signal: AbortLike;
  /** As `Wire.shutdownFrame`: for a stream that waits for its first run. */
  readonly shutdownFrame: string | undefined;
  /** Called when no run follows. @throws when the reader's cursor is beyond the last frame */
  readonly verify?: (() => void) | undefined;
  /** As `FrameEncoder.errorFrames`: for a stream that waits for its first run. */
  readonly errorFrames?: ((error: HttpError) => readonly string[]) | undefined;
}

/** The frames of one run of a session after another, as one source. */
export class SessionFrames implements FrameSource {
  /** The run that is read, or the last one while the stream waits. */
  private current: RunFrames | undefined;
  /** True while no run is read. */
  private isWaiting = false;
  /** True once the request was accepted, by an empty batch or by frames. */
  private isAnnounced = false;
  /** True after the end for whatever reason. */
  private isOver = false;

  constructor(private readonly options: SessionFramesOptions) {
    this.current = options.first;
    this.isWaiting = options.first === undefined;
  }

  /** As the current run; false while there is none. */
  get isRead(): boolean {
    return this.current?.isRead ?? false;
  }

  /** As the current run: between two runs true, so that leaving then cancels nothing. */
  get hasEnded(): boolean {
    return this.current?.hasEnded ?? false;
  }

  /** As the current run. */
  get isCutAtShutdown(): boolean {
    return this.current?.isCutAtShutdown === true;
  }

  /** Reading it ends the source. While the stream waits, there is a frame even though the last run has ended. */
  get shutdownFrame(): string | undefined {
    if (this.isOver) return undefined;
    this.isOver = true;
    return this.current && !this.isWaiting ? this.current.shutdownFrame : this.frameOfShutdown();
  }

  /** A source can be iterated once. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Reads ahead in the first run only: the cursor is checked there. */
  async prime(): Promise<void> {
    await this.current?.prime();
  }

  /** The current run's frames for an error. */
  errorFrames(error: HttpError): readonly string[] | undefined {
    return this.current ? this.current.errorFrames(error) : this.options.errorFrames?.(error);
  }

  /** @throws what reading a run throws; what `verify` throws when no run follows */
  async next(): Promise<Step> {
    while (!this.isOver) {
      if (this.options.isAccepted && !this.isAnnounced) return this.announce();
      if (this.current && !this.isWaiting) {
        const step = await this.current.next();
        if (step.done !== true) {
          this.isAnnounced = true;
          return step;
        }
        if (this.current.isCut || this.options.signal.aborted) break;
        this.isWaiting = true;
      }
      // Headers must not wait for a run that may come late.
      if (!this.isAnnounced) return this.announce();
      const run = await this.options.next();
      if (typeof run === 'string') return this.finish(run);
      if ('last' in run) return this.conclude(run.last);
      this.current = await this.options.open(run);
      this.isWaiting = false;
    }
    this.isOver = true;
    return DONE;
  }

  /** Releases the current run. Called when the reader has left. */
  async return(): Promise<Step> {
    this.isOver = true;
    await this.current?.return();
    return DONE;
  }

  /** The first frames, or the empty batch that accepts the request. */
  private announce(): Step {
    this.isAnnounced = true;
    const { head } = this.options;
    return head && head.length > 0 ? { done: false, value: head } : ACCEPTED;
  }

  /** The frames that end the stream. */
  private conclude(last: FrameBatch): Step {
    if (this.isOver || this.options.signal.aborted) return DONE;
    this.isOver = true;
    return last.length > 0 ? { done: false, value: last } : DONE;
  }

  /** The last frames: at a shutdown the shutdown frame, otherwise the last run's closing frames. */
  private finish(reason: 'ended' | 'stopped'): Step {
    if (this.isOver || this.options.signal.aborted) {
      this.isOver = true;
      return DONE;
    }
    this.isOver = true;
    if (reason === 'stopped') return lastFrame(this.frameOfShutdown());
    this.options.verify?.();
    return this.current?.end() ?? DONE;
  }

  /** The encoder's own frame, or the wire's while no run was read. */
  private frameOfShutdown(): string | undefined {
    return this.current ? this.current.frameOfShutdown() : this.options.shutdownFrame;
  }
}

import type { RunView } from '../../run/index.js';
import type { HttpError } from '../http/http-error.js';
import { ACCEPTED, DONE, type FrameSource, lastFrame, type RunFrames, type Step } from './run-frames.js';

/** What a session is followed with. */
export interface SessionFramesOptions {
  /** The frames to begin with; undefined to begin with the next run. */
  readonly first: RunFrames | undefined;
  /** True when the request is accepted before anything is read. */
  readonly isAccepted: boolean;
  /** The run after those that were read; `ended` when none follows, `stopped` when the server stops. */
  readonly next: () => Promise<RunView | 'ended' | 'stopped'>;
  readonly open: (run: RunView) => RunFrames | Promise<RunFrames>;
  /** Aborted when the reader has left. */
  readonly signal: AbortSignal;
  /** As `Wire.shutdownFrame`: for a stream that waits for its first run. */
  readonly shutdownFrame: string | undefined;
  /** Called when no run follows. @throws when the reader's cursor is beyond the last frame */
  readonly verify?: (() => void) | undefined;
}

/** The frames of one run of a session after another, as one source. */
export class SessionFrames implements FrameSource {
  private current: RunFrames | undefined;
  private isWaiting = false;
  private isAnnounced = false;
  private isOver = false;

  constructor(private readonly options: SessionFramesOptions) {
    this.current = options.first;
    this.isWaiting = options.first === undefined;
  }

  get isRead(): boolean {
    return this.current?.isRead ?? false;
  }

  get hasEnded(): boolean {
    return this.current?.hasEnded ?? false;
  }

  get shutdownFrame(): string | undefined {
    if (this.isOver) return undefined;
    this.isOver = true;
    return this.current && !this.isWaiting ? this.current.shutdownFrame : this.frameOfShutdown();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async prime(): Promise<void> {
    await this.current?.prime();
  }

  errorFrames(error: HttpError): readonly string[] | undefined {
    return this.current?.errorFrames(error);
  }

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
      this.current = await this.options.open(run);
      this.isWaiting = false;
    }
    this.isOver = true;
    return DONE;
  }

  async return(): Promise<Step> {
    this.isOver = true;
    await this.current?.return();
    return DONE;
  }

  private announce(): Step {
    this.isAnnounced = true;
    return ACCEPTED;
  }

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

  private frameOfShutdown(): string | undefined {
    return this.current ? this.current.frameOfShutdown() : this.options.shutdownFrame;
  }
}

import type { FrameBatch } from './frame-encoder.js';
import { DONE, type FrameSource, type Step } from './frame-source.js';

/** What is followed live and is no run in the frames of a wire, as a source: such as the changes of a list. */
export class LiveFrames implements FrameSource {
  /** Leaving it cancels nothing. */
  readonly hasEnded = true;
  readonly isCutAtShutdown = false;
  readonly isRead = false;
  private batches: AsyncIterator<FrameBatch> | undefined;
  private primed: Step | undefined;
  private isOver = false;

  /** @param read called once, for the first batch; it must end when its reader leaves */
  constructor(private readonly read: () => AsyncIterable<FrameBatch>) {}

  /** There is no such frame; reading it ends the source. */
  get shutdownFrame(): undefined {
    this.isOver = true;
    return undefined;
  }

  /** A source can be iterated once. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  async prime(): Promise<void> {
    this.primed = await this.next();
  }

  /** @throws what reading throws */
  async next(): Promise<Step> {
    const { primed } = this;
    if (primed) {
      this.primed = undefined;
      return primed;
    }
    if (this.isOver) return DONE;
    this.batches ??= this.read()[Symbol.asyncIterator]();
    const step = await this.batches.next();
    if (step.done === true || this.isOver) return this.return();
    return { done: false, value: step.value };
  }

  async return(): Promise<Step> {
    this.isOver = true;
    await this.batches?.return?.();
    return DONE;
  }

  errorFrames(): undefined {
    return undefined;
  }
}

/**
 * The frames of a run for readers that look at the frames themselves: each one as `show` writes it. What a wire writes
 * in addition to the frames of the run, to shut down or for an error, is left out.
 */
export class ShownFrames implements FrameSource {
  readonly isCutAtShutdown = false;

  /**
   * @param frames in batches that are not joined
   * @param index of the frame before the first one
   */
  constructor(
    private readonly frames: FrameSource,
    private readonly show: (frame: string, index: number) => string,
    private index: number,
  ) {}

  get hasEnded(): boolean {
    return this.frames.hasEnded;
  }

  get isRead(): boolean {
    return this.frames.isRead;
  }

  /** Reading it ends the source. */
  get shutdownFrame(): undefined {
    void this.frames.shutdownFrame;
    return undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  prime(): Promise<void> {
    return this.frames.prime();
  }

  /** @throws what reading the run throws */
  async next(): Promise<Step> {
    const step = await this.frames.next();
    if (step.done === true) return step;
    return { done: false, value: step.value.map((frame) => this.show(frame, (this.index += 1))) };
  }

  async return(): Promise<Step> {
    await this.frames.return?.();
    return DONE;
  }

  errorFrames(): undefined {
    return undefined;
  }
}

/** Counts the frames of a stream and leaves out the first ones, which the reader has. */
export class SkipFrames {
  private counted = 0;

  /** @param seen how many frames the reader has */
  constructor(readonly seen = 0) {}

  /** The frames so far, written or skipped. */
  get count(): number {
    return this.counted;
  }

  /** True while the reader has more frames than were made. */
  get isBehind(): boolean {
    return this.counted < this.seen;
  }

  /** Counts frames that were made for another reader. */
  add(count: number): void {
    this.counted += count;
  }

  /** Counts frames and returns those that the reader does not have. */
  take(frames: readonly string[]): readonly string[] {
    const missing = this.seen - this.counted;
    this.counted += frames.length;
    return missing <= 0 ? frames : frames.slice(missing);
  }
}

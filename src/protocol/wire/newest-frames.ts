/** Characters that are kept of one stream at least, if it has as many. At most it is twice as much. */
const KEPT = 16 * 1024;

/** Frames that were written together, and their characters. */
interface Batch {
  readonly frames: readonly string[];
  readonly length: number;
}

/** The newest frames of a stream. A client that comes back may lack some of them: sent, and not received. */
export class NewestFrames {
  private readonly batches: Batch[] = [];
  /** Characters of all batches. */
  private length = 0;

  /** Adds the next frames of the stream, which must not change afterwards. @param length their characters */
  add(frames: readonly string[], length: number): void {
    this.batches.push({ frames, length });
    this.length += length;
    if (this.length > 2 * KEPT) this.trim();
  }

  /** The frames that are kept, oldest first. */
  all(): readonly string[] {
    return this.batches.flatMap(({ frames }) => frames);
  }

  /** Drops what is not needed for `KEPT` characters; a batch that is too large by itself keeps its last frames. */
  private trim(): void {
    let dropped = 0;
    for (const { length } of this.batches.slice(0, -1)) {
      if (this.length - length < KEPT) break;
      this.length -= length;
      dropped += 1;
    }
    this.batches.splice(0, dropped);
    const [only] = this.batches;
    if (!only || this.length <= 2 * KEPT) return;
    this.batches.length = 0;
    this.batches.push(lastOf(only.frames));
    this.length = this.batches[0]?.length ?? 0;
  }
}

/** The last frames of a batch, `KEPT` characters at most. */
function lastOf(frames: readonly string[]): Batch {
  let length = 0;
  let first = frames.length;
  for (; first > 0; first -= 1) {
    const next = frames[first - 1]?.length ?? 0;
    if (length + next > KEPT) break;
    length += next;
  }
  return { frames: frames.slice(first), length };
}

import type { LoggedEvent } from '../../events/index.js';
import type { FrameEncoder } from './encoder.js';

/** An encoder whose first frames are counted and not written: their reader has them. */
export class SkipFrames implements FrameEncoder {
  private counted = 0;

  /** @param seen how many frames the reader has; frames of `end` are always written */
  constructor(
    private encoder: FrameEncoder,
    private readonly seen: number,
  ) {}

  get joinable(): boolean {
    return this.encoder.joinable;
  }

  /** The frames so far, written or not. */
  get count(): number {
    return this.counted;
  }

  /** The frames of another encoder follow and are counted on: another run in the same stream. */
  goOn(encoder: FrameEncoder): void {
    this.encoder = encoder;
  }

  prepare(events: readonly LoggedEvent[]): Promise<void> | undefined {
    return this.encoder.prepare?.(events);
  }

  next(event: LoggedEvent): readonly string[] {
    const frames = this.encoder.next(event);
    const missing = Math.max(0, this.seen - this.counted);
    this.counted += frames.length;
    return missing === 0 ? frames : frames.slice(missing);
  }

  end(): readonly string[] {
    return this.encoder.end();
  }

  shutdownFrame(): string {
    return this.encoder.shutdownFrame?.() ?? '';
  }
}

/**
 * Passes a tail on and, once everything that was committed at the time of the request has been encoded,
 * verifies the cursor; then the request counts as accepted: an empty batch says so.
 *
 * @param lastSeq the last event that was committed then, -1 for none
 * @param verify throws when the cursor lies beyond what has been encoded
 */
export async function* verifiedTail(
  tail: AsyncIterable<readonly LoggedEvent[]>,
  lastSeq: number,
  verify: () => void,
): AsyncGenerator<readonly LoggedEvent[], void, void> {
  let isVerified = lastSeq < 0;
  if (isVerified) {
    verify();
    yield [];
  }
  for await (const events of tail) {
    yield events;
    if (isVerified || (events.at(-1)?.seq ?? -1) < lastSeq) continue;
    verify();
    isVerified = true;
    yield [];
  }
}

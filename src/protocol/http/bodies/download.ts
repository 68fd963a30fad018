import { Readable } from 'node:stream';

/** Bytes that are handed on at a time: a reader counts as slow if it does not take so many in its time. */
const PIECE_BYTES = 65_536;

/** How a download treats its reader. */
export interface DownloadOptions {
  /** Milliseconds without anything taken after which the reader is disconnected. */
  readonly slowReaderTimeoutMs: number;
  /** Called when it is. */
  readonly onCut: () => void;
}

/** A body that is made as fast as its reader takes it, and is cut when the reader takes nothing for too long. */
export class Download extends Readable {
  private readonly pieces: AsyncIterator<Uint8Array>;
  /** What was made and not handed on yet. */
  private rest: Uint8Array = new Uint8Array();
  private slowTimer: NodeJS.Timeout | undefined;

  /** @param pieces left when the download ends, whether it has begun or not */
  constructor(
    pieces: AsyncIterable<Uint8Array>,
    private readonly options: DownloadOptions,
  ) {
    super({ highWaterMark: PIECE_BYTES });
    this.pieces = pieces[Symbol.asyncIterator]();
  }

  /** The reader has taken what there was, or nearly so. */
  override _read(): void {
    clearTimeout(this.slowTimer);
    if (this.rest.length > 0) this.handOn();
    else void this.make();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.slowTimer);
    const end = (): void => callback(error);
    const left = this.pieces.return?.();
    if (left) left.then(end, end);
    else end();
  }

  private async make(): Promise<void> {
    try {
      while (this.rest.length === 0) {
        const next = await this.pieces.next();
        if (this.destroyed) return;
        if (next.done === true) {
          this.push(null);
          return;
        }
        this.rest = next.value;
      }
      this.handOn();
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  private handOn(): void {
    const piece = this.rest.subarray(0, PIECE_BYTES);
    this.rest = this.rest.subarray(PIECE_BYTES);
    const { slowReaderTimeoutMs, onCut } = this.options;
    const cut = (): void => {
      onCut();
      this.destroy();
    };
    this.slowTimer = setTimeout(cut, slowReaderTimeoutMs).unref();
    this.push(piece);
  }
}

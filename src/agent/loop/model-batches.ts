import type { ModelEvent } from '../ports/model-client.js';

/** Most events that one run writes in a turn of the event loop, so that other runs get their turns. */
const EVENTS_PER_TURN = 64;

/**
 * Reads the batches of one model call, bounded and abortable: no batch has more than 64 events, and
 * after 64 events the event loop takes a turn, so that a model that is faster than its readers neither
 * starves other runs nor delays its own first events.
 *
 * When the signal aborts, a waiting `next` rejects with its reason at once, even if the model hangs.
 * Nothing is returned after that, including events that had already arrived.
 */
export class ModelBatches {
  private readonly iterator: AsyncIterator<readonly ModelEvent[]>;
  private arrived: readonly ModelEvent[] = [];
  /** Number of arrived events that were returned. */
  private offset = 0;
  private taken = 0;
  private isDone = false;
  private rejectNext: ((reason: unknown) => void) | undefined;
  private readonly onAbort = (): void => this.rejectNext?.(this.signal.reason);

  constructor(
    source: AsyncIterable<readonly ModelEvent[]>,
    private readonly signal: AbortSignal,
  ) {
    this.iterator = source[Symbol.asyncIterator]();
    signal.addEventListener('abort', this.onAbort);
  }

  /**
   * The next events, or undefined at the end.
   *
   * @throws the signal's reason; whatever the model client throws
   */
  async next(): Promise<readonly ModelEvent[] | undefined> {
    this.signal.throwIfAborted();
    if (this.taken >= EVENTS_PER_TURN) await this.nextTurn();
    if (this.offset >= this.arrived.length) {
      const next = await this.orAborted(this.iterator.next());
      this.signal.throwIfAborted();
      if (next.done) {
        this.isDone = true;
        return undefined;
      }
      this.arrived = next.value;
      this.offset = 0;
    }
    return this.take();
  }

  /** Stops reading and ends the model call, without waiting for it, because it may hang. */
  close(): void {
    this.signal.removeEventListener('abort', this.onAbort);
    if (!this.isDone) this.iterator.return?.().then(undefined, () => undefined);
  }

  /** The events that may still be handled in this turn. */
  private take(): readonly ModelEvent[] {
    const end = Math.min(this.arrived.length, this.offset + EVENTS_PER_TURN - this.taken);
    const isWhole = this.offset === 0 && end === this.arrived.length;
    const batch = isWhole ? this.arrived : this.arrived.slice(this.offset, end);
    this.offset = end;
    this.taken += batch.length;
    return batch;
  }

  /** Lets other work proceed, since a provider can deliver many events at once. */
  private async nextTurn(): Promise<void> {
    await this.orAborted(new Promise<void>((resolve) => setImmediate(resolve)));
    this.taken = 0;
    this.signal.throwIfAborted();
  }

  /** Rejects on an abort even if the provider's stream does not. */
  private orAborted<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.rejectNext = reject;
      work.then(resolve, reject);
    });
  }
}

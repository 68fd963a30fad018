import type { ModelEvent } from '../ports/model-client.js';

/** Most events that one run writes in a turn of the event loop, so that other runs get their turns. */
const EVENTS_PER_TURN = 64;

type Resolve = (batch: readonly ModelEvent[] | undefined) => void;
type Reject = (reason: unknown) => void;

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
   * The next events, or undefined at the end. Written with one promise, because most batches have one event.
   *
   * @throws the signal's reason; whatever the model client throws
   */
  next(): Promise<readonly ModelEvent[] | undefined> {
    return new Promise((resolve, reject) => {
      this.signal.throwIfAborted();
      this.rejectNext = reject;
      if (this.taken >= EVENTS_PER_TURN) setImmediate(() => this.nextTurn(resolve, reject));
      else this.fetch(resolve, reject);
    });
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

  /** Other work has proceeded, since a provider can deliver many events at once. */
  private nextTurn(resolve: Resolve, reject: Reject): void {
    this.taken = 0;
    if (this.signal.aborted) reject(this.signal.reason);
    else this.fetch(resolve, reject);
  }

  /** Hands on what is left of the last batch, or else waits for the next one. An abort rejects it meanwhile. */
  private fetch(resolve: Resolve, reject: Reject): void {
    if (this.offset < this.arrived.length) return resolve(this.take());
    try {
      this.iterator.next().then((step) => this.arrive(step, resolve, reject), reject);
    } catch (error) {
      reject(error);
    }
  }

  private arrive(step: IteratorResult<readonly ModelEvent[]>, resolve: Resolve, reject: Reject): void {
    if (this.signal.aborted) return reject(this.signal.reason);
    if (step.done) {
      this.isDone = true;
      return resolve(undefined);
    }
    this.arrived = step.value;
    this.offset = 0;
    resolve(this.take());
  }
}

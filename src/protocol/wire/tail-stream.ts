import { Observable, type Subscriber } from 'rxjs';
import type { BackpressureGate } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import type { FrameEncoder } from './frame-encoder.js';

/** Characters after which a batch of frames is handed on, so that a socket can say stop in between. */
const BATCH_LENGTH = 64 * 1024;

/**
 * Reads a run's log through a wire's encoder. Yields batches of chunks: the frames of one batch apart
 * when the wire needs one frame per chunk, else joined. An empty batch of events passes as an empty
 * batch of frames, which tells the interceptor that the request is accepted.
 */
export function encodeTail(
  tail: AsyncIterable<readonly LoggedEvent[]>,
  encoder: FrameEncoder,
): AsyncIterableIterator<readonly string[]> {
  return new EncodedTail(tail[Symbol.asyncIterator](), encoder);
}

/** By hand: a generator costs several promises more for each batch, and a stream is made of batches. */
class EncodedTail implements AsyncIterableIterator<readonly string[]> {
  private events: readonly LoggedEvent[] = [];
  private position = 0;
  private ended = false;

  constructor(
    private readonly tail: AsyncIterator<readonly LoggedEvent[]>,
    private readonly encoder: FrameEncoder,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<readonly string[], undefined>> {
    while (!this.ended) {
      if (this.position < this.events.length) {
        const frames = this.encode();
        if (frames.length > 0) return { done: false, value: this.pack(frames) };
        continue;
      }
      const step = await this.tail.next();
      if (step.done === true) {
        this.ended = true;
        const last = this.encoder.end();
        if (last.length > 0) return { done: false, value: this.pack([...last]) };
      } else {
        this.events = step.value;
        this.position = 0;
        if (step.value.length === 0) return { done: false, value: [] };
        const prepared = this.encoder.prepare?.(step.value);
        if (prepared) await prepared;
      }
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<readonly string[], undefined>> {
    this.ended = true;
    await this.tail.return?.();
    return { done: true, value: undefined };
  }

  /** The frames of the next events, until they are many. */
  private encode(): string[] {
    const frames: string[] = [];
    const { events, encoder } = this;
    for (let length = 0; this.position < events.length && length < BATCH_LENGTH; this.position += 1) {
      const event = events[this.position];
      if (!event) continue;
      for (const frame of encoder.next(event)) {
        frames.push(frame);
        length += frame.length;
      }
    }
    return frames;
  }

  private pack(frames: string[]): readonly string[] {
    return this.encoder.joinable ? [frames.join('')] : frames;
  }
}

/** Says of a tail that its request is accepted before anything is in the log: an empty batch, then the tail. */
export function acceptedTail(
  tail: AsyncIterable<readonly LoggedEvent[]>,
): AsyncIterableIterator<readonly LoggedEvent[]> {
  const iterator = tail[Symbol.asyncIterator]();
  let accepted = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (accepted) return iterator.next();
      accepted = true;
      return Promise.resolve({ done: false, value: [] });
    },
    async return() {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
}

/** What `tailObservable` needs. */
export interface TailObservableOptions {
  /** Opens the batches; `gone` aborts when the reader has left. */
  readonly open: (gone: AbortSignal) => AsyncIterable<readonly string[]>;
  /** Back-pressure of the socket: a batch is asked for only when it is ready. */
  readonly gate: BackpressureGate;
  /** Called when the reader left before the end. */
  readonly onAbandoned?: (() => void) | undefined;
}

/** The batches as an Observable, pulled at the socket's pace; the iterator is closed when it is unsubscribed. */
export function tailObservable(options: TailObservableOptions): Observable<readonly string[]> {
  return new Observable((out) => {
    const gone = new AbortController();
    const iterator = options.open(gone.signal)[Symbol.asyncIterator]();
    let over = false;
    pump(iterator, options.gate, out).then(
      () => {
        over = true;
        out.complete();
      },
      (error: unknown) => {
        over = true;
        out.error(error);
      },
    );
    return () => {
      if (over) return;
      over = true;
      gone.abort();
      options.gate.resume();
      iterator.return?.().catch(() => undefined);
      options.onAbandoned?.();
    };
  });
}

async function pump(
  iterator: AsyncIterator<readonly string[]>,
  gate: BackpressureGate,
  out: Subscriber<readonly string[]>,
): Promise<void> {
  while (!out.closed) {
    for (let wait = gate.ready(); wait; wait = gate.ready()) {
      await wait;
      if (out.closed) return;
    }
    const step = await iterator.next();
    if (step.done === true) return;
    out.next(step.value);
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

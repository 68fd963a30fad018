import { Observable, type Subscriber } from 'rxjs';
import type { Demand } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import type { ProtocolEncoder } from './encoder.js';

/** Characters after which a batch of frames is handed on, so that a socket can say stop in between. */
const BATCH_LENGTH = 64 * 1024;

/**
 * Reads a run's log through a wire's encoder. Yields batches of chunks: the frames of one batch apart
 * when the wire needs one frame per chunk, else joined. An empty batch of events passes as an empty
 * batch of frames, which tells the interceptor that the request is accepted.
 */
export async function* encodeTail(
  tail: AsyncIterable<readonly LoggedEvent[]>,
  encoder: ProtocolEncoder,
): AsyncGenerator<readonly string[], void, void> {
  const pack = (frames: string[]): readonly string[] => (encoder.joinable ? [frames.join('')] : frames);
  for await (const events of tail) {
    if (events.length === 0) yield [];
    let frames: string[] = [];
    let length = 0;
    for (const event of events) {
      for (const frame of encoder.next(event)) {
        frames.push(frame);
        length += frame.length;
      }
      if (length < BATCH_LENGTH) continue;
      yield pack(frames);
      frames = [];
      length = 0;
    }
    if (frames.length > 0) yield pack(frames);
  }
  const last = encoder.end();
  if (last.length > 0) yield pack([...last]);
}

/** Says of a tail that its request is accepted before anything is in the log: an empty batch, then the tail. */
export async function* acceptedTail(
  tail: AsyncIterable<readonly LoggedEvent[]>,
): AsyncGenerator<readonly LoggedEvent[], void, void> {
  yield [];
  yield* tail;
}

/** What `tailObservable` needs. */
export interface TailObservableOptions {
  /** Opens the batches; `gone` aborts when the reader has left. */
  readonly open: (gone: AbortSignal) => AsyncIterable<readonly string[]>;
  /** Back-pressure of the socket: a batch is asked for only when it is ready. */
  readonly demand: Demand;
  /** Called when the reader left before the end. */
  readonly onAbandoned?: (() => void) | undefined;
}

/** The batches as an Observable, pulled at the socket's pace; the iterator is closed when it is unsubscribed. */
export function tailObservable(options: TailObservableOptions): Observable<readonly string[]> {
  return new Observable((out) => {
    const gone = new AbortController();
    const iterator = options.open(gone.signal)[Symbol.asyncIterator]();
    let over = false;
    pump(iterator, options.demand, out).then(
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
      options.demand.resume();
      iterator.return?.().catch(() => undefined);
      options.onAbandoned?.();
    };
  });
}

async function pump(
  iterator: AsyncIterator<readonly string[]>,
  demand: Demand,
  out: Subscriber<readonly string[]>,
): Promise<void> {
  while (!out.closed) {
    for (let wait = demand.ready(); wait; wait = demand.ready()) {
      await wait;
      if (out.closed) return;
    }
    const step = await iterator.next();
    if (step.done === true) return;
    out.next(step.value);
  }
}

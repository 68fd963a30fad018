import { Injectable } from '@nestjs/common';
import { AppError, type BackpressureGate, type Principal } from '../../../common/index.js';
import type { RunView } from '../../../run/index.js';
import { RunLookup } from '../run-lookup.js';
import { type EventsRequest, type Place, RunPlaces } from './run-places.js';
import { RunStream } from './run-stream.js';

/** Milliseconds between two looks for a thread's next run: at first and at most. */
const NEXT_RUN_FIRST_MS = 25;
const NEXT_RUN_MOST_MS = 500;

/** How a stream is fed, and when it ends. */
export interface StreamNeeds {
  readonly gate: BackpressureGate;
  readonly signal: AbortSignal;
}

/** A stream that can be opened; the run is undefined for a thread that has none yet. */
export interface EventsStream {
  readonly run: RunView | undefined;
  readonly open: (needs: StreamNeeds) => AsyncIterable<readonly string[]>;
}

/** What a request for events comes to: a stream, nothing more (204), or no longer kept (410). */
export type EventsAnswer =
  | ({ readonly kind: 'stream' } & EventsStream)
  | { readonly kind: 'nothing' }
  | { readonly kind: 'expired'; readonly run: RunView; readonly lastSeq: number | undefined };

/** Answers requests for events by the rules of contract runs-api, section 5. */
@Injectable()
export class RunEvents {
  constructor(
    private readonly lookup: RunLookup,
    private readonly places: RunPlaces,
    private readonly stream: RunStream,
  ) {}

  /**
   * Decides before the first byte.
   *
   * @throws AppError as `RunPlaces.find`; CURSOR_AHEAD
   */
  async answer(principal: Principal, request: EventsRequest): Promise<EventsAnswer> {
    const { threadId } = request;
    const follows = request.follow === 'thread';
    const place = await this.places.find(principal, request);
    if (!place) return { kind: 'stream', run: undefined, open: (needs) => this.later(principal, threadId, 0, needs) };
    const { run, after } = place;
    if (request.from === 'snapshot' && !request.cursor) {
      return this.streamOf(principal, run, follows, (needs) => this.stream.fromSnapshot({ principal, run, ...needs }));
    }
    const lastSeq = await this.places.lastSeq(principal, run);
    if (lastSeq === undefined) return this.afterRemoval(principal, place, request);
    if (after > lastSeq) throw cursorAhead(place, lastSeq);
    const isRead = run.finishedAt !== null && after === lastSeq;
    if (isRead) return this.read(principal, run, follows);
    return this.streamOf(principal, run, follows, (needs) =>
      this.stream.frames({ principal, run, ...needs }, { after }),
    );
  }

  /** The events are gone: nothing is missed by who read the last one, or the snapshot that stands for all. */
  private afterRemoval(principal: Principal, place: Place, request: EventsRequest): EventsAnswer {
    const { run, after } = place;
    const follows = request.follow === 'thread';
    const lastSeq = this.places.knownSeq(run);
    if (lastSeq !== undefined && after > lastSeq) throw cursorAhead(place, lastSeq);
    const isRead = request.cursor ? after === lastSeq : request.from === 'now';
    const isShown = request.from === 'snapshot' && after === 0;
    if (isRead || isShown) return this.read(principal, run, follows);
    if (request.from !== 'snapshot') return { kind: 'expired', run, lastSeq };
    return this.streamOf(principal, run, follows, (needs) => this.stream.fromSnapshot({ principal, run, ...needs }));
  }

  /** Nothing more comes of a run; of its thread perhaps. */
  private read(principal: Principal, run: RunView, follows: boolean): EventsAnswer {
    return follows ? this.streamOf(principal, run, true, () => NO_FRAMES) : { kind: 'nothing' };
  }

  private streamOf(principal: Principal, run: RunView, follows: boolean, first: EventsStream['open']): EventsAnswer {
    const open = follows ? (needs: StreamNeeds) => this.chain(principal, run, first(needs), needs) : first;
    return { kind: 'stream', run, open };
  }

  /** One run after the other, for as long as the client stays. */
  private async *chain(
    principal: Principal,
    run: RunView,
    first: AsyncIterable<readonly string[]>,
    needs: StreamNeeds,
  ): AsyncGenerator<readonly string[], void, void> {
    yield* first;
    yield* this.later(principal, run.sessionId, run.ordinal, needs);
  }

  private async *later(
    principal: Principal,
    threadId: string,
    ordinal: number,
    needs: StreamNeeds,
  ): AsyncGenerator<readonly string[], void, void> {
    let seen = ordinal;
    let wait = NEXT_RUN_FIRST_MS;
    while (!needs.signal.aborted) {
      const run = await this.lookup.after(principal, threadId, seen);
      if (run) {
        yield* this.stream.frames({ principal, run, ...needs });
        seen = run.ordinal;
        wait = NEXT_RUN_FIRST_MS;
      } else {
        await pause(wait, needs.signal);
        wait = Math.min(wait * 2, NEXT_RUN_MOST_MS);
      }
    }
  }
}

/** A run of which everything was read. */
const NO_FRAMES: AsyncIterable<readonly string[]> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};

function cursorAhead({ run, after }: Place, lastSeq: number): AppError {
  const message = `The event id ${run.ordinal}-${after} is ahead of the last event of this run, ${run.ordinal}-${lastSeq}`;
  return new AppError('CURSOR_AHEAD', message, { details: [{ path: 'lastEventId', message }] });
}

/** Waits, or until the signal aborts. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}

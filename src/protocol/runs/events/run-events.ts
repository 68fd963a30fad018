import { Injectable } from '@nestjs/common';
import { AppError, type Principal } from '../../../common/index.js';
import type { RunView } from '../../../run/index.js';
import type { StreamClient } from '../../http/index.js';
import {
  type FrameCursor,
  type FrameEncoder,
  type RunStream,
  RunStreams,
  type SessionOptions,
  frameCursor,
} from '../../wire/index.js';
import { canonicalThreadId } from '../run-lookup.js';
import { RunsWire } from '../runs.wire.js';
import { FrameCounts } from './frame-counts.js';
import { PrunedRuns } from './pruned-runs.js';
import { type EventsRequest, StartFinder, type StreamStart } from './start-finder.js';

/**
 * The answer to a request for events: a stream (the run is undefined for a thread that has none yet), nothing
 * more (204), or events that were removed (410).
 */
export type EventsAnswer =
  | { readonly kind: 'stream'; readonly run: RunView | undefined; readonly stream: RunStream }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'expired'; readonly run: RunView; readonly lastSeq: number | undefined };

/** The answer 204: the client has everything. */
const NOTHING: EventsAnswer = { kind: 'nothing' };

/** Answers requests for events by the rules of contract runs-api, section 5. */
@Injectable()
export class RunEvents {
  constructor(
    private readonly starts: StartFinder,
    private readonly streams: RunStreams,
    private readonly wire: RunsWire,
    private readonly counts: FrameCounts,
    private readonly pruned: PrunedRuns,
  ) {}

  /**
   * Decides before the first byte.
   *
   * @throws AppError as `StartFinder.find`; CURSOR_AHEAD
   */
  async answer(principal: Principal, request: EventsRequest, client: StreamClient): Promise<EventsAnswer> {
    const start = await this.starts.find(principal, request);
    const reading = new EventsReading(principal, request, client, this.wire);
    return start ? this.from(reading, start) : this.later(reading, undefined);
  }

  /** Opens the stream at a place. A finished run that a client joins `now` has nothing left to send. */
  private async from(reading: EventsReading, start: StreamStart): Promise<EventsAnswer> {
    const { run } = start;
    const { cursor, from } = reading.request;
    if (!cursor && from === 'snapshot') return this.open(reading, run, this.wire.encoders.fromSnapshot(run));
    if (!cursor && from === 'now') {
      if (run.finishedAt !== null) return this.afterEnd(reading, run);
      return this.open(reading, run, this.wire.encoders.fromNow(run));
    }
    try {
      return await this.resume(reading, start);
    } catch (error) {
      if (error instanceof AppError && error.code === 'EVENTS_EXPIRED') return this.afterRemoval(reading, start);
      throw error;
    }
  }

  /** A stream after the client's cursor; if the client has all events, the answer is that of an ended run. */
  private async resume(reading: EventsReading, { run, after }: StreamStart): Promise<EventsAnswer> {
    const { client, options } = reading;
    const cursor = eventCursor(run, after);
    const stream = reading.followsThread
      ? await this.follow(reading, { first: run, cursor: { of: 'first run', ...cursor } })
      : await this.streams.resume(run, client, { encoder: this.wire.encoders.all(run), cursor, ...options });
    if (!stream.isRead) return { kind: 'stream', run, stream };
    return this.afterEnd(reading, run);
  }

  /** From the state of a run, or from its later events, on. */
  private async open(reading: EventsReading, run: RunView, encoder: FrameEncoder): Promise<EventsAnswer> {
    const { client, options } = reading;
    const expired = (one: RunView): Promise<readonly string[]> => this.pruned.frames(one);
    const stream = reading.followsThread
      ? await this.follow(reading, { first: run, expired, firstEncoder: encoder })
      : this.streams.follow(run, client, { encoder, expired, ...options });
    return { kind: 'stream', run, stream };
  }

  /** A client that has the last event, or the snapshot that replaces all of them, misses nothing. */
  private async afterRemoval(reading: EventsReading, { run, after }: StreamStart): Promise<EventsAnswer> {
    const lastSeq = this.counts.known(run);
    if (lastSeq !== undefined && after > lastSeq) throw eventCursor(run, after).ahead(lastSeq);
    const { cursor, from } = reading.request;
    if (cursor && after === lastSeq) return this.afterEnd(reading, run);
    if (from === 'snapshot' && after === 0) return this.later(reading, run);
    if (from === 'snapshot') return this.open(reading, run, this.wire.encoders.fromSnapshot(run));
    return { kind: 'expired', run, lastSeq };
  }

  /** The client has all events of a run: the next run of its thread follows, if it asks for that. */
  private async afterEnd(reading: EventsReading, run: RunView): Promise<EventsAnswer> {
    const next = await this.starts.afterEnd(reading.principal, run, reading.request);
    return next ? this.from(reading, next) : this.later(reading, run);
  }

  /** Only later runs of the thread can follow. */
  private async later(reading: EventsReading, run: RunView | undefined): Promise<EventsAnswer> {
    if (!reading.followsThread) return NOTHING;
    return { kind: 'stream', run, stream: await this.follow(reading, { afterOrdinal: run?.ordinal ?? 0 }) };
  }

  /** Follows the thread's runs until the client leaves, the stream reaches its lifetime or the server stops. */
  private follow(
    reading: EventsReading,
    {
      firstEncoder,
      ...own
    }: Pick<SessionOptions, 'first' | 'afterOrdinal' | 'expired'> & {
      readonly cursor?: FrameCursor & { readonly of: 'first run' };
      readonly firstEncoder?: FrameEncoder;
    },
  ): Promise<RunStream> {
    const { principal, request, client, options } = reading;
    return this.streams.followSession(client, {
      principal,
      sessionId: canonicalThreadId(request.threadId),
      encoderOf: (run) => (run === own.first && firstEncoder ? firstEncoder : this.wire.encoders.all(run)),
      waits: 'always',
      ...options,
      ...own,
    });
  }
}

/** One request for events. */
class EventsReading {
  constructor(
    readonly principal: Principal,
    readonly request: EventsRequest,
    readonly client: StreamClient,
    private readonly wire: RunsWire,
  ) {}

  get followsThread(): boolean {
    return this.request.follow === 'thread';
  }

  /** What all its streams have in common. */
  get options(): { readonly wire: RunsWire; readonly lifetimeMs: number; readonly reconnects: boolean } {
    return { wire: this.wire, lifetimeMs: this.wire.lifetimeMs, reconnects: true };
  }
}

/** @param seen how many events the client has; they are numbered from 1 */
function eventCursor({ ordinal }: RunView, seen: number): FrameCursor {
  const sentence = (last: number): string =>
    `The event id ${ordinal}-${seen} is ahead of the last event of this run, ${ordinal}-${last}`;
  return frameCursor(seen, 'lastEventId', sentence);
}

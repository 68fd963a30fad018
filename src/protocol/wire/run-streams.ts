import { Injectable } from '@nestjs/common';
import { CredentialWatch } from '../../access/index.js';
import { type AbortLike, AppError, RETRY_AFTER_SECONDS, userReach } from '../../common/index.js';
import { FirstAbort, LightAbortSignal } from '../../runtime/index.js';
import { type AgentResponse, isTerminalEvent, type LoggedEvent } from '../../events/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { ActiveStreams, type StreamReader } from '../http/index.js';
import { DisconnectPolicy } from './disconnect-policy.js';
import { ResumeCache } from './resume-cache.js';
import type { FrameBatch, FrameEncoder } from './frame-encoder.js';
import type { FrameSource } from './frame-source.js';
import { LiveFrames, ShownFrames } from './live-frames.js';
import { RunFrames } from './run-frames.js';
import { RunStream } from './run-stream.js';
import { SessionFrames } from './session-frames.js';
import { SkipFrames } from './skip-frames.js';
import type {
  CursorCheck,
  ReadOptions,
  ResultOptions,
  ResumeOptions,
  RunFramesOptions,
  RunsOptions,
  SessionOptions,
  StreamOptions,
} from './stream-options.js';
import type { Wire } from './wire.js';

/** How the frames of one run are made. */
interface FramesOptions
  extends StreamOptions, Omit<RunFramesOptions, 'encoder' | 'stopped' | 'onStop' | 'signal' | 'expired'> {
  /** Whether the encoder of an earlier reader is continued, and this one kept for a later reader. */
  readonly isResumable: boolean;
  /** The number of the last event that the encoder has encoded already. Absent: it begins with the first. */
  readonly readTo?: number;
}

/** What a stream is opened with. */
interface OpenedStream extends Omit<StreamOptions, 'wire'> {
  /** Absent: there are no frames but those of the source. */
  readonly wire?: Wire;
  readonly stop: Stop;
  readonly isResumed?: boolean;
  readonly credentialFrame?: string;
}

/** What ends the reading of a log. */
interface Stop {
  /** Stops the reading and clears the timer. May be called more than once. */
  readonly abort: () => void;
  /** Aborted by `abort`, or at the end of the stream's lifetime. */
  readonly signal: AbortLike;
}

/**
 * Follows runs for clients: the only place that does, for every wire and every transport. It owns
 * back-pressure, what happens to a run whose client leaves, cursors, and the end at a shutdown or when
 * the credential of the reader ends.
 */
@Injectable()
export class RunStreams {
  constructor(
    private readonly runs: Runs,
    private readonly active: ActiveStreams,
    private readonly disconnects: DisconnectPolicy,
    private readonly stopped: ResumeCache,
    private readonly credentials: CredentialWatch,
  ) {}

  /** The frames of a run that was just accepted, from its first event on. */
  follow(run: RunView, reader: StreamReader, options: StreamOptions): RunStream {
    const stop = stopAfter(options.lifetimeMs);
    const { onDisconnect = options.wire.onDisconnect } = options;
    const isResumable = onDisconnect === 'continue';
    const source = this.frames(run, reader, stop, { isAccepted: true, isResumable, ...options });
    return this.stream(source, run, reader, { stop, ...options });
  }

  /**
   * The frames of a run after those that its reader has. Disconnecting does not cancel the run unless `onDisconnect` is `cancel`.
   *
   * @throws AppError as `cursor.ahead` when the reader has more frames than were committed; as `Runs.tail`
   */
  async resume(run: RunView, reader: StreamReader, options: ResumeOptions): Promise<RunStream> {
    const { wire, encoder, expired, show, cursor: given } = options;
    const stop = stopAfter(options.lifetimeMs);
    const cursor = { lastSeq: run.lastSeq, ahead: given.ahead };
    const skip = new SkipFrames(given.seen);
    const how = { wire, encoder, expired, skip, cursor, isResumable: true, isJoined: show === undefined };
    const frames = this.frames(run, reader, stop, how);
    await frames.prime();
    const source = show ? new ShownFrames(frames, show, given.seen) : frames;
    return this.stream(source, run, reader, { onDisconnect: 'continue', stop, isResumed: given.seen > 0, ...options });
  }

  /**
   * The frames of one run after another of a session. Disconnecting cancels none of them.
   *
   * @throws AppError as `resume`, for the first run when the cursor is in it
   */
  async followSession(reader: StreamReader, options: SessionOptions): Promise<RunStream> {
    const { wire, first, cursor, expired, encoderOf = (run: RunView) => wire.encoder(run) } = options;
    const stop = stopAfter(options.lifetimeMs);
    const skip = new SkipFrames(cursor?.seen);
    const isInFirst = cursor?.of === 'first run';
    const open = async (run: RunView, check?: CursorCheck): Promise<RunFrames> => {
      const encoder = await encoderOf(run);
      // A cursor in the first run does not count frames of later ones.
      const own = isInFirst && run !== first ? new SkipFrames() : skip;
      const isResumable = cursor?.of !== 'all runs';
      const how = { wire, expired, encoder, skip: own, cursor: check, hasEnd: false, isResumable };
      return this.frames(run, reader, stop, how);
    };
    const check = first && isInFirst ? { lastSeq: first.lastSeq, ahead: cursor.ahead } : undefined;
    let last = first;
    const source = new SessionFrames({
      first: first && (await open(first, check)),
      isAccepted: first === undefined || (!check && first.finishedAt === null),
      next: async () => {
        const next = await this.nextRun(last, stop.signal, options);
        if (typeof next !== 'string') last = next;
        return next;
      },
      open,
      signal: stop.signal,
      shutdownFrame: wire.shutdownFrame,
      verify: () => {
        if (cursor && skip.isBehind) throw cursor.ahead(skip.count);
      },
    });
    if (check) await source.prime();
    return this.stream(source, first, reader, { onDisconnect: 'continue', stop, ...options });
  }

  /** The frames of one run after another, as the wire finds them. Disconnecting cancels none of them, unless `onDisconnect` is `cancel`. */
  followRuns(reader: StreamReader, options: RunsOptions): RunStream {
    const { wire, first, head, encoderOf, shutdownFrame, credentialFrame, errorFrames } = options;
    const stop = stopAfter(undefined);
    const open = (run: RunView, encoder: FrameEncoder, readTo = -1): RunFrames =>
      this.frames(run, reader, stop, { wire, encoder, hasEnd: false, isResumable: false, readTo });
    let last = first?.run;
    const source = new SessionFrames({
      first: first && open(first.run, first.encoder, first.readTo),
      head,
      isAccepted: true,
      next: async () => {
        const next = await options.next(last, stop.signal);
        if (typeof next !== 'string' && !('last' in next)) last = next;
        return next;
      },
      open: (run) => open(run, encoderOf(run)),
      signal: stop.signal,
      shutdownFrame,
      errorFrames,
    });
    const { onDisconnect = 'continue' } = options;
    return this.stream(source, () => last, reader, { wire, onDisconnect, stop, credentialFrame });
  }

  /**
   * Anything else that is followed live, such as the changes of a list, for clients that reconnect by themselves.
   *
   * @param read called once when the stream begins; it must end when the signal aborts. What it throws before its first
   *   batch is answered as an error; an empty batch means that the request is accepted
   */
  followLive(reader: StreamReader, read: (signal: AbortLike) => AsyncIterable<FrameBatch>): RunStream {
    const stop = stopAfter(undefined);
    return this.stream(new LiveFrames(() => read(stop.signal)), undefined, reader, { stop, reconnects: true });
  }

  /**
   * Waits for the end of an accepted run and returns its summary. When the client leaves before, the run as
   * it is then.
   *
   * @throws AppError AUTH_FAILED when the credential of the reader ends before, SHUTTING_DOWN when the server stops
   */
  async result(run: RunView, reader: Pick<StreamReader, 'gone' | 'caller'>, options: ResultOptions): Promise<object> {
    const { wire, onEvents, summary = (response) => wire.summary(run, response) } = options;
    const end = await this.credentials.during(reader.caller, reader.gone, (over) => this.ended(run, over, onEvents));
    if (end) return summary(end);
    if (!reader.gone.aborted)
      throw new AppError('SHUTTING_DOWN', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.left(run, options);
    return summary(await this.runs.response(userReach(run), run.runId, { accepted: true }));
  }

  /**
   * Waits for the end of a run; undefined when the signal aborts or the server stops before.
   *
   * @param onEvents gets all events of the run in order
   */
  ended(
    run: RunView,
    signal: AbortLike,
    onEvents?: (events: readonly LoggedEvent[]) => void,
  ): Promise<AgentResponse | undefined> {
    return this.active.waiting(async (over) => {
      const first = new FirstAbort([signal, over]);
      let last: LoggedEvent | undefined;
      try {
        const how = { signal: first.signal, accepted: true, run };
        for await (const events of this.runs.tail(userReach(run), run.runId, how)) {
          last = events.at(-1) ?? last;
          onEvents?.(events);
        }
      } finally {
        first.detach();
      }
      return last && isTerminalEvent(last.event) ? last.event : undefined;
    });
  }

  /** The frames of one run; the tail is not read before the first `next`. Refuses frames as `Wire.revisionOf` does. */
  private frames(run: RunView, { gate }: StreamReader, { signal }: Stop, options: FramesOptions): RunFrames {
    options.wire.revisionOf(run);
    const { wire, encoder = wire.encoder(run) } = options;
    const { skip, cursor, isAccepted, isJoined, hasEnd, isResumable, expired, readTo = -1 } = options;
    const key = isResumable && encoder.variant !== undefined ? keyOf(run, encoder.variant) : undefined;
    const kept = key !== undefined && skip && skip.seen > 0 ? this.stopped.take(key, skip.seen) : undefined;
    const stopped = kept ?? (readTo < 0 ? undefined : { encoder, lastSeq: readTo, count: 0, newest: [], length: 0 });
    const tail = this.runs.tail(userReach(run), run.runId, {
      signal,
      accepted: true,
      run,
      ...(stopped && { after: stopped.lastSeq }),
      ...(gate && { gate }),
    });
    return new RunFrames(tail[Symbol.asyncIterator](), {
      encoder: stopped?.encoder ?? encoder,
      stopped,
      onStop: key === undefined ? undefined : (state) => this.stopped.add(key, state),
      signal,
      shutdownFrame: wire.shutdownFrame,
      ...(skip && { skip }),
      ...(cursor && { cursor }),
      ...(isAccepted !== undefined && { isAccepted }),
      ...(isJoined !== undefined && { isJoined }),
      ...(hasEnd !== undefined && { hasEnd }),
      ...(expired && { expired: () => expired(run) }),
    });
  }

  /** The stream of a source; `run` is canceled when its reader leaves, if the wire or the request asks for it. */
  private stream(
    source: FrameSource,
    run: RunView | undefined | (() => RunView | undefined),
    reader: StreamReader,
    { stop, isResumed = false, credentialFrame, wire, onDisconnect, reconnects }: OpenedStream,
  ): RunStream {
    const { caller } = reader;
    // A reader of shown frames gets nothing else that the wire would write.
    const own = source instanceof ShownFrames ? undefined : wire;
    return new RunStream({
      source,
      reader,
      stop: stop.abort,
      credentialFrame,
      watch: (end) => (caller ? this.credentials.watch(caller, end) : undefined),
      onLeft: () => {
        const left = typeof run === 'function' ? run() : run;
        if (left && wire) this.left(left, { wire, onDisconnect });
      },
      wire: own?.name,
      isResumed,
      reconnects,
      keepAliveFrame: own?.keepAliveFrame,
      keepAliveMs: own?.keepAliveMs,
      headers: own?.streamHeaders,
      active: this.active,
    });
  }

  /** The reader is gone: the request, or else the wire, decides what happens to the run. */
  private left(run: RunView, { wire, onDisconnect = wire.onDisconnect }: ReadOptions): void {
    this.disconnects.left(run, onDisconnect);
  }

  /** The run after the last one; waits for it when `waits` allows. */
  private async nextRun(
    last: RunView | undefined,
    signal: AbortLike,
    { principal, sessionId, afterOrdinal = 0, waits }: SessionOptions,
  ): Promise<RunView | 'ended' | 'stopped'> {
    const ordinal = last?.ordinal ?? afterOrdinal;
    if (!(await this.mayFollow(last, ordinal, { principal, sessionId, waits }))) return 'ended';
    return (await this.runs.next(principal, sessionId, ordinal, signal)) ?? 'stopped';
  }

  /** Whether to wait for a run after an ordinal: it exists already, or it may come. */
  private async mayFollow(
    last: RunView | undefined,
    ordinal: number,
    { principal, sessionId, waits }: Pick<SessionOptions, 'principal' | 'sessionId' | 'waits'>,
  ): Promise<boolean> {
    if (waits === 'always') return true;
    if (waits === 'while interrupted' && last) {
      const { state } = await this.runs.view(userReach(last), last.runId, { accepted: true });
      if (state === 'interrupted') return true;
    }
    const [newest] = await this.runs.list(principal, sessionId, { limit: 1 });
    return newest !== undefined && newest.ordinal > ordinal;
  }
}

/** What readers must have in common to continue with one encoder. A run that was removed may have its id again. */
function keyOf({ tenantId, userId, runId, createdAt }: RunView, variant: string): string {
  return JSON.stringify([tenantId, userId, runId, createdAt, variant]);
}

/** A stop that also happens by itself after the lifetime, if there is one. */
function stopAfter(lifetimeMs: number | undefined): Stop {
  const signal = new LightAbortSignal();
  const timer = lifetimeMs === undefined ? undefined : setTimeout(() => signal.abort(), lifetimeMs).unref();
  const abort = (): void => {
    clearTimeout(timer);
    signal.abort();
  };
  return { abort, signal };
}

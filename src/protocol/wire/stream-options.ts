import type { AbortLike, AppError, Principal } from '../../common/index.js';
import type { AgentResponse, LoggedEvent } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import type { HttpError } from '../http/errors/http-error.js';
import type { OnDisconnect } from './disconnect-policy.js';
import type { FrameBatch, FrameEncoder } from './frame-encoder.js';
import type { StoppedEncoder } from './resume-cache.js';
import type { SkipFrames } from './skip-frames.js';
import type { Wire } from './wire.js';

/** For which wire a run is read. */
export interface ReadOptions {
  /** The wire whose frames are written. */
  readonly wire: Wire;
  /** What happens to the run when its reader leaves before the end. Default: `wire.onDisconnect`. */
  readonly onDisconnect?: OnDisconnect | undefined;
}

/** How the result of a run is written. */
export interface ResultOptions extends ReadOptions {
  /** Gets all events of the run in order. */
  readonly onEvents?: ((events: readonly LoggedEvent[]) => void) | undefined;
  /** Default: `wire.summary`. */
  readonly summary?: ((response: AgentResponse) => object) | undefined;
}

/** How a stream is made. */
export interface StreamOptions extends ReadOptions {
  /** Default: `wire.encoder(run)`. */
  readonly encoder?: FrameEncoder | undefined;
  /** The frames of a run whose events were removed. Absent: the error EVENTS_EXPIRED. */
  readonly expired?: ((run: RunView) => Promise<readonly string[]>) | undefined;
  /** Whether its client reconnects by itself and continues where it was, as an `EventSource` does. */
  readonly reconnects?: boolean | undefined;
  /** Milliseconds after which the stream ends, wherever the run is. Absent: with the run. */
  readonly lifetimeMs?: number | undefined;
}

/** How a run is resumed. */
export interface ResumeOptions extends StreamOptions {
  readonly cursor: FrameCursor;
  /** For a reader that looks at the frames themselves: each one apart, as this writes it. The first one has the index 1. */
  readonly show?: ((frame: string, index: number) => string) | undefined;
}

/** Where a reader is that has the first frames already. */
export interface FrameCursor {
  /** How many frames it has. */
  readonly seen: number;
  /** The error for a cursor beyond the last frame. @param count the frames there are */
  readonly ahead: (count: number) => AppError;
}

/** How a session is followed. */
export interface SessionOptions extends Omit<StreamOptions, 'encoder' | 'onDisconnect'> {
  /** The session's owner. */
  readonly principal: Principal;
  /** The id of the session. */
  readonly sessionId: string;
  /** The run to begin with; absent, the first one after `afterOrdinal`. */
  readonly first?: RunView | undefined;
  /** Default 0. */
  readonly afterOrdinal?: number;
  /** Where the reader is: in the first run (checked before the first frame), or in all runs together (checked at the end). */
  readonly cursor?: (FrameCursor & { readonly of: 'first run' | 'all runs' }) | undefined;
  /** Default: `wire.encoder(run)`. */
  readonly encoderOf?: (run: RunView) => FrameEncoder | Promise<FrameEncoder>;
  /**
   * When the stream waits for a run that does not exist yet: always; while the last run is interrupted, so
   * that another one continues it; or never.
   */
  readonly waits: 'always' | 'while interrupted' | 'never';
}

/**
 * What follows a run: another one, frames that end the stream, nothing (`ended`), or nothing here because the server
 * stops (`stopped`).
 */
export type NextRun = RunView | { readonly last: FrameBatch } | 'ended' | 'stopped';

/** How runs are followed one after another, as the wire finds them. */
export interface RunsOptions extends ReadOptions {
  /** Frames that are written at once, before all others, and not counted. */
  readonly head: FrameBatch;
  /** The run that is being read; undefined to begin with what `next` finds. */
  readonly first?: { readonly run: RunView; readonly encoder: FrameEncoder; readonly readTo: number } | undefined;
  readonly encoderOf: (run: RunView) => FrameEncoder;
  /** What follows the last run, or the one before the first; may wait until the signal aborts. */
  readonly next: (last: RunView | undefined, signal: AbortLike) => Promise<NextRun>;
  /** Ends a stream that the server cuts while no run is read. */
  readonly shutdownFrame: string;
  /** Ends it when the credential of its reader ends. */
  readonly credentialFrame: string;
  /** As `FrameEncoder.errorFrames`, while no run is read. */
  readonly errorFrames: (error: HttpError) => readonly string[];
}

/** A cursor that is checked against what was committed at the time of the request. */
export interface CursorCheck {
  /** The number of the last event that was committed then; -1 for none. */
  readonly lastSeq: number;
  /** Throws when the cursor is beyond the frames of those events. @param count how many there are */
  readonly ahead: (count: number) => Error;
}

/** How a run's log is read. */
export interface RunFramesOptions {
  /** Encodes the run for one reader; it has state and is used for one pass only. */
  readonly encoder: FrameEncoder;
  /** Where the encoder stopped for an earlier reader; the tail begins after it. Absent: before the first event. */
  readonly stopped?: StoppedEncoder | undefined;
  /** Called at most once, when the reader leaves and another one may continue with the encoder. */
  readonly onStop?: ((stopped: StoppedEncoder) => void) | undefined;
  /** Aborted when the reader has left. */
  readonly signal: AbortLike;
  /** Absent: the reader has no frame yet. */
  readonly skip?: SkipFrames;
  /** Absent: nothing is checked. Present: the request is accepted once it is checked. */
  readonly cursor?: CursorCheck | undefined;
  /** True when the request is accepted before anything is read. */
  readonly isAccepted?: boolean;
  /** False: each frame stays apart, although the encoder's may be joined. */
  readonly isJoined?: boolean;
  /** False: the frames of the encoder's `end` are left out, because another run may follow in the same stream. */
  readonly hasEnd?: boolean;
  /** As `Wire.shutdownFrame`, where the encoder has none of its own. */
  readonly shutdownFrame?: string | undefined;
  /** The frames of a run whose events were removed. Absent: that is an error. */
  readonly expired?: (() => Promise<readonly string[]>) | undefined;
}

import type { LoggedEvent } from '../../events/index.js';
import type { HttpError } from '../http/errors/http-error.js';

/** Frames that are written together: apart when the wire needs one frame per HTTP chunk, else joined. */
export type FrameBatch = readonly string[];

/**
 * A wire's view of one run: a fold over its log that returns that wire's frames. The same log gives the
 * same frames, whenever and wherever it is read. On event streams a frame is a complete SSE frame with its
 * line breaks, on binary streams one character for each byte, on sockets one message.
 */
export interface FrameEncoder {
  /**
   * True when frames may share one write. The documented client of the Agent API takes each HTTP
   * chunk for one frame, so its frames must not.
   */
  readonly joinable: boolean;
  /**
   * Names how it writes: all encoders of a run with one name return the same frames, whichever options they have
   * beside it. An encoder with a name may be kept when its reader leaves, and be continued for the next one.
   */
  readonly variant?: string;
  /**
   * Called with each batch before its events, to fetch what they need apart from themselves. Returns undefined
   * when there is nothing to wait for.
   */
  prepare?(events: readonly LoggedEvent[]): Promise<void> | undefined;
  /** The frames of one event: none when this wire does not show it. A reader's cursor counts these frames. */
  next(event: LoggedEvent): readonly string[];
  /** The frames after the terminal event's. They are not counted, and written also to a reader that has all others. */
  end(): readonly string[];
  /**
   * Called before the first event when the reader has the first frames already: they are counted, and their
   * text is not used, so that an encoder may return empty strings for them.
   */
  discardFirst?(frames: number): void;
  /** Rewrites the first frame that is written, not skipped: for a field that a stream has once, such as `retry`. */
  firstFrame?(frame: string): string;
  /**
   * The frame that ends the stream when the server cuts it to shut down, so that no client takes the cut for
   * the end of the run. Not counted; absent where the wire's clients recognize a cut by themselves.
   */
  shutdownFrame?(): string;
  /**
   * True: a server that stops cuts the connection instead of ending the stream, because clients of the wire take every
   * clean end for the end of the answer, and count every frame. Such an encoder has no `shutdownFrame`.
   */
  readonly isCutAtShutdown?: boolean;
  /**
   * The frames that end the stream when the run can no longer be read. Absent where the wire has no such
   * frame: the connection is cut then.
   */
  errorFrames?(error: HttpError): readonly string[];
}

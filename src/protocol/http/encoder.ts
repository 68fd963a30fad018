import type { LoggedEvent } from '../../events/index.js';

/**
 * A wire's view of a run: a fold over its log that yields that wire's frames. The same log gives the
 * same frames, whenever and wherever it is read. Frames are complete SSE frames, line breaks included.
 */
export interface FrameEncoder {
  /**
   * True when frames may share one write. The documented client of the Agent API takes each HTTP
   * chunk for one frame, so its frames must not.
   */
  readonly joinable: boolean;
  /**
   * Called with each batch before its events: time to fetch what they need beside themselves.
   * Undefined when that is nothing.
   */
  prepare?(events: readonly LoggedEvent[]): Promise<void> | undefined;
  /** The frames of one event: none when this wire does not show it. */
  next(event: LoggedEvent): readonly string[];
  /** The frames after the terminal event's. */
  end(): readonly string[];
  /**
   * What ends the stream when the server cuts it, to shut down, so that no client takes the cut for the
   * end. Not counted as a frame; absent where the wire's clients know a cut by themselves.
   */
  shutdownFrame?(): string;
}

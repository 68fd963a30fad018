import type { LoggedEvent } from '../../events/index.js';
import type { LogWrite } from '../ports/run-log.js';

/** A writer whose writes are committed in groups. */
export interface CommitSource {
  /** Takes everything that waits to be written; undefined when nothing waits. */
  take(): LogWrite | undefined;
  /** The write is committed: readers may see its events. */
  committed(write: LogWrite): void;
  /** The write was rejected or cannot be made: this process no longer has the run. */
  lost(reason: unknown): void;
  /**
   * The database has lost committed events, from a number on. Returns all of them, which are then written again;
   * undefined if they are no longer known.
   */
  restorable(fromSeq: number): readonly LoggedEvent[] | undefined;
  /** Until when a failed write is retried, by the monotonic clock. */
  readonly deadline: number;
}

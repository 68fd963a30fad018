import type { LogWrite } from '../ports/run-log.js';

/** A writer whose writes are committed in groups. */
export interface CommitSource {
  /** Takes everything that waits to be written; undefined when nothing waits. */
  take(): LogWrite | undefined;
  /** The write is committed: readers may see its events. */
  committed(write: LogWrite): void;
  /** The write was rejected or cannot be made: this process no longer has the run. */
  lost(reason: unknown): void;
  /** Until when a failed write is retried, by the monotonic clock. */
  readonly deadline: number;
}

import type { LoggedEvent } from '../../events/index.js';
import type { RunLog } from '../ports/run-log.js';

/**
 * Pages that are read at once, by all readers. On SQLite it is also how many are read in one turn of the event loop; on
 * PostgreSQL some connections are left for commits.
 */
const AT_ONCE = 6;

/**
 * Reads pages of logs, a few at a time and in the order in which they were asked for: however many readers replay
 * runs, live streams and commits have their turns in between.
 */
export class LogReads {
  private free = AT_ONCE;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly log: Pick<RunLog, 'read' | 'length'>) {}

  /** As `RunLog.read`, when it is its turn. @throws the driver's error */
  async read(runRowId: number, fromSeq: number, limit: number): Promise<readonly LoggedEvent[]> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await this.log.read(runRowId, fromSeq, limit);
    } finally {
      // In the next turn of the event loop: what is read now is also encoded in this one.
      setImmediate(() => this.release());
    }
  }

  /** As `RunLog.length`: a small query, which does not wait. @throws the driver's error */
  length(runRowId: number): Promise<number | undefined> {
    return this.log.length(runRowId);
  }

  private release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}

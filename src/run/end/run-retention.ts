import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/index.js';
import { LogCompaction, type RetentionCounts } from '../ports/log-compaction.js';
import { LogPartitions } from '../ports/log-partitions.js';
import { RunSettings } from '../run.settings.js';
import { RunPruning } from './run-pruning.js';

/** Runs of one transaction when each needs statements of its own: few, so that it holds its locks for a short time only. */
const BATCH = 50;
/** Runs of one statement. */
const COMPACTED_BATCH = 2000;

/**
 * Removes the events of runs that ended longer ago than RUN_EVENTS_RETENTION: of compacted runs many at once, of others
 * run by run. A partition whose runs all ended that long ago is dropped instead.
 */
@Injectable()
export class RunRetention {
  private readonly logger = new Logger(RunRetention.name);
  private total: RetentionCounts = { runs: 0, events: 0 };

  constructor(
    private readonly pruning: RunPruning,
    private readonly compaction: LogCompaction,
    private readonly partitions: LogPartitions,
    private readonly settings: RunSettings,
    private readonly clock: Clock,
  ) {}

  /** What was removed since the process started. */
  get removed(): RetentionCounts {
    return this.total;
  }

  /**
   * Removes what is old, batch by batch, until nothing is left or the signal aborts.
   *
   * @throws the driver's error
   */
  async sweep(signal?: AbortSignal): Promise<RetentionCounts> {
    const before = this.clock.now() - this.settings.eventsRetentionMs;
    const whole = await this.partitions.ended(before);
    const counts = sumOf(
      await this.untilDone(COMPACTED_BATCH, signal, (limit) =>
        this.compaction.prune({ finishedBefore: before, limit, now: this.clock.now(), whole }),
      ),
      await this.untilDone(BATCH, signal, (limit) => this.pruning.prune(before, limit)),
    );
    if (counts.runs > 0) this.logger.log(`Removed ${counts.events} old events of ${counts.runs} runs`);
    for (const range of whole) {
      if (signal?.aborted || !(await this.partitions.drop(range, signal))) continue;
      this.logger.log(`Dropped the events of the runs from ${range.from} to ${range.to - 1}`);
    }
    return counts;
  }

  private async untilDone(
    batch: number,
    signal: AbortSignal | undefined,
    prune: (limit: number) => Promise<RetentionCounts>,
  ): Promise<RetentionCounts> {
    let counts: RetentionCounts = { runs: 0, events: 0 };
    for (let full = true; full && !signal?.aborted;) {
      const pruned = await prune(batch);
      this.total = sumOf(this.total, pruned);
      counts = sumOf(counts, pruned);
      full = pruned.runs === batch;
    }
    return counts;
  }
}

function sumOf(one: RetentionCounts, other: RetentionCounts): RetentionCounts {
  return { runs: one.runs + other.runs, events: one.events + other.events };
}

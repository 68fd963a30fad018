import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/index.js';
import { LogCompaction } from '../ports/log-compaction.js';
import { RetainedSummaries } from './retained-summaries.js';

/** How long after its end a run is compacted, in milliseconds: most of its readers are gone then. */
const AGE_MS = 600_000;
/** Runs of one query. */
const BATCH = 50;

/**
 * Compacts the logs of runs some minutes after their end, and stores the summaries that the retention needs, so that
 * it does not have to read every log.
 */
@Injectable()
export class RunCompaction {
  constructor(
    private readonly compaction: LogCompaction,
    private readonly summaries: RetainedSummaries,
    private readonly clock: Clock,
  ) {}

  /** Whether the database gains by it. */
  get isUseful(): boolean {
    return this.compaction.isUseful;
  }

  /**
   * Batch by batch, as long as there are old runs that no other process works on and the signal does not abort.
   *
   * @returns how many logs were compacted
   * @throws the driver's error
   */
  async compactAll(signal?: AbortSignal): Promise<number> {
    let total = 0;
    for (let worked = true; worked;) {
      const done = await this.compactBatch(signal);
      total += done;
      worked = done > 0;
    }
    return total;
  }

  private async compactBatch(signal: AbortSignal | undefined): Promise<number> {
    let done = 0;
    for (const run of await this.compaction.pending(this.clock.now() - AGE_MS, BATCH)) {
      if (signal?.aborted) break;
      const kept = run.visibility === 'transient' ? null : (run.retainedSummaries ?? (await this.summaries.of(run)));
      if (await this.compaction.compact(run, kept, this.clock.now())) done += 1;
    }
    return done;
  }
}

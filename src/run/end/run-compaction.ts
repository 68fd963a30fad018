import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/index.js';
import { LogCompaction } from '../ports/log-compaction.js';
import { RetainedSummaries } from './retained-summaries.js';

/** How often runs that have ended are looked for, in milliseconds. */
const INTERVAL_MS = 60_000;
/** How long after its end a run is compacted: most of its readers are gone then. */
const AGE_MS = 600_000;
/** Runs of one query. */
const BATCH = 50;

/**
 * Compacts the logs of runs some minutes after their end, and stores the summaries that the retention needs, so that
 * it does not have to read every log. Several processes share the work.
 */
@Injectable()
export class RunCompaction implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(RunCompaction.name);
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<number> = Promise.resolve(0);
  private stopped = false;

  constructor(
    private readonly compaction: LogCompaction,
    private readonly summaries: RetainedSummaries,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (this.compaction.isUseful) this.timer = setInterval(() => void this.sweep(), INTERVAL_MS);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** One sweep, after the one in progress if there is one; never throws. Returns how many logs it compacted. */
  sweep(): Promise<number> {
    this.sweeping = this.sweeping.then(() => this.sweepOnce());
    return this.sweeping;
  }

  /** Batch by batch, as long as there are old runs that no other process works on. */
  private async sweepOnce(): Promise<number> {
    let total = 0;
    try {
      for (let worked = true; worked && !this.stopped;) {
        const done = await this.compactBatch();
        total += done;
        worked = done > 0;
      }
    } catch (error) {
      this.logger.error(`Logs could not be compacted: ${String(error)}`);
    }
    return total;
  }

  private async compactBatch(): Promise<number> {
    let done = 0;
    for (const run of await this.compaction.pending(this.clock.now() - AGE_MS, BATCH)) {
      if (this.stopped) return 0;
      const kept = run.visibility === 'transient' ? null : await this.summaries.of(run);
      if (await this.compaction.compact(run, kept, this.clock.now())) done += 1;
    }
    return done;
  }
}

import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/index.js';
import { type PrunedRun, RunRemover } from '../ports/run-remover.js';
import { RetainedSummaries } from './retained-summaries.js';
import { RunSettings } from '../run.settings.js';

/** How often old events are looked for, in milliseconds. */
const INTERVAL_MS = 600_000;
/** Runs that one transaction takes up: few, so that nobody waits long for it. */
const BATCH = 50;

/** What was removed since the process started. */
export interface RetentionCounts {
  readonly runs: number;
  readonly events: number;
}

/**
 * Removes the events of runs that ended longer ago than RUN_EVENTS_RETENTION. The final response of
 * each stays, what wires keep of them, and the messages of its session; transient runs go whole.
 */
@Injectable()
export class RunRetention implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(RunRetention.name);
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<RetentionCounts> = Promise.resolve({ runs: 0, events: 0 });
  private stopped = false;
  private total: RetentionCounts = { runs: 0, events: 0 };

  constructor(
    private readonly remover: RunRemover,
    private readonly digests: RetainedSummaries,
    private readonly settings: RunSettings,
    private readonly clock: Clock,
  ) {}

  /** What was removed since the process started. */
  get removed(): RetentionCounts {
    return this.total;
  }

  onApplicationBootstrap(): void {
    void this.sweep();
    this.timer = setInterval(() => void this.sweep(), INTERVAL_MS);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** One sweep, after the one that may be under way; never throws. Returns what it removed. */
  sweep(): Promise<RetentionCounts> {
    this.sweeping = this.sweeping.then(() => this.sweepOnce());
    return this.sweeping;
  }

  /** What is kept is read before the transaction: logs are long, and a finished one does not change. */
  private async pruneBatch(): Promise<RetentionCounts> {
    const now = this.clock.now();
    const found = await this.remover.prunable(now - this.settings.eventsRetentionMs, BATCH);
    const runs: PrunedRun[] = [];
    for (const run of found) {
      runs.push({ run, summaries: run.visibility === 'transient' ? null : await this.digests.of(run) });
    }
    return this.remover.prune(runs, now);
  }

  /** Batch by batch, until nothing old is left. */
  private async sweepOnce(): Promise<RetentionCounts> {
    let counts: RetentionCounts = { runs: 0, events: 0 };
    try {
      for (let full = true; full && !this.stopped;) {
        const { runs, events } = await this.pruneBatch();
        counts = { runs: counts.runs + runs, events: counts.events + events };
        full = runs === BATCH;
      }
    } catch (error) {
      this.logger.error(`old events could not be removed: ${String(error)}`);
    }
    this.total = { runs: this.total.runs + counts.runs, events: this.total.events + counts.events };
    if (counts.runs > 0) this.logger.log(`Removed ${counts.events} old events of ${counts.runs} runs`);
    return counts;
  }
}

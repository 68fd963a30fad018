import { Injectable, Logger } from '@nestjs/common';
import { Clock, type JsonObject } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import { RunLedger } from '../run-ledger.js';
import type { RunRecord } from '../run-record.js';
import { RunSettings } from '../run.settings.js';
import { RetainedSummaries } from './retained-summaries.js';
import { RunDeletion } from './run-deletion.js';

/** Runs of one transaction: few, so that it holds its locks for a short time only. */
const BATCH = 50;

/** What was removed. */
export interface RetentionCounts {
  readonly runs: number;
  readonly events: number;
}

/**
 * Removes the events of runs that ended longer ago than RUN_EVENTS_RETENTION. The final response of
 * each is kept, and the wires' summaries of it, and the messages of its session; transient runs are deleted.
 */
@Injectable()
export class RunRetention {
  private readonly logger = new Logger(RunRetention.name);
  private total: RetentionCounts = { runs: 0, events: 0 };

  constructor(
    private readonly ledger: RunLedger,
    private readonly deletion: RunDeletion,
    private readonly summaries: RetainedSummaries,
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
    let counts: RetentionCounts = { runs: 0, events: 0 };
    for (let full = true; full && !signal?.aborted;) {
      const pruned = await this.prune(this.clock.now() - this.settings.eventsRetentionMs, BATCH);
      this.total = sumOf(this.total, pruned);
      counts = sumOf(counts, pruned);
      full = pruned.runs === BATCH;
    }
    if (counts.runs > 0) this.logger.log(`Removed ${counts.events} old events of ${counts.runs} runs`);
    return counts;
  }

  /**
   * Removes the events of up to `limit` runs that ended before a time, all but the terminal one, and their journals.
   * Runs that another process handles are skipped.
   */
  async prune(finishedBefore: number, limit: number): Promise<RetentionCounts> {
    const { runs } = this.ledger;
    const summaries = new Map<number, JsonObject | null>();
    // Read before the transaction: logs are long, and that of an ended run does not change.
    for (const run of await runs.prunable(finishedBefore, limit)) {
      summaries.set(run.rowId, run.visibility === 'transient' ? null : await this.summaryOf(run));
    }
    if (summaries.size === 0) return { runs: 0, events: 0 };
    return this.ledger.write(async (tx) => {
      const pruned = { runs: 0, events: 0 };
      for (const run of await runs.unprunedForUpdate(tx, [...summaries.keys()])) {
        pruned.events += await this.pruneRun(tx, run, summaries.get(run.rowId) ?? null);
        pruned.runs += 1;
      }
      return pruned;
    });
  }

  /** What is kept of a run: the compaction has stored it, or it is read from the log. */
  private async summaryOf(run: RunRecord): Promise<JsonObject | null> {
    return run.retainedSummaries ?? (await this.summaries.of(run));
  }

  /** Returns the number of removed events. */
  private async pruneRun(tx: Transaction, run: RunRecord, kept: JsonObject | null): Promise<number> {
    if (run.visibility === 'transient') {
      await this.deletion.deleteRun(tx, run);
      return run.nextSeq;
    }
    const removed = await this.ledger.log.removeAllButLast(tx, run);
    await this.ledger.runs.markPruned(tx, run.rowId, kept, this.clock.now());
    return removed;
  }
}

function sumOf(one: RetentionCounts, other: RetentionCounts): RetentionCounts {
  return { runs: one.runs + other.runs, events: one.events + other.events };
}

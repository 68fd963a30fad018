import { Injectable } from '@nestjs/common';
import { Clock, type JsonObject } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { PrunedCounts } from '../ports/log-pruning.js';
import { RunLedger } from '../run-ledger.js';
import type { RunRecord } from '../run-record.js';
import { RetainedSummaries } from './retained-summaries.js';
import { RemovalTransaction } from './removal-transaction.js';

/**
 * Prunes ended runs one by one: removes their events. The final response of each is kept, and the wires' summaries of it, and
 * the messages of its session; transient runs are removed.
 */
@Injectable()
export class RunPruning {
  constructor(
    private readonly ledger: RunLedger,
    private readonly removal: RemovalTransaction,
    private readonly summaries: RetainedSummaries,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes the events of up to `limit` runs that ended before a time, all but the terminal ones, and the journals.
   * Runs that another process handles are skipped.
   *
   * @throws the driver's error
   */
  async prune(finishedBefore: number, limit: number): Promise<PrunedCounts> {
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
      await this.removal.removeRun(tx, run);
      return run.nextSeq;
    }
    const removed = await this.ledger.log.removeAllButLast(tx, run);
    await this.ledger.runs.markPruned(tx, run.rowId, kept, this.clock.now());
    return removed;
  }
}

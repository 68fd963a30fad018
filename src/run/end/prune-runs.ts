import { Injectable, Logger } from '@nestjs/common';
import { ALL_TENANTS, Clock, type JsonObject, type TenantSelection } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import { Retention, type RetentionGroup } from '../../retention/index.js';
import { LogPartitions, type RunRange } from '../ports/log-partitions.js';
import { LogPruning, type PrunedCounts } from '../ports/log-pruning.js';
import { RunLedger } from '../run-ledger.js';
import type { RunRecord } from '../run-record.js';
import { RetainedSummaries } from './retained-summaries.js';
import { RemovalTransaction } from './remove-runs.js';

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
   * Removes the events of up to `limit` runs of some tenants that ended before a time, all but the terminal ones, and the
   * journals. Runs that another process handles are skipped.
   *
   * @throws the driver's error
   */
  async prune(finishedBefore: number, limit: number, tenants: TenantSelection = ALL_TENANTS): Promise<PrunedCounts> {
    const { runs } = this.ledger;
    const summaries = new Map<number, JsonObject | null>();
    // Read before the transaction: logs are long, and that of an ended run does not change.
    for (const run of await runs.prunable(finishedBefore, limit, tenants)) {
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
    await this.ledger.runs.markPruned(tx, run, kept, this.clock.now());
    return removed;
  }
}

/** Runs of one transaction when each needs statements of its own: few, so that it holds its locks for a short time only. */
const BATCH = 50;
/** Runs of one statement. */
const COMPACTED_BATCH = 2000;

/**
 * Prunes the runs that ended longer ago than their tenant keeps events: compacted runs many at once, others one by one. A
 * partition whose runs all ended that long ago is dropped instead.
 */
@Injectable()
export class RunRetention {
  private readonly logger = new Logger(RunRetention.name);
  private total: PrunedCounts = { runs: 0, events: 0 };

  constructor(
    private readonly oneByOne: RunPruning,
    private readonly compacted: LogPruning,
    private readonly partitions: LogPartitions,
    private readonly retention: Retention,
    private readonly clock: Clock,
  ) {}

  /** What was pruned since the process started. */
  get pruned(): PrunedCounts {
    return this.total;
  }

  /**
   * Prunes what is old, batch by batch, until nothing is left or the signal aborts.
   *
   * @throws the driver's error
   */
  async pruneAll(signal?: AbortSignal): Promise<PrunedCounts> {
    const groups = await this.retention.groups('events');
    const now = this.clock.now();
    // A partition has runs of all tenants, so the longest period counts.
    const droppedLater = await this.partitions.ended(now - Math.max(...groups.map(({ ms }) => ms)));
    let counts: PrunedCounts = { runs: 0, events: 0 };
    for (const group of groups) counts = sumOf(counts, await this.pruneGroup(group, droppedLater, signal));
    if (counts.runs > 0) this.logger.log(`Removed ${counts.events} old events of ${counts.runs} runs`);
    for (const range of droppedLater) {
      if (signal?.aborted || !(await this.partitions.drop(range, signal))) continue;
      this.logger.log(`Dropped the events of the runs from ${range.from} to ${range.to - 1}`);
    }
    return counts;
  }

  private async pruneGroup(
    { tenants, ms }: RetentionGroup,
    droppedLater: readonly RunRange[],
    signal: AbortSignal | undefined,
  ): Promise<PrunedCounts> {
    const before = this.clock.now() - ms;
    return sumOf(
      await this.untilDone(COMPACTED_BATCH, signal, (limit) =>
        this.compacted.prune({ finishedBefore: before, tenants, limit, now: this.clock.now(), droppedLater }),
      ),
      await this.untilDone(BATCH, signal, (limit) => this.oneByOne.prune(before, limit, tenants)),
    );
  }

  private async untilDone(
    batch: number,
    signal: AbortSignal | undefined,
    prune: (limit: number) => Promise<PrunedCounts>,
  ): Promise<PrunedCounts> {
    let counts: PrunedCounts = { runs: 0, events: 0 };
    for (let full = true; full && !signal?.aborted;) {
      const pruned = await prune(batch);
      this.total = sumOf(this.total, pruned);
      counts = sumOf(counts, pruned);
      full = pruned.runs === batch;
    }
    return counts;
  }
}

function sumOf(one: PrunedCounts, other: PrunedCounts): PrunedCounts {
  return { runs: one.runs + other.runs, events: one.events + other.events };
}

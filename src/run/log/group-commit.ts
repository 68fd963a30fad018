import { Injectable, Logger } from '@nestjs/common';
import { isDataError } from '../../database/index.js';
import { type LogWrite, RunLog } from '../ports/run-log.js';
import { RunRelay } from '../ports/run-relay.js';
import { RunMetrics } from '../run.metrics.js';
import { LogCommit } from './log-commit.js';

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

/** From this number of runs in one commit on, a pause lets more join the next commit. */
const BUSY_RUNS = 8;
const PAUSE_MIN_MS = 5;
const PAUSE_MAX_MS = 20;
const RETRY_MAX_MS = 1000;

/**
 * Commits the writes of all runs of this process: one commit at a time, and what arrives meanwhile forms the
 * next. After a commit the readers of this process get the events, then the relay publishes them to other instances.
 * The pause between two commits is zero until many runs write at once; then it grows up to 20 ms,
 * which costs little latency and saves most of the work (docs/performance.md).
 */
@Injectable()
export class GroupCommit {
  private readonly logger = new Logger(GroupCommit.name);
  private dirty = new Set<CommitSource>();
  private working: Promise<void> | undefined;

  constructor(
    private readonly commits: LogCommit,
    private readonly log: RunLog,
    private readonly relay: RunRelay,
    private readonly metrics: RunMetrics,
  ) {}

  /** Includes a source in the next commit. */
  request(source: CommitSource): void {
    this.dirty.add(source);
    this.working ??= this.work();
  }

  /** Resolves when everything is written. */
  async idle(): Promise<void> {
    await this.working;
  }

  private async work(): Promise<void> {
    await nextTurn();
    while (this.dirty.size > 0) {
      const startedAt = performance.now();
      const busy = await this.commitDirty();
      const pause = busy ? clamp(2 * (performance.now() - startedAt), PAUSE_MIN_MS, PAUSE_MAX_MS) : 0;
      await (pause > 0 ? delay(pause) : nextTurn());
    }
    this.working = undefined;
  }

  private async commitDirty(): Promise<boolean> {
    const batch: [CommitSource, LogWrite][] = [];
    for (const source of this.dirty) {
      const write = source.take();
      if (write) batch.push([source, write]);
    }
    this.dirty = new Set();
    await this.commit(batch);
    return batch.length >= BUSY_RUNS;
  }

  private async commit(batch: readonly (readonly [CommitSource, LogWrite])[]): Promise<void> {
    if (batch.length === 0) return;
    let results: readonly boolean[];
    try {
      results = await this.commits.append(batch.map(([, write]) => write));
    } catch (error) {
      await this.commitSeparately(batch, error);
      return;
    }
    batch.forEach(([source, write], index) => {
      if (results[index]) this.committed(source, write);
      else source.lost(undefined);
    });
  }

  /** First the readers of this process, then those of others. */
  private committed(source: CommitSource, write: LogWrite): void {
    source.committed(write);
    const { run, firstSeq, lines, at } = write;
    // A run that was queued begins, or one ends.
    if (firstSeq === 0 || write.end) this.relay.listChanged();
    if (lines.length === 0) return;
    this.relay.publish(run, { fence: run.fence, firstSeq, nextSeq: firstSeq + lines.length, lines, at });
  }

  /** After a failed commit each write is retried alone, so that one bad write cannot fail others. */
  private async commitSeparately(batch: readonly (readonly [CommitSource, LogWrite])[], error: unknown): Promise<void> {
    this.logger.warn(`a commit of ${batch.length} run(s) failed: ${String(error)}`);
    await Promise.all(batch.map(([source, write]) => this.retryUntilLeaseEnds(source, write)));
  }

  /** Retries one write until it is made or rejected, or the lease it was made under has ended. */
  private async retryUntilLeaseEnds(source: CommitSource, write: LogWrite): Promise<void> {
    // Read once: a lease that is renewed meanwhile must not extend the retries.
    const { deadline } = source;
    for (let wait = 20; ; wait = Math.min(wait * 2, RETRY_MAX_MS)) {
      this.metrics.commitRetries.add();
      try {
        if (await this.isWritten(write)) this.committed(source, write);
        else source.lost(undefined);
        return;
      } catch (error) {
        if (isDataError(error) || performance.now() + wait >= deadline) {
          source.lost(error);
          return;
        }
      }
      await delay(wait);
    }
  }

  /** Makes a write whose commit has failed, unless that commit was made nevertheless: before, or at the same time. */
  private async isWritten(write: LogWrite): Promise<boolean> {
    if (await this.log.committed(write)) return true;
    const [written] = await this.commits.append([write]);
    return written === true || this.log.committed(write);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

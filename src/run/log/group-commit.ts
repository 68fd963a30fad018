import { Injectable, Logger } from '@nestjs/common';
import { type LogWrite, RunLog } from '../ports/run-log.js';
import { RunRelay } from '../ports/run-relay.js';
import { RunMetrics } from '../run.metrics.js';
import { COMMIT_WAIT, CommitRetries } from './commit-retries.js';
import type { CommitSource } from './commit-source.js';
import { LogCommit } from './log-commit.js';

/** From this number of runs in one commit on, a pause lets more join the next commit. */
const BUSY_RUNS = 8;
const PAUSE_MIN_MS = 5;
const PAUSE_MAX_MS = 20;
/** The longest pause while nobody waits for the next commit: for each run of the last one, and at most. */
const CALM_PAUSE_PER_RUN_MS = 0.25;
const CALM_PAUSE_MAX_MS = 50;

/**
 * Commits the writes of all runs of this process: one commit at a time, and what arrives meanwhile forms the
 * next. After a commit the readers of this process get the events, then the relay publishes them to other instances.
 * The pause between two commits is zero until many runs write at once; then it grows up to 20 ms,
 * which costs little latency and saves most of the work (docs/performance.md). It grows up to 50 ms while there is
 * nothing to commit but further events of many runs; the first events of a run, and whatever somebody waits for, end it.
 * Writes of a commit that fails are retried one by one, while other runs commit.
 */
@Injectable()
export class GroupCommit {
  private readonly logger = new Logger(GroupCommit.name);
  private dirty = new Set<CommitSource>();
  private working: Promise<void> | undefined;
  private readonly retries: CommitRetries;
  /** Sources that have more to write while a write of theirs is retried. */
  private readonly held = new Set<CommitSource>();
  /** Whether somebody waits for the next commit. */
  private isAwaited = false;
  /** Ends the calm part of a pause; undefined outside of it. */
  private endPause: (() => void) | undefined;

  constructor(
    private readonly commits: LogCommit,
    log: RunLog,
    private readonly relay: RunRelay,
    metrics: RunMetrics,
  ) {
    this.retries = new CommitRetries(commits, log, metrics, (source, write) => this.committed(source, write));
  }

  /** Includes a source in the next commit. */
  request(source: CommitSource): void {
    if (this.retries.has(source)) {
      this.held.add(source);
      return;
    }
    this.dirty.add(source);
    this.working ??= this.work();
  }

  /** Somebody waits for what was included: the next commit follows soon. */
  hurry(): void {
    this.isAwaited = true;
    this.endPause?.();
  }

  /** Resolves when everything is written. */
  async idle(): Promise<void> {
    while (this.working || this.retries.isBusy) {
      await this.working;
      await this.retries.idle();
    }
  }

  private async work(): Promise<void> {
    await nextTurn();
    while (this.dirty.size > 0) {
      const startedAt = performance.now();
      const runs = await this.commitDirty();
      await (runs < BUSY_RUNS ? nextTurn() : this.pause(runs, performance.now() - startedAt));
    }
    this.working = undefined;
  }

  /** Waits between two commits. @param took how long the last one took, in milliseconds */
  private async pause(runs: number, took: number): Promise<void> {
    const shortest = clamp(2 * took, PAUSE_MIN_MS, PAUSE_MAX_MS);
    await delay(shortest);
    const rest = Math.min(runs * CALM_PAUSE_PER_RUN_MS, CALM_PAUSE_MAX_MS) - shortest;
    if (rest < 1 || this.isAwaited) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, rest);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.endPause = undefined;
  }

  /** Returns how many runs were in the commit. */
  private async commitDirty(): Promise<number> {
    this.isAwaited = false;
    const batch: [CommitSource, LogWrite][] = [];
    for (const source of this.dirty) {
      const isRetried = this.retries.has(source);
      if (isRetried) this.held.add(source);
      const write = isRetried ? undefined : source.take();
      if (write) batch.push([source, write]);
    }
    this.dirty = new Set();
    await this.commit(batch);
    return batch.length;
  }

  private async commit(batch: readonly (readonly [CommitSource, LogWrite])[]): Promise<void> {
    if (batch.length === 0) return;
    let results: readonly boolean[];
    try {
      results = await this.commits.append(
        batch.map(([, write]) => write),
        COMMIT_WAIT,
      );
    } catch (error) {
      this.logger.warn(`a commit of ${batch.length} run(s) failed: ${String(error)}`);
      for (const [source, write] of batch) this.retries.add(source, write, error, () => this.retried(source));
      return;
    }
    const rejected = batch.filter(([source, write], index) => {
      if (results[index]) this.committed(source, write);
      return !results[index];
    });
    await Promise.all(rejected.map(([source, write]) => this.retries.rejected(source, write)));
  }

  private retried(source: CommitSource): void {
    if (this.held.delete(source)) this.request(source);
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

import { Injectable, Logger } from '@nestjs/common';
import { isDataError } from '../../database/index.js';
import { type LogWrite, RunLog } from '../ports/run-log.js';

/** Who writes: gives what it has, and is told what became of it. */
export interface CommitSource {
  /** Takes everything that waits to be written; undefined when nothing does. */
  take(): LogWrite | undefined;
  /** The write is committed: its events may be shown. */
  committed(write: LogWrite): void;
  /** The write was refused or cannot be made: this process no longer has the run. */
  lost(reason: unknown): void;
  /** Until when, in epoch milliseconds, a failing database is asked again. */
  readonly leaseUntil: number;
}

/** From so many runs in one commit on, a pause lets more join the next. */
const BUSY_RUNS = 8;
const PAUSE_LEAST_MS = 5;
const PAUSE_MOST_MS = 20;
const RETRY_MOST_MS = 1000;

/**
 * Commits the events of all runs of this process: one commit is under way at a time, and what
 * arrives meanwhile forms the next. The pause between two commits is zero until many runs write at
 * once; then it grows up to 20 ms, which costs little latency and saves most of the work
 * (docs/performance.md).
 */
@Injectable()
export class GroupCommit {
  private readonly logger = new Logger(GroupCommit.name);
  private dirty = new Set<CommitSource>();
  private working: Promise<void> | undefined;

  constructor(private readonly log: RunLog) {}

  /** Says that a source has something to write. */
  request(source: CommitSource): void {
    this.dirty.add(source);
    this.working ??= this.work();
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    await this.working;
  }

  private async work(): Promise<void> {
    await nextTurn();
    while (this.dirty.size > 0) {
      const startedAt = performance.now();
      const busy = await this.commitDirty();
      const pause = busy ? clamp(2 * (performance.now() - startedAt), PAUSE_LEAST_MS, PAUSE_MOST_MS) : 0;
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
      results = await this.log.append(batch.map(([, write]) => write));
    } catch (error) {
      await this.separately(batch, error);
      return;
    }
    batch.forEach(([source, write], index) => {
      if (results[index]) source.committed(write);
      else source.lost(undefined);
    });
  }

  /** After a failed commit each run is tried alone, so that one bad write cannot take others along. */
  private async separately(batch: readonly (readonly [CommitSource, LogWrite])[], error: unknown): Promise<void> {
    this.logger.warn(`a commit of ${batch.length} run(s) failed: ${String(error)}`);
    await Promise.all(batch.map(([source, write]) => this.insist(source, write)));
  }

  /** Tries one write until it is made, refused, or the lease it was made under is over. */
  private async insist(source: CommitSource, write: LogWrite): Promise<void> {
    // Taken once: a lease that is renewed meanwhile must not keep a hopeless write alive.
    const deadline = source.leaseUntil;
    for (let wait = 20; ; wait = Math.min(wait * 2, RETRY_MOST_MS)) {
      try {
        const written = (await this.log.committed(write)) || (await this.log.append([write]))[0] === true;
        if (written) source.committed(write);
        else source.lost(undefined);
        return;
      } catch (error) {
        if (isDataError(error) || Date.now() + wait >= deadline) {
          source.lost(error);
          return;
        }
      }
      await delay(wait);
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

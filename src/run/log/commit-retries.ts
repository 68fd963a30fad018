import { Semaphore } from '../../common/index.js';
import { isDataError, isLockTimeout } from '../../database/index.js';
import { type LogWrite, RunLog } from '../ports/run-log.js';
import type { RunMetrics } from '../run.metrics.js';
import type { CommitSource } from './commit-source.js';
import type { LogCommit } from './log-commit.js';
import { LostCommits } from './lost-commits.js';

/**
 * How long a commit waits for a lock that another process holds: the runs of this process are committed together, and all
 * of them would wait.
 */
export const COMMIT_WAIT = { lockWaitMs: 250 };
const RETRY_MIN_MS = 20;
const RETRY_MAX_MS = 1000;
/** Attempts that are made at once: each has a connection. */
const ATTEMPTS_AT_ONCE = 4;

/**
 * Writes whose commit has failed. Each is retried by itself, so that a bad one, or one whose run is locked, cannot fail or
 * delay others.
 */
export class CommitRetries {
  private readonly retried = new Map<CommitSource, Promise<void>>();
  private readonly attempts = new Semaphore(ATTEMPTS_AT_ONCE);
  private readonly lostCommits: LostCommits;

  /** @param committed called when a write is made */
  constructor(
    private readonly commits: LogCommit,
    private readonly log: RunLog,
    private readonly metrics: RunMetrics,
    private readonly committed: (source: CommitSource, write: LogWrite) => void,
  ) {
    this.lostCommits = new LostCommits(commits, log);
  }

  /** Whether a write of the source is being retried: no later one may be committed before it. */
  has(source: CommitSource): boolean {
    return this.retried.has(source);
  }

  get isBusy(): boolean {
    return this.retried.size > 0;
  }

  /** Retries one write until it is made or rejected, or the lease it was made under has ended. Then calls `over`. */
  add(source: CommitSource, write: LogWrite, error: unknown, over: () => void): void {
    const retry = this.retry(source, write, error).finally(() => {
      this.retried.delete(source);
      over();
    });
    this.retried.set(source, retry);
  }

  /** Resolves when what is being retried now is over. */
  async idle(): Promise<void> {
    await Promise.all(this.retried.values());
  }

  /** A write that was not made: another process has the run, or the database has lost what was committed before. */
  async rejected(source: CommitSource, write: LogWrite): Promise<void> {
    try {
      const isRestored = await this.lostCommits.restore(source, write);
      const [written] = isRestored ? await this.commits.append([write]) : [];
      if (written) this.committed(source, write);
      else source.lost(undefined);
    } catch (error) {
      source.lost(error);
    }
  }

  private async retry(source: CommitSource, write: LogWrite, failure: unknown): Promise<void> {
    // Read once: a lease that is renewed meanwhile must not extend the retries.
    const { deadline } = source;
    let isInDoubt = !isLockTimeout(failure);
    for (let wait = RETRY_MIN_MS; ; wait = Math.min(wait * 2, RETRY_MAX_MS)) {
      this.metrics.commitRetries.add();
      try {
        if (await this.attempt(write, { isInDoubt, deadline })) this.committed(source, write);
        else await this.rejected(source, write);
        return;
      } catch (error) {
        if (isDataError(error) || performance.now() + wait >= deadline) {
          source.lost(error);
          return;
        }
        isInDoubt ||= !isLockTimeout(error);
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** @throws Error if the lease has ended before the attempt could begin */
  private async attempt(
    write: LogWrite,
    { isInDoubt, deadline }: { readonly isInDoubt: boolean; readonly deadline: number },
  ): Promise<boolean> {
    const turn = this.attempts.acquire();
    if (turn) await turn;
    try {
      if (turn && performance.now() >= deadline) throw new Error('The lease has ended');
      return await this.isWritten(write, isInDoubt);
    } finally {
      this.attempts.release();
    }
  }

  /**
   * Makes a write whose commit has failed, unless that commit was made nevertheless: before, or at the same time.
   *
   * @param isInDoubt whether it may have been; not after a wait for a lock
   */
  private async isWritten(write: LogWrite, isInDoubt: boolean): Promise<boolean> {
    if (isInDoubt && (await this.log.committed(write))) return true;
    const [written] = await this.commits.append([write], COMMIT_WAIT);
    return written === true || this.log.committed(write);
  }
}

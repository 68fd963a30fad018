import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { EraseTurn } from './erase-job.js';
import { ErasureWork } from './erasure-work.js';
import { EraseJobs } from './ports/erase-jobs.js';

/** How long a process has an erasure before another one may take it, in milliseconds; it renews that while it works. */
const HOLD_MS = 10_000;
const RENEW_MS = 3000;
/** How often a process looks for erasures that commands have asked for, and those of processes that were killed. */
const LOOK_MS = 9000;
/** How long a look may wait for other looks, in milliseconds. */
const LOOK_WITHIN_MS = 1000;
/** When an erasure that has failed is tried again, in milliseconds. */
const RETRY_MS = 10_000;

/** Carries out erasures, one after another: one process works on each, and another goes on if that one ends. */
@Injectable()
export class ErasureRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Erasures');
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  /** True: something was asked for while it looked. */
  private again = false;

  constructor(
    private readonly jobs: EraseJobs,
    private readonly work: ErasureWork,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.lookIdly(), LOOK_MS).unref();
    this.lookSoon();
  }

  /** Gives up what it works on: another process goes on at once. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.looking;
  }

  /** Something may be due. */
  lookSoon(): void {
    this.again = this.looking !== undefined;
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
      if (this.again) this.lookSoon();
    });
  }

  /** Never throws. */
  private async lookIdly(): Promise<void> {
    const isDue = await this.jobs.isAnyDue(LOOK_WITHIN_MS).catch((error: unknown) => this.failed(error));
    if (isDue && !this.stopping.signal.aborted) this.lookSoon();
  }

  /** Never throws. */
  private async look(): Promise<void> {
    try {
      while (!this.stopping.signal.aborted && (await this.workOnNext()));
    } catch (error) {
      this.failed(error);
    }
  }

  private failed(error: unknown): void {
    this.logger.warn(`Erasures cannot be looked for: ${String(error)}`);
  }

  /** Returns false if nothing is due. */
  private async workOnNext(): Promise<boolean> {
    const turn = await this.jobs.take(HOLD_MS);
    if (!turn) return false;
    const lost = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, lost.signal]);
    const renewal = setInterval(() => void this.renew(turn, lost), RENEW_MS).unref();
    try {
      await this.work.workOn(turn, signal);
      this.logger.log(`The erasure ${turn.jobId} is done`);
    } catch (error) {
      if (!signal.aborted) this.logger.error(`The erasure ${turn.jobId} failed and is tried again: ${String(error)}`);
      if (!lost.signal.aborted) await this.jobs.keep(turn, this.stopping.signal.aborted ? 0 : RETRY_MS);
    } finally {
      clearInterval(renewal);
    }
    return true;
  }

  /** Keeps the turn. If another process has it, the work stops; if the database cannot be asked, it is asked again soon. */
  private async renew(turn: EraseTurn, lost: AbortController): Promise<void> {
    const isKept = await this.jobs.keep(turn, HOLD_MS).catch(() => true);
    if (!isKept) lost.abort();
  }
}

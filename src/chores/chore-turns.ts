import { Injectable, Logger } from '@nestjs/common';
import { Metrics } from '../common/index.js';
import { ChoreMetrics } from './chore.metrics.js';
import type { Chore } from './chore.js';
import { ChoreSchedule, type ChoreTurn } from './ports/chore-schedule.js';

/** For how long a turn is held at least, in milliseconds: the shortest chores must not be started twice. */
const HOLD_MS = 10_000;
/** When a chore that has failed is due again at the latest, in milliseconds. */
const RETRY_MS = 30_000;

/** How a turn ended. `stopped`: the process ends, or the turn was lost. */
type Outcome = 'done' | 'failed' | 'stopped';

/** Works on chores, one turn at a time for each chore, whatever the number of instances. */
@Injectable()
export class ChoreTurns {
  private readonly logger = new Logger('Chores');
  private readonly metrics: ChoreMetrics;

  constructor(
    private readonly schedule: ChoreSchedule,
    metrics: Metrics,
  ) {
    this.metrics = new ChoreMetrics(metrics);
  }

  /**
   * Works on a chore if it is due and no other instance works on it. Never throws.
   *
   * @param stopping aborts when the process ends
   */
  async work(chore: Chore, stopping: AbortSignal): Promise<void> {
    try {
      const turn = await this.schedule.take(chore.name, holdOf(chore));
      if (turn) await this.workOn(chore, turn, stopping);
    } catch (error) {
      this.logger.error(`The chore ${chore.name} could not be scheduled: ${String(error)}`);
    }
  }

  private async workOn(chore: Chore, turn: ChoreTurn, stopping: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const control = new AbortController();
    const stop = (): void => control.abort();
    stopping.addEventListener('abort', stop, { once: true });
    let renewed: Promise<void> | undefined;
    const renew = (): void => void (renewed = this.renew(chore, turn, stop));
    const renewal = setInterval(renew, holdOf(chore) / 3).unref();
    const outcome = await this.outcomeOf(chore, control.signal);
    clearInterval(renewal);
    stopping.removeEventListener('abort', stop);
    await renewed;
    const took = performance.now() - startedAt;
    this.metrics.executions.with(chore.name, outcome).add();
    this.metrics.seconds.with(chore.name).observe(took / 1000);
    // Most turns need no further write: they have made the chore due after its period.
    const isDueInTime = outcome === 'done' && !renewed && holdOf(chore) === chore.everyMs;
    if (!isDueInTime) await this.schedule.postpone(turn, waitOf(chore, outcome, took));
  }

  private async outcomeOf(chore: Chore, signal: AbortSignal): Promise<Outcome> {
    try {
      await chore.work(signal);
      return signal.aborted ? 'stopped' : 'done';
    } catch (error) {
      this.logger.error(`The chore ${chore.name} failed: ${String(error)}`);
      return 'failed';
    }
  }

  /** Keeps the turn while the work goes on; stops the work when another instance has taken it. */
  private async renew(chore: Chore, turn: ChoreTurn, stop: () => void): Promise<void> {
    try {
      if (await this.schedule.postpone(turn, holdOf(chore))) return;
      this.logger.warn(`Another process has taken the chore ${chore.name}: it was not heard of for too long`);
      stop();
    } catch (error) {
      this.logger.warn(`The chore ${chore.name} could not be kept: ${String(error)}`);
    }
  }
}

/** In how many milliseconds a chore is due again. Another instance continues at once what was stopped. */
function waitOf({ everyMs }: Chore, outcome: Outcome, took: number): number {
  if (outcome === 'stopped') return 0;
  return outcome === 'failed' ? Math.min(everyMs, RETRY_MS) : Math.max(0, everyMs - took);
}

function holdOf({ everyMs }: Chore): number {
  return Math.max(everyMs, HOLD_MS);
}

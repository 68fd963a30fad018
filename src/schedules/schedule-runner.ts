import { setTimeout } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ScheduleStore } from './ports/schedule-store.js';
import { ScheduleFiring } from './schedule-firing.js';
import type { DueSchedule } from './schedule.types.js';

/** How often a process looks whether the next time has come, in milliseconds. */
const LOOK_MS = 1000;
/**
 * How long it relies on what it knows of the next time, and how long the look after that may wait for others, in milliseconds:
 * what other processes plan is found within ten seconds.
 */
const RELY_MS = 7000;
const IDLE_WITHIN_MS = 1000;
/** How long a process has for a schedule before another one takes it. */
const LEASE_MS = 60_000;
/** Schedules that a process takes at a time, and how many it fires at the same time. */
const BATCH = 64;
const AT_ONCE = 8;
const SHUTDOWN_MS = 5000;

/** Fires what is due: in every process, each schedule by one. What was due while all were down is found in the first second. */
@Injectable()
export class ScheduleRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Schedules');
  private timer: NodeJS.Timeout | undefined;
  /** When the database is queried again, in milliseconds of `performance.now`. */
  private askAt = 0;
  private idleLook: Promise<void> | undefined;
  /** Whether a schedule may be due at `askAt`. */
  private isAwaited = true;
  private working: Promise<void> | undefined;
  private isOver = false;

  constructor(
    private readonly store: ScheduleStore,
    private readonly firing: ScheduleFiring,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Takes nothing more, and waits for what it has begun. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isOver = true;
    clearInterval(this.timer);
    await Promise.race([this.working, setTimeout(SHUTDOWN_MS, undefined, { ref: false })]);
  }

  /** Called when this process has planned something, which may be due before it would look. */
  lookSoon(): void {
    this.askAt = 0;
    this.isAwaited = true;
  }

  private look(): void {
    if (performance.now() < this.askAt) return;
    if (this.isAwaited) this.working ??= this.work().finally(() => (this.working = undefined));
    else this.idleLook ??= this.lookIdly().finally(() => (this.idleLook = undefined));
  }

  /** What others have planned may be due. */
  private async lookIdly(): Promise<void> {
    try {
      await this.ask(IDLE_WITHIN_MS);
    } catch (error) {
      this.lookSoon();
      this.warn('cannot be read', error);
    }
  }

  /** Finds out when to ask again. Returns whether something is due. */
  private async ask(withinMs: number): Promise<boolean> {
    this.askAt = Infinity;
    const wait = (await this.store.untilDue(withinMs)) ?? Infinity;
    const askAt = wait > 0 ? performance.now() + Math.min(wait, RELY_MS) : 0;
    // Something may have been planned meanwhile that is due before.
    if (askAt < this.askAt) {
      this.askAt = askAt;
      this.isAwaited = wait <= RELY_MS;
    }
    return wait <= 0;
  }

  private async work(): Promise<void> {
    try {
      for (let more = await this.ask(0); more && !this.isOver;) {
        const due = [...(await this.store.claim(LEASE_MS, BATCH))];
        more = due.length > 0;
        await Promise.all(Array.from({ length: AT_ONCE }, () => this.fireAll(due)));
      }
    } catch (error) {
      this.lookSoon();
      this.warn('cannot be read', error);
    }
  }

  /** Several of these share the list. */
  private async fireAll(due: DueSchedule[]): Promise<void> {
    for (let next = due.shift(); next !== undefined && !this.isOver; next = due.shift()) {
      try {
        await this.firing.fire(next);
      } catch (error) {
        this.warn(`could not start ${next.schedule.id}`, error);
      }
    }
  }

  private warn(what: string, error: unknown): void {
    this.logger.warn(`Schedules ${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Chore } from './chore.js';
import { ChoreTurns } from './chore-turns.js';
import { ChoreSchedule } from './ports/chore-schedule.js';

/** The longest time between two looks at the schedule, in milliseconds: an instance that works may have ended. */
const LONGEST_WAIT_MS = 30_000;
/** The shortest one, in milliseconds. */
const SHORTEST_WAIT_MS = 20;
/** The share of its wait that a look may take to be read together with others. */
const LATE_SHARE = 0.1;

/** The chores of this process, such as removing old events. Features register theirs before the server starts. */
@Injectable()
export class Chores implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(Chores.name);
  private readonly byName = new Map<string, Chore>();
  /** What this process works on, by the name of the chore. */
  private readonly working = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly schedule: ChoreSchedule,
    private readonly turns: ChoreTurns,
  ) {}

  /** @throws TypeError if there is a chore of this name */
  register(chore: Chore): void {
    if (this.byName.has(chore.name)) throw new TypeError(`There are two chores ${chore.name}`);
    this.byName.set(chore.name, chore);
  }

  onApplicationBootstrap(): void {
    this.lookLater(0);
  }

  /** Takes no more turns, and waits for what goes on. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.looking;
    await Promise.all(this.working.values());
  }

  private lookLater(milliseconds: number): void {
    if (this.stopping.signal.aborted) return;
    const wait = Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, milliseconds));
    this.timer = setTimeout(() => void this.look(wait * LATE_SHARE), wait).unref();
  }

  /** Begins what is due. Sleeps until the next chore is. */
  private async look(withinMs: number): Promise<void> {
    let wait = LONGEST_WAIT_MS;
    try {
      const waits = await this.schedule.waits(withinMs);
      if (this.stopping.signal.aborted) return;
      const beginning = this.beginDue(waits);
      this.looking = beginning.then(ignore, ignore);
      wait = await beginning;
    } catch (error) {
      this.logger.warn(`The schedule of chores cannot be read: ${String(error)}`);
    }
    this.lookLater(wait);
  }

  /** Returns in how many milliseconds to look again. */
  private async beginDue(waits: ReadonlyMap<string, number>): Promise<number> {
    let wait = LONGEST_WAIT_MS;
    for (const chore of this.byName.values())
      wait = Math.min(wait, await this.beginIfDue(chore, waits.get(chore.name)));
    return wait;
  }

  /**
   * Begins a chore that is due. Returns in how many milliseconds to look again.
   *
   * @param due in how many milliseconds the chore is due; undefined if it is not known yet
   */
  private async beginIfDue(chore: Chore, due: number | undefined): Promise<number> {
    if (due === undefined) await this.schedule.add(chore.name);
    if (this.working.has(chore.name) || this.stopping.signal.aborted) return chore.everyMs;
    if (due !== undefined && due > 0) return due;
    const done = this.turns.work(chore, this.stopping.signal).finally(() => this.working.delete(chore.name));
    this.working.set(chore.name, done);
    return chore.everyMs;
  }
}

function ignore(): void {
  // What failed is reported by whoever waits for it.
}

import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, type Reach } from '../../common/index.js';
import type { ListChanges, ListedRunName, RunSummary } from '../ports/run-queries.js';
import { RunRelay } from '../ports/run-relay.js';
import { type ListedRun, RunSearch } from '../ports/run-search.js';

/** Time between two looks at the ledger that nothing has caused, in milliseconds: while the relay is live, and while it is not. */
const LIVE_MS = 5000;
const DEGRADED_MS = 1000;
/** The shortest time between two looks, in milliseconds. */
const PAUSE_MS = 200;
/** How far back each look searches for ended runs: clocks of processes differ, and commits take their time. */
const OVERLAP_MS = 10_000;
/** Of how many of the newest runs the removal is noticed when somebody begins to listen. */
const NEWEST = 500;
/** How many runs are remembered for a reach: those, and what was reported since. */
const REMEMBERED = 1000;

type Listener = (changes: ListChanges) => void;

/** A run that a list shows. */
interface Known {
  readonly name: ListedRunName;
  /** The form that listeners know; undefined if it has not been read. */
  readonly form: string | undefined;
}

/** What is read for all listeners of one reach. */
interface ReachWatch {
  readonly reach: Reach;
  readonly listeners: Set<Listener>;
  /** By the number of the row; the oldest first. */
  readonly known: Map<number, Known>;
  /** Resolves when it is known what exists. */
  ready: Promise<void>;
  isReady: boolean;
}

/**
 * Follows lists of runs: what was created, changed or removed, in any process. The relay says when to look at the ledger;
 * without it the ledger is looked at every second. A look serves all listeners of this process. While nobody listens there
 * is none.
 */
@Injectable()
export class RunListWatch implements OnApplicationShutdown {
  private readonly watches = new Map<string, ReachWatch>();
  private readonly unsubscribe: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private looksAgain = false;
  private isClosed = false;

  constructor(
    private readonly search: RunSearch,
    private readonly relay: RunRelay,
    private readonly clock: Clock,
  ) {}

  /** As `RunQueries.follow`. */
  async follow(reach: Reach, listener: Listener): Promise<() => void> {
    const key = JSON.stringify(reach);
    const watch = this.watches.get(key) ?? this.begin(key, reach);
    watch.listeners.add(listener);
    const stop = (): void => {
      watch.listeners.delete(listener);
      if (watch.listeners.size === 0) this.end(key, watch);
    };
    try {
      await watch.ready;
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  /** Looks no more. */
  onApplicationShutdown(): void {
    this.isClosed = true;
    this.rest();
  }

  private begin(key: string, reach: Reach): ReachWatch {
    const ready = Promise.resolve();
    const watch: ReachWatch = { reach, listeners: new Set(), known: new Map(), ready, isReady: false };
    watch.ready = this.learn(watch);
    if (this.watches.size === 0) {
      const look = (): void => this.look();
      this.unsubscribe.push(this.relay.onListChange(look), this.relay.onStateChange(look));
    }
    this.watches.set(key, watch);
    this.schedule();
    return watch;
  }

  private end(key: string, watch: ReachWatch): void {
    if (this.watches.get(key) !== watch) return;
    this.watches.delete(key);
    if (this.watches.size === 0) this.rest();
  }

  /** What exists now is no change. */
  private async learn(watch: ReachWatch): Promise<void> {
    for (const { rowId, userId, runId } of await this.search.newest(watch.reach, NEWEST)) {
      watch.known.set(rowId, { name: { userId, runId }, form: undefined });
    }
    const [active = []] = await this.search.changing([watch.reach], this.clock.now() - OVERLAP_MS);
    changedOf(watch, active);
    watch.isReady = true;
  }

  /** Looks at the ledger, soon again if it is called meanwhile. */
  private look(): void {
    this.looksAgain = true;
    this.looking ??= this.lookUntilQuiet();
  }

  private async lookUntilQuiet(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.looksAgain && this.watches.size > 0 && !this.isClosed) {
      this.looksAgain = false;
      // What fails is looked at again later.
      await this.lookOnce().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
    this.looking = undefined;
    this.schedule();
  }

  private async lookOnce(): Promise<void> {
    const watches = [...this.watches.values()].filter(({ isReady }) => isReady);
    if (watches.length === 0) return;
    const rowIds = new Set(watches.flatMap(({ known }) => [...known.keys()]));
    const reaches = watches.map(({ reach }) => reach);
    const active = await this.search.changing(reaches, this.clock.now() - OVERLAP_MS);
    const present = await this.search.present([...rowIds]);
    watches.forEach((watch, index) => {
      const removed = removedOf(watch, rowIds, present);
      const left = (active[index] ?? []).filter(({ rowId }) => !rowIds.has(rowId) || present.has(rowId));
      const changed = changedOf(watch, left);
      if (changed.length + removed.length === 0) return;
      const changes = { changed: changed.map(({ summary }) => summary), removed };
      for (const listener of watch.listeners) listener(changes);
    });
  }

  private schedule(): void {
    if (this.timer || this.looking || this.watches.size === 0 || this.isClosed) return;
    const wait = this.relay.state === 'live' ? LIVE_MS : DEGRADED_MS;
    this.timer = setTimeout(() => this.look(), wait).unref();
  }

  private rest(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const unsubscribe of this.unsubscribe.splice(0)) unsubscribe();
  }
}

/** The runs that are not known in this form, which are known from now on. */
function changedOf({ known }: ReachWatch, runs: readonly ListedRun[]): readonly ListedRun[] {
  const changed = runs.filter(({ rowId, summary }) => {
    const form = JSON.stringify(summary);
    const isSame = known.get(rowId)?.form === form;
    known.delete(rowId);
    known.set(rowId, { name: nameOf(summary), form });
    return !isSame;
  });
  for (const rowId of known.keys()) {
    if (known.size <= REMEMBERED) break;
    known.delete(rowId);
  }
  return changed;
}

/** The known runs that are gone, which are known no more. @param asked the ids that `present` has looked up */
function removedOf({ known }: ReachWatch, asked: ReadonlySet<number>, present: ReadonlySet<number>): ListedRunName[] {
  const removed: ListedRunName[] = [];
  for (const [rowId, { name }] of known) {
    if (!asked.has(rowId) || present.has(rowId)) continue;
    known.delete(rowId);
    removed.push(name);
  }
  return removed;
}

function nameOf({ userId, runId }: RunSummary): ListedRunName {
  return { userId, runId };
}

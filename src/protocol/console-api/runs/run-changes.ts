import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, type Reach } from '../../../common/index.js';
import { RunQueries, type RunSummary } from '../../../run/index.js';

/** How often the ledger is read while somebody listens, in milliseconds. */
const POLL_MS = 1000;
/** How far back each reading looks for ended runs: clocks of processes differ, and commits take their time. */
const OVERLAP_MS = 10_000;
/** How many runs are remembered, to tell changes from repetitions. */
const REMEMBERED = 2000;

type Listener = (changed: readonly RunSummary[]) => void;

/** What is read for all listeners of one reach. */
interface Watch {
  readonly reach: Reach;
  readonly listeners: Set<Listener>;
  /** The last known form of runs, by owner and id; the oldest first. */
  readonly known: Map<string, string>;
  isReading: boolean;
}

/**
 * Tells listeners about runs that were created or changed, in any process. However many listen, the ledger is read
 * once a second for each reach. A reading sees the newest runs that have not ended, and those that have ended since.
 */
@Injectable()
export class RunChanges implements OnApplicationShutdown {
  private readonly watches = new Map<string, Watch>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly queries: RunQueries,
    private readonly clock: Clock,
  ) {}

  /** Calls the listener with what has changed since now. Returns how to stop that. */
  async listen(reach: Reach, listener: Listener): Promise<() => void> {
    const key = JSON.stringify(reach);
    let watch = this.watches.get(key);
    if (!watch) {
      watch = { reach, listeners: new Set(), known: new Map(), isReading: false };
      this.watches.set(key, watch);
    }
    const joined = watch;
    joined.listeners.add(listener);
    this.timer ??= setInterval(() => this.poll(), POLL_MS).unref();
    const stop = (): void => {
      joined.listeners.delete(listener);
      if (joined.listeners.size > 0 || this.watches.get(key) !== joined) return;
      this.watches.delete(key);
      if (this.watches.size === 0) this.onApplicationShutdown();
    };
    try {
      // What exists now is no change.
      if (joined.known.size === 0) this.changesOf(joined, await this.read(joined));
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  /** Stops reading. */
  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private poll(): void {
    for (const watch of this.watches.values()) {
      if (watch.isReading) continue;
      watch.isReading = true;
      this.read(watch)
        .then((runs) => {
          const changed = this.changesOf(watch, runs);
          if (changed.length > 0) for (const listener of watch.listeners) listener(changed);
        })
        // Read again a second later.
        .catch(() => undefined)
        .finally(() => {
          watch.isReading = false;
        });
    }
  }

  private read({ reach }: Watch): Promise<readonly RunSummary[]> {
    return this.queries.active(reach, this.clock.now() - OVERLAP_MS);
  }

  /** The runs that are not known in this form, which are known from now on. */
  private changesOf({ known }: Watch, runs: readonly RunSummary[]): readonly RunSummary[] {
    const changed = runs.filter((run) => {
      const key = JSON.stringify([run.userId, run.runId]);
      const form = JSON.stringify(run);
      const isSame = known.get(key) === form;
      known.delete(key);
      known.set(key, form);
      return !isSame;
    });
    for (const key of known.keys()) {
      if (known.size <= REMEMBERED) break;
      known.delete(key);
    }
    return changed;
  }
}

import { Injectable } from '@nestjs/common';
import { type AbortLike, AppError, type Principal, userReach } from '../../../common/index.js';
import { Runs, type RunView } from '../../../run/index.js';
import { FrameCounts } from '../events/frame-counts.js';
import { canonicalThreadId } from '../run-lookup.js';
import { type RunsStatus, statesOf, statusOf } from '../run-names.js';
import { encodeRunView, type RunsRunView } from './run-view.encoder.js';

/** A page of a thread's runs, newest first. */
export interface RunPage {
  readonly items: readonly RunsRunView[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** Which runs a page shows. */
export interface RunPageQuery {
  readonly limit: number;
  /** Only runs with a smaller ordinal. */
  readonly before?: number | undefined;
  readonly status?: RunsStatus | undefined;
}

/** Shows runs as they stand, and waits for them to change. */
@Injectable()
export class RunViews {
  constructor(
    private readonly runs: Runs,
    private readonly counts: FrameCounts,
  ) {}

  /** A run with the id of its last event. */
  async of(run: RunView): Promise<RunsRunView> {
    try {
      return encodeRunView(run, await this.counts.lastSeq(run));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'EVENTS_EXPIRED') throw error;
      return encodeRunView(run, undefined);
    }
  }

  /** A thread's runs, newest first. */
  async page(principal: Principal, threadId: string, query: RunPageQuery): Promise<RunPage> {
    const { limit, status } = query;
    const found: RunView[] = [];
    for (let { before } = query; found.length <= limit;) {
      const runs: readonly RunView[] = await this.runs.list(principal, canonicalThreadId(threadId), {
        limit: limit + 1,
        ...(before !== undefined && { before }),
        ...(status !== undefined && { states: statesOf(status) }),
      });
      found.push(...runs.filter((run) => status === undefined || statusOf(run) === status));
      if (runs.length <= limit) break;
      before = runs.at(-1)?.ordinal;
    }
    const shown = found.slice(0, limit);
    const items: RunsRunView[] = [];
    for (const run of shown) items.push(await this.of(run));
    const last = shown.at(-1);
    return { items, ...(found.length > limit && last && { nextCursor: String(last.ordinal) }) };
  }

  /**
   * Waits until a run is as wanted, the time is over, or nobody waits any more. Looks at it whenever its log says that
   * its state may have changed, and returns the last look.
   */
  async until(
    run: RunView,
    holds: (run: RunView) => boolean,
    { milliseconds, signal }: { readonly milliseconds: number; readonly signal: AbortLike },
  ): Promise<RunView> {
    if (holds(run) || milliseconds === 0 || signal.aborted) return run;
    const over = new AbortController();
    const stop = (): void => over.abort();
    const timer = setTimeout(stop, milliseconds);
    signal.addEventListener('abort', stop);
    try {
      const options = { after: run.lastSeq, signal: over.signal, accepted: true };
      for await (const events of this.runs.tail(userReach(run), run.runId, options)) {
        if (!events.some(({ kind }) => kind === 'response')) continue;
        const view = await this.look(run);
        if (holds(view)) return view;
      }
      return await this.look(run);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  private look(run: RunView): Promise<RunView> {
    return this.runs.view(userReach(run), run.runId, { accepted: true });
  }
}

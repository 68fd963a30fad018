import { Injectable } from '@nestjs/common';
import { AppError, type Principal } from '../../../common/index.js';
import { Runs, type RunView } from '../../../run/index.js';
import { FrameCounts } from '../events/frame-counts.js';
import { canonicalThreadId } from '../run-lookup.js';
import { type RunsStatus, statesOf, statusOf } from '../run-names.js';
import { encodeRunView, type RunsRunView } from './run-view.encoder.js';

/** Milliseconds between two looks at a run that is waited for: at first and at most. */
const LOOK_FIRST_MS = 20;
const LOOK_MOST_MS = 500;

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
  async of(principal: Principal, run: RunView): Promise<RunsRunView> {
    try {
      return encodeRunView(run, await this.counts.lastSeq(principal, run));
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
    for (const run of shown) items.push(await this.of(principal, run));
    const last = shown.at(-1);
    return { items, ...(found.length > limit && last && { nextCursor: String(last.ordinal) }) };
  }

  /** Looks at a run until it is as wanted, the time is over, or nobody waits any more. Returns the last look. */
  async until(
    principal: Principal,
    run: RunView,
    holds: (run: RunView) => boolean,
    options: { readonly milliseconds: number; readonly signal: AbortSignal },
  ): Promise<RunView> {
    const deadline = performance.now() + options.milliseconds;
    let view = run;
    for (let wait = LOOK_FIRST_MS; !holds(view) && !options.signal.aborted; wait = Math.min(wait * 1.5, LOOK_MOST_MS)) {
      const left = deadline - performance.now();
      if (left <= 0) break;
      await new Promise((resolve) => setTimeout(resolve, Math.min(wait, left)));
      view = await this.runs.view(principal, run.runId, { accepted: true });
    }
    return view;
  }
}

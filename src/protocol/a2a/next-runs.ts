import { Injectable } from '@nestjs/common';
import { type AbortLike, userReach } from '../../common/index.js';
import { withinTime } from '../../runtime/index.js';
import { RunChains, Runs, type RunView } from '../../run/index.js';
import type { TaskUpdate } from './a2a.types.js';
import { closingOf, Tasks } from './tasks.js';

/** How often a stream of a task that waits looks at what became of its questions, in milliseconds. */
const LOOK_MS = 1000;

/** Finds the runs with which tasks go on (contract a2a, section 6.2). */
@Injectable()
export class NextRuns {
  constructor(
    private readonly runs: Runs,
    private readonly chains: RunChains,
    private readonly tasks: Tasks,
  ) {}

  /** What follows a run of a task. Waits while it may go on. */
  async after(
    run: RunView,
    { signal, endsAtQuestions, isClosed }: { signal: AbortLike; endsAtQuestions: boolean; isClosed: boolean },
  ): Promise<RunView | 'ended' | 'stopped' | { readonly update: TaskUpdate }> {
    for (;;) {
      const chain = await this.chains.find(userReach(run), run.rootRunId);
      if (!chain || signal.aborted) return 'ended';
      if (chain.last.ordinal > run.ordinal) {
        const runs = await this.chains.runs(userReach(run), run.rootRunId);
        return runs.find(({ ordinal }) => ordinal > run.ordinal) ?? 'ended';
      }
      const closing = closingOf(chain);
      if (closing) return isClosed ? 'ended' : { update: closing };
      if (chain.state !== 'waiting') return 'ended';
      if (endsAtQuestions && this.tasks.stateOf(chain) === 'input-required') return 'ended';
      if (!(await this.awaited(run, signal))) return signal.aborted ? 'ended' : 'stopped';
    }
  }

  /** Waits for the session's next run, or for a while. False when the server stops or the reader has left. */
  private awaited(run: RunView, gone: AbortLike): Promise<boolean> {
    return withinTime(gone, LOOK_MS, async (signal, look) => {
      const found = await this.runs.next(run, run.sessionId, run.ordinal, signal);
      if (found && found.rootRunId !== run.rootRunId && !look.aborted)
        await new Promise<void>((resolve) => look.addEventListener('abort', () => resolve()));
      return found !== undefined || look.aborted;
    });
  }
}

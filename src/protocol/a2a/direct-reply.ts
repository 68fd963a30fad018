import { type AbortLike, userReach } from '../../common/index.js';
import type { Runs, RunView } from '../../run/index.js';

/** The first event of an agent that answers with a message in place of a task (contract a2a, section 7.4). */
const REPLY = 'a2a.reply';

/**
 * Waits for the first event of a run's agent. Returns whether it says that the answer is a message.
 *
 * @param gone ends the wait when it aborts
 */
export async function firstReply(runs: Pick<Runs, 'tail'>, run: RunView, gone: AbortLike): Promise<boolean> {
  for await (const events of runs.tail(userReach(run), run.runId, { run, accepted: true, signal: gone })) {
    for (const logged of events) {
      const { event } = logged;
      if (event.object === 'response' && !logged.isTerminal) continue;
      return event.object === 'custom' && event.name === REPLY && event.value === 'message';
    }
  }
  return false;
}

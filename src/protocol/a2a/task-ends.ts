import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { type AbortLike, type Origin, userReach } from '../../common/index.js';
import { withinTime } from '../../runtime/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { RunStreams } from '../wire/index.js';
import { A2aError } from './a2a.errors.js';
import { A2aSettings } from './a2a.settings.js';
import type { A2aMessage } from './a2a.types.js';
import { contentParts } from './content-parts.js';

/** How long a cancel waits for the end of its task, in milliseconds. */
const CANCEL_MS = 10_000;
/** The first event of an agent that answers with a message in place of a task (contract a2a, section 7.4). */
const REPLY = 'a2a.reply';

/** Waits for the ends of runs, and cancels them. */
@Injectable()
export class TaskEnds {
  constructor(
    private readonly runs: Runs,
    private readonly streams: RunStreams,
    private readonly agents: AgentRegistry,
    private readonly settings: A2aSettings,
  ) {}

  /** Waits for the end of a run, for its client to leave, or for the longest time that an answer may take. */
  blocked(run: RunView, gone: AbortLike): Promise<void> {
    return this.ended(run, gone, this.settings.blockingMs);
  }

  /** Cancels a run, and waits for its end; what it asks is given up. */
  async cancel(run: RunView, by: Origin): Promise<void> {
    const canceled = await this.runs.cancel(userReach(run), run.runId, { by });
    if (canceled.finishedAt === null) await this.ended(canceled, undefined, CANCEL_MS);
  }

  /** The message that an agent answers with in place of a task; undefined if it makes one. @throws A2aError INVALID_AGENT_RESPONSE */
  async replyOf(run: RunView, gone: AbortLike): Promise<A2aMessage | undefined> {
    if (!this.agents.get(run.agentType).directReplies) return undefined;
    if (!(await firstReply(this.runs, run, gone))) return undefined;
    const response = await this.streams.ended(run, gone);
    if (response?.status !== 'completed') {
      throw new A2aError('INVALID_AGENT_RESPONSE', response?.error?.message ?? 'The agent has not answered');
    }
    const answers = (response.output ?? []).filter(({ type, role }) => type === 'message' && role === 'assistant');
    const last = answers.at(-1);
    const parts = (last?.content ?? []).flatMap(contentParts);
    if (!last || parts.length === 0) throw new A2aError('INVALID_AGENT_RESPONSE', 'The agent has answered nothing');
    return { messageId: last.id, role: 'agent', contextId: run.sessionId, parts };
  }

  /** Waits for the end of a run, for its client to leave, or for a time. */
  private async ended(run: RunView, gone: AbortLike | undefined, withinMs: number): Promise<void> {
    await withinTime(gone, withinMs, (signal) => this.streams.ended(run, signal));
  }
}

/**
 * Waits for the first event of a run's agent. Returns whether it says that the answer is a message.
 *
 * @param gone ends the wait when it aborts
 */
async function firstReply(runs: Pick<Runs, 'tail'>, run: RunView, gone: AbortLike): Promise<boolean> {
  for await (const events of runs.tail(userReach(run), run.runId, { run, accepted: true, signal: gone })) {
    for (const logged of events) {
      const { event } = logged;
      if (event.object === 'response' && !logged.isTerminal) continue;
      return event.object === 'custom' && event.name === REPLY && event.value === 'message';
    }
  }
  return false;
}

import type { JsonObject } from '../../common/index.js';
import { ToolSet } from '../tools/index.js';
import { AgentShapes } from '../agent-shapes.js';
import { AgentType } from '../agent-type.decorator.js';
import type { Agent, AgentContext, AgentOutcome } from '../agent.js';
import { CallIds } from '../loop/call-ids.js';
import { limitOf, modelStep } from '../loop/model-step.js';
import { toModelMessages } from '../prompt/prompt.js';

/** The member of the session's state that holds the note. */
const KEY = 'memory';
/** The journal key of the present note, so that a resumed run condenses the same note. */
const NOTE_STEP = 'memory:present';

/** The instructions to the model; the present note follows them. */
const TASK = [
  'Condense the conversation into a memory note: lasting facts about the user, preferences, decisions and open tasks.',
  'Write short lines, at most 200 words, without comments of your own.',
  'Keep what the present note says unless the conversation corrects it.',
].join(' ');

/**
 * Condenses the input messages into a memory note with one model call, and stores it in the session's state
 * under `memory`. Internal: requests of clients cannot name it.
 */
@AgentType({
  name: 'memory',
  description: 'Keeps a note of what matters in a conversation.',
  exposure: 'internal',
  recovery: 'journal',
})
export class MemoryAgent implements Agent {
  constructor(private readonly shapes: AgentShapes) {}

  async *run(context: AgentContext): AsyncGenerator<undefined, AgentOutcome, void> {
    const note = presentNote(context);
    const task = note === '' ? TASK : `${TASK}\n\nThe present note:\n${note}`;
    const { client, options } = this.shapes.of(context);
    const output = yield* modelStep({
      context,
      client,
      request: { messages: toModelMessages(task, context.input), tools: [], options },
      toolSet: new ToolSet([], []),
      callIds: new CallIds(context.runId, context.shownCallIds),
      step: 0,
    });
    const limit = limitOf(output);
    if (limit) return { kind: 'incomplete', reason: limit };
    if (output.text.trim() !== '') context.state.set(withMemoryNote(context.state.get(), output.text.trim()));
    return { kind: 'completed' };
  }
}

/** The note at the start of the run. A resumed run must not condense its own result. */
function presentNote({ journal, state }: AgentContext): string {
  const stored = journal.finished(NOTE_STEP, '')?.output['note'];
  if (typeof stored === 'string') return stored;
  const note = memoryNote(state.get());
  journal.finish(NOTE_STEP, '', { note }, []);
  return note;
}

/** The memory note in a session's state; empty if there is none. */
export function memoryNote(state: JsonObject): string {
  const note = state[KEY];
  return typeof note === 'string' ? note.trim() : '';
}

/** The state with a new memory note. */
function withMemoryNote(state: JsonObject, note: string): JsonObject {
  return { ...state, [KEY]: note };
}

import { localTime } from '../../common/index.js';
import { AgentType } from '../agent-type.decorator.js';
import type { Agent, AgentContext, AgentOutcome } from '../agent.js';
import { AgentSettings } from '../agent.settings.js';
import { ModelLoop } from '../model-loop.js';
import { memoryNote } from './memory.agent.js';

/** The system prompt of servers without one in their settings. */
const PERSONA = [
  'You are Friday, a helpful assistant.',
  "Answer in the user's language, briefly and to the point.",
  'Use the tools you are given when they help; never invent their results.',
  'Say plainly when you do not know something or cannot do it.',
].join(' ');

/** The agent type of `WorkerAgent`. */
export const WORKER = 'worker';

/** The public agent "Friday", which uses all tools of the server and of the client. */
@AgentType({
  name: WORKER,
  description: 'Friday, a helpful assistant that uses tools: "What can you do?" or "What time is it in Tokyo?"',
  exposure: 'public',
  recovery: 'journal',
})
export class WorkerAgent implements Agent {
  constructor(
    private readonly loop: ModelLoop,
    private readonly settings: AgentSettings,
  ) {}

  /** Answers with the model loop. The facts that change between requests are kept out of the system prompt. */
  run(context: AgentContext): AsyncGenerator<undefined, AgentOutcome, void> {
    return this.loop.run(context, { systemPrompt: this.systemPrompt(context), situation: situationOf(context) });
  }

  private systemPrompt(context: AgentContext): string {
    const persona = this.settings.systemPrompt ?? PERSONA;
    const note = memoryNote(context.state.get());
    return note === '' ? persona : `${persona}\n\nWhat you remember of earlier conversations:\n${note}`;
  }
}

/** Contains the date but not the time, so that the provider's prompt cache stays valid for a day. */
function situationOf({ requestedAt, timeZone }: AgentContext): string {
  const { weekday, date } = localTime(requestedAt, timeZone);
  return `Today is ${weekday}, ${date}, in the user's time zone ${timeZone}. Times that the user names are in that zone.`;
}

import { type Agent, type AgentContext, type AgentOutcome, AgentType } from '../../src/agent/index.js';
import type { AgentEvent } from '../../src/events/index.js';

/** What an agent does in one test. */
export type Behaviour = (context: AgentContext) => AsyncGenerator<AgentEvent | undefined, AgentOutcome | void, void>;

/** The behaviour of the agents below, which each test sets; there is one agent for each kind of recovery. */
export const behaviour: { current: Behaviour } = { current: writes('nothing') };

abstract class CodeAgent implements Agent {
  run(context: AgentContext): ReturnType<Agent['run']> {
    return behaviour.current(context);
  }
}

@AgentType({ name: 'code-fail', description: 'Does what a test says.', exposure: 'public', recovery: 'fail' })
export class FailingCodeAgent extends CodeAgent {}

@AgentType({ name: 'code-restart', description: 'Does what a test says.', exposure: 'public', recovery: 'restart' })
export class RestartingCodeAgent extends CodeAgent {}

@AgentType({ name: 'code-journal', description: 'Does what a test says.', exposure: 'public', recovery: 'journal' })
export class JournalingCodeAgent extends CodeAgent {}

/** Says a text and completes. */
export function writes(text: string): Behaviour {
  return async function* (context) {
    yield say(context, text);
    await context.flush();
  };
}

/** Writes a whole message. */
export function say(context: AgentContext, text: string): AgentEvent {
  const message = context.response.createMessageBuilder();
  message.createContentBuilder().addTextDelta(text);
  return message.complete();
}

/** Writes the beginning of a message, which stays open. */
export function mutter(context: AgentContext, text: string): AgentEvent | undefined {
  context.response.createMessageBuilder().createContentBuilder().addTextDelta(text);
  return undefined;
}

/** Settles when the run is stopped. */
export function stopped(context: AgentContext): Promise<void> {
  return new Promise((resolve) => {
    if (context.signal.aborted) resolve();
    else context.signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

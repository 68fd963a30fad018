import { type Agent, type AgentContext, type AgentEvent, AgentType } from '../../src/index.js';

@AgentType({ name: 'shout', description: 'Repeats what it hears, louder.', exposure: 'public' })
export class ShoutAgent implements Agent {
  async *run(context: AgentContext): AsyncGenerator<AgentEvent, void, void> {
    const message = context.response.createMessageBuilder();
    const text = message.createContentBuilder('text');
    for (const word of context.inputText.split(' ')) {
      yield text.addTextDelta(`${word.toUpperCase()} `);
    }
    yield message.complete();
  }
}

import { type Agent, type AgentContext, AgentType, ModelLoop } from '../agent/index.js';
import { say, scriptedModel } from './model-answers.js';
import { startTestServer } from './test-server.js';

/** A model that no test may call. */
const realModel = scriptedModel([]);

@AgentType({ name: 'plain', description: 'Greets.', exposure: 'public' })
class PlainAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, { systemPrompt: 'Greet.' });
  }
}

@AgentType({ name: 'small', description: 'Greets.', exposure: 'public', model: 'small' })
class SmallAgent extends PlainAgent {}

@AgentType({ name: 'own', description: 'Greets.', exposure: 'public', model: realModel })
class OwnAgent extends PlainAgent {}

describe('the models of a test server', () => {
  it('the model of the test answers for all agents but those that choose one of its named models', async () => {
    const model = scriptedModel([say('Hello.'), say('Hello again.')]);
    const small = scriptedModel([say('Hi.')]);
    const providers = [PlainAgent, SmallAgent, OwnAgent];
    const server = await startTestServer({ providers, model, models: { small } });
    try {
      const texts: string[] = [];
      for (const agent of ['plain', 'own', 'small']) texts.push((await server.run('Hello', { agent })).text);
      expect(texts).toEqual(['Hello.', 'Hello again.', 'Hi.']);
      expect([model.requests.length, small.requests.length, realModel.requests.length]).toEqual([2, 1, 0]);
      expect((await server.agent('own')).model).toBe('scripted');
    } finally {
      await server.close();
    }
  });
});

import { AgentTool } from '../../src/index.js';
import { callTool, say, scriptedModel, startTestServer, type TestServer } from '../../src/test-kit/index.js';
import { RefundsAgent, SupportAgent } from './support.agents.js';

class Orders {
  @AgentTool({ name: 'get_order', description: 'Reads an order.', effects: 'none', parameters: { type: 'object' } })
  async getOrder(): Promise<string> {
    return 'sent';
  }

  @AgentTool({ name: 'refund', description: 'Pays money back.', effects: 'unsafe', parameters: { type: 'object' } })
  async refund(): Promise<string> {
    return 'paid';
  }
}

describe('the support agent', () => {
  let server: TestServer;
  const model = scriptedModel([callTool('refund', {}), say('I cannot do that.')]);

  beforeAll(async () => {
    server = await startTestServer({ providers: [Orders, SupportAgent, RefundsAgent], model });
  });
  afterAll(() => server.close());

  it('has the tools, the model and the options that it needs', async () => {
    expect(await server.agent('support')).toEqual({
      tools: ['get_order'],
      model: 'fast',
      modelOptions: { temperature: 0.2, maxTokens: 800 },
      maxSteps: 4,
    });
    expect(await server.agent('refunds')).toMatchObject({ tools: ['get_order', 'refund'], model: 'smart' });
  });

  it('cannot refund', async () => {
    const run = await server.run('Refund A-1001', { agent: 'support' });
    expect(run.toolCalls[0]?.output).toBe('There is no tool named "refund". The tools are: get_order.');
    expect(run.text).toBe('I cannot do that.');
    expect(model.requests[0]).toMatchObject({
      tools: [{ name: 'get_order' }],
      options: { model: 'fast', temperature: 0.2, maxTokens: 800 },
    });
  });
});

import { randomUUID } from 'node:crypto';
import {
  type Agent,
  type AgentContext,
  AgentTool,
  AgentType,
  beginSubagent,
  ModelLoop,
  type ToolContext,
} from '../../src/index.js';
import {
  type ChatBody,
  type Delta,
  type StrictServer,
  strictServer,
} from '../../src/agent/adapters/testing/strict-server.js';
import { itWithoutAuthentication } from '../support/caller.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

// As if it were not installed.
jest.mock(
  '@ai-sdk/xai',
  () => {
    throw new Error("Cannot find module '@ai-sdk/xai'");
  },
  { virtual: true },
);

const OBJECT = { type: 'object', properties: {} };

/** What the tools have done. */
let made: string[] = [];
let isStuck = false;

class ShopTools {
  @AgentTool({ name: 'get_order', description: 'Reads an order.', effects: 'none', parameters: OBJECT })
  async getOrder(_args: object, { signal }: ToolContext): Promise<string> {
    made.push('get_order');
    if (isStuck) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return 'sent';
  }

  @AgentTool({ name: 'cancel_order', description: 'Cancels an order.', effects: 'unsafe', parameters: OBJECT })
  async cancelOrder(): Promise<string> {
    made.push('cancel_order');
    return 'canceled';
  }

  @AgentTool({ name: 'refund', description: 'Pays money back.', effects: 'none', parameters: OBJECT })
  async refund(): Promise<string> {
    made.push('refund');
    return 'paid';
  }
}

@AgentType({
  name: 'orders',
  description: 'Knows orders.',
  exposure: 'public',
  recovery: 'journal',
  tools: ['get_o*', 'local/cancel_order'],
  model: 'fast',
  modelOptions: { temperature: 0.25, maxTokens: 300 },
  maxSteps: 2,
})
class OrdersAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, { systemPrompt: 'Be brief.' });
  }
}

@AgentType({ name: 'desk', description: 'Delegates.', exposure: 'public', recovery: 'journal' })
class DeskAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  async *run(context: AgentContext): ReturnType<Agent['run']> {
    const orders = beginSubagent(context, { name: 'orders', agentType: 'orders' });
    yield* this.loop.run(orders.context, { systemPrompt: 'Look.', tools: ['get_order'] });
    const plain = beginSubagent(context, { name: 'plain' });
    yield* this.loop.run(plain.context, { systemPrompt: 'Think.', tools: [], model: 'main-2', maxSteps: 1 });
    return yield* this.loop.run(context, { systemPrompt: 'Answer.' });
  }
}

const toolCall = (name: string): Delta => ({
  tool_calls: [{ index: 0, id: `call_${randomUUID().slice(0, 8)}`, function: { name, arguments: '{}' } }],
});
const names = ({ tools = [] }: ChatBody): string[] => tools.map((tool) => tool.function.name);
const shape = (body: ChatBody | undefined): unknown =>
  body && [body['model'], names(body), body['temperature'], body['max_tokens']];
const SHAPED = ['fast-1', ['get_order', 'cancel_order'], 0.25, 300];

describeOnDatabases('an agent with tools, a model and options of its own', (openDatabase) => {
  let database: TestDatabase;
  let main: StrictServer;
  let fast: StrictServer;
  let server: TestServer;

  const env = (): NodeJS.ProcessEnv => ({
    SAMPLES: 'off',
    LLM_BASE_URL: main.url,
    LLM_MODEL: 'main-1',
    LLM_PROFILE: 'vllm',
    FAST_KEY: 'fast-key',
    LLM_MODELS: JSON.stringify({
      fast: {
        baseUrl: fast.url,
        model: 'fast-1',
        apiKeyEnv: 'FAST_KEY',
        profile: 'vllm',
        headers: { 'X-Team': 'shop' },
        agents: ['orders'],
      },
    }),
  });
  const start = async (): Promise<TestServer> =>
    (server = await startServer({ database, env: env(), providers: [ShopTools, OrdersAgent, DeskAgent] }));

  beforeAll(async () => (database = await openDatabase()));
  afterAll(() => database.drop());
  beforeEach(async () => {
    made = [];
    isStuck = false;
    [main, fast] = [await strictServer(), await strictServer()];
    await start();
  });
  afterEach(async () => {
    await server.close();
    await Promise.all([main.close(), fast.close()]);
  });

  async function post(path: string, body: object): Promise<{ status: number; text: string }> {
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  }
  const respond = async (body: object): Promise<Record<string, unknown>> =>
    JSON.parse((await post('/v1/responses', { model: 'orders', input: 'Hello', ...body })).text) as Record<
      string,
      unknown
    >;
  const thread = (): object => ({
    threadId: randomUUID(),
    runId: randomUUID(),
    messages: [{ id: randomUUID(), role: 'user', content: 'Hello' }],
    tools: [],
    context: [],
    state: {},
  });

  it.each<[wire: string, path: string, body: () => object]>([
    ['responses', '/v1/responses', () => ({ model: 'orders', input: 'Hello' })],
    [
      'chat-completions',
      '/v1/chat/completions',
      () => ({ model: 'orders', messages: [{ role: 'user', content: 'Hello' }] }),
    ],
    ['ag-ui', '/ag-ui/orders', thread],
    ['copilotkit', '/copilotkit/agent/orders/run', thread],
    ['ag-kit', '/v1/aibot/bots/orders/send-message', () => ({ msg: 'Hello', conversationId: randomUUID() })],
  ])('its model is asked over %s', async (_wire, path, body) => {
    await post(path, body());
    await until(() => expect(fast.seen.map(shape)).toEqual([SHAPED]));
    expect(fast.headers[0]).toMatchObject({ authorization: 'Bearer fast-key', 'x-team': 'shop' });
    expect(main.seen).toEqual([]);
  });

  it('options of a request take precedence', async () => {
    await respond({ temperature: 0.75, max_output_tokens: 40 });
    await post('/v1/chat/completions', {
      model: 'orders',
      messages: [{ role: 'user', content: 'Hello' }],
      temperature: 1,
    });
    expect(fast.seen.map((body) => [body['temperature'], body['max_tokens']])).toEqual([
      [0.75, 40],
      [1, 300],
    ]);
  });

  it('a tool outside its list does not exist', async () => {
    fast.answers.push([toolCall('refund')]);
    const response = await respond({});
    expect(response['status']).toBe('completed');
    const result = fast.seen[1]?.messages.find(({ role }) => role === 'tool');
    expect(result?.content).toBe('There is no tool named "refund". The tools are: get_order, cancel_order.');
    expect(made).toEqual([]);
    const choice = { type: 'mcp', server_label: 'local', name: 'refund' };
    expect(await post('/v1/responses', { model: 'orders', input: 'Hello', tool_choice: choice })).toMatchObject({
      status: 400,
      text: expect.stringContaining('tool_choice names refund, which is not among the tools') as string,
    });
  });

  it('a client may declare a tool with the name of one that the agent does not have', async () => {
    const ask = (model: string): ReturnType<typeof post> =>
      post('/v1/chat/completions', {
        model,
        messages: [{ role: 'user', content: 'Hello' }],
        tools: [{ type: 'function', function: { name: 'refund', parameters: OBJECT } }],
      });
    expect(await ask('orders')).toMatchObject({ status: 200 });
    expect(names(fast.seen[0] as ChatBody)).toEqual(['get_order', 'cancel_order', 'refund']);
    expect(await ask('desk')).toMatchObject({ status: 400 });
  });

  it('its number of steps ends a run', async () => {
    fast.answers.push([toolCall('get_order')], [toolCall('get_order')], [{ content: 'too late' }]);
    expect(await respond({})).toMatchObject({ status: 'incomplete' });
    expect([fast.seen.length, made]).toEqual([2, ['get_order', 'get_order']]);
  });

  it('its model continues after an approval, at another instance', async () => {
    fast.answers.push([toolCall('cancel_order')]);
    const asked = (await respond({})) as { id: string; output: { type: string; id: string }[] };
    const request = asked.output.find(({ type }) => type === 'mcp_approval_request');
    await server.close();
    await start();
    const answer = { type: 'mcp_approval_response', approval_request_id: request?.id, approve: true };
    expect(await respond({ previous_response_id: asked.id, input: [answer] })).toMatchObject({ status: 'completed' });
    expect([made, fast.seen.map(shape)]).toEqual([['cancel_order'], [SHAPED, SHAPED]]);
    expect(main.seen).toEqual([]);
  });

  it('its model continues a run whose process has stopped, at another instance', async () => {
    isStuck = true;
    fast.answers.push([toolCall('get_order')]);
    const run = await respond({ background: true });
    await until(() => expect(made).toEqual(['get_order']));
    await server.close();
    isStuck = false;
    await start();
    await until(async () => {
      const answer = await fetch(`${server.url}/v1/responses/${String(run['id'])}`);
      expect(await answer.json()).toMatchObject({ status: 'completed' });
    });
    expect([fast.seen.map(shape), main.seen.length]).toEqual([[SHAPED, SHAPED], 0]);
  });

  it('forks and regenerated answers use it too', async () => {
    const first = await respond({});
    for (const words of ['A', 'B']) await respond({ previous_response_id: first['id'], input: words });
    expect([fast.seen.map(shape), main.seen.length]).toEqual([[SHAPED, SHAPED, SHAPED], 0]);
  });

  it('a subagent has the shape of its agent type, within it that of its loop', async () => {
    await respond({ model: 'desk' });
    expect(fast.seen.map(shape)).toEqual([['fast-1', ['get_order'], 0.25, 300]]);
    expect(main.seen.map(shape)).toEqual([
      ['main-2', [], undefined, undefined],
      ['main-1', ['get_order', 'cancel_order', 'refund', 'get_current_time'], undefined, undefined],
    ]);
  });

  itWithoutAuthentication('a request may name a model that its agent may use', async () => {
    const ask = (model: string): ReturnType<typeof post> =>
      post('/process', { model, input: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] });
    const refused = await ask('fast');
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('model names a model that the agent may not use') as string,
    ]);
    expect(await ask('main-3')).toMatchObject({ status: 200 });
    expect([fast.seen.length, main.seen.map((body) => body['model'])]).toEqual([0, ['main-3']]);
  });

  it('it is shown with its shape', async () => {
    const answer = await fetch(`${server.url}/api/v1/agents`);
    const { data } = (await answer.json()) as { data: Record<string, unknown>[] };
    const of = (name: string): unknown => data.find((agent) => agent['name'] === name);
    expect(of('orders')).toMatchObject({
      tools: ['get_o*', 'local/cancel_order'],
      model: 'fast',
      modelOptions: { temperature: 0.25, maxTokens: 300 },
      maxSteps: 2,
    });
    expect(of('desk')).toMatchObject({ tools: null, model: 'main-1', modelOptions: {}, maxSteps: 12 });
    const policy = (agent: string): ReturnType<typeof post> =>
      post('/api/v1/tools/refund/policy', { agent, arguments: {} });
    expect([(await policy('orders')).status, (await policy('desk')).status]).toEqual([404, 200]);
  });

  it('health names the models to operators', async () => {
    const answer = await fetch(`${server.url}/health`);
    expect(await answer.json()).toMatchObject({
      models: [{ name: 'fast', kind: 'openai-compatible', model: 'fast-1', profile: 'vllm' }],
    });
  });
});

describe('the shape of an agent that cannot be used', () => {
  const models = JSON.stringify({ fast: { baseUrl: 'http://127.0.0.1:1/v1', model: 'm', agents: ['other'] } });

  it.each<[object, string]>([
    [{ model: 'fast' }, 'The agent "odd" may not use the model "fast" (LLM_MODELS)'],
    [{ maxSteps: 0 }, 'The agent "odd": maxSteps must be a whole number from 1 to 1000'],
    [{ tools: [''] }, 'The agent "odd": tools must be a list of texts of 1 to 256 characters'],
    [{ modelOptions: { temperature: 3 } }, 'modelOptions.temperature must be a number from 0 to 2'],
    [{ modelOptions: { temprature: 1 } }, 'modelOptions.temprature does not exist: use temperature,'],
  ])('%j stops the start', async (options, message) => {
    @AgentType({ name: 'odd', description: '', exposure: 'public', ...options })
    class OddAgent implements Agent {
      async *run(): ReturnType<Agent['run']> {
        yield undefined;
      }
    }
    await expect(startServer({ env: { LLM_MODELS: models }, providers: [OddAgent] })).rejects.toThrow(message);
  });

  it('a profile or a rule of a model that does not exist stops the start', async () => {
    const start = (more: object): Promise<TestServer> =>
      startServer({
        env: { LLM_MODELS: JSON.stringify({ fast: { baseUrl: 'http://127.0.0.1:1/v1', model: 'm', ...more } }) },
      });
    await expect(start({ profile: 'gpt5' })).rejects.toThrow('LLM_MODELS fast.profile must be generic');
    await expect(start({ compat: { limit: 1 } })).rejects.toThrow('LLM_MODELS fast.compat cannot be used');
    await expect(start({ provider: 'xai' })).rejects.toThrow('LLM_MODELS fast needs the package @ai-sdk/xai');
  });
});

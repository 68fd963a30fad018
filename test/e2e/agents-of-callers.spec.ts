import { randomUUID } from 'node:crypto';
import { RestartingCodeAgent } from '../support/code-agents.js';
import { apiKey, bearer } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

const WRITE = ['runs:write', 'runs:read'];
const message = { id: 'm', role: 'user', content: 'Hello' };

/** A key for the agents of these scopes. */
type KeyOf = (...agents: string[]) => Promise<string>;

/** `worker` is the default agent, `code-restart` another public one, `memory` internal (contract access, section 5.3). */
describe('the agents of a caller', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ env: { AUTH: 'keys' }, providers: [RestartingCodeAgent] });
  });
  afterAll(() => server.close());

  const keyOf: KeyOf = (...agents) =>
    apiKey(server, { account: `a-${randomUUID()}`, scopes: [...WRITE, ...agents.map((name) => `agents:${name}`)] });

  async function ask(key: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const answer = await fetch(server.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { ...bearer(key), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  async function listed(key: string): Promise<Record<string, string[]>> {
    const read = async (path: string, body?: object): Promise<unknown> => JSON.parse((await ask(key, path, body)).text);
    const models = (await read('/v1/models')) as { data: { id: string }[] };
    const info = (await read('/copilotkit/info')) as { agents: object };
    const called = (await read('/copilotkit', { method: 'info' })) as { agents: object };
    const bots = (await read('/v1/aibot/bots')) as { botList: { botId: string }[] };
    expect(called.agents).toEqual(info.agents);
    return {
      models: models.data.map(({ id }) => id),
      info: Object.keys(info.agents),
      bots: bots.botList.map(({ botId }) => botId),
    };
  }

  it.each([
    ['without agents:', [], ['worker', 'code-restart']],
    ['with agents:*', ['*'], ['worker', 'code-restart']],
    ['with agents:code-*', ['code-*'], ['code-restart']],
    ['with agents:mem*', ['mem*'], []],
    ['with agents:memory', ['memory'], ['memory']],
  ])('a key %s is shown the agents that it may run', async (_, scopes, expected) => {
    const { models, info, bots } = await listed(await keyOf(...scopes));
    expect([new Set(models), new Set(bots)]).toEqual([new Set(expected), new Set(expected)]);
    expect(new Set(info)).toEqual(new Set(expected.includes('worker') ? ['default', ...expected] : expected));
  });

  /** A request for an agent on each wire that names one. */
  const runs = (agent: string): [wire: string, path: string, body?: object][] => {
    const [threadId, runId] = [randomUUID(), randomUUID()];
    const agUi = { threadId, runId, messages: [message], tools: [], context: [], state: {} };
    return [
      ['ag-ui', `/ag-ui/${agent}`, agUi],
      ['ag-ui body', '/ag-ui', { ...agUi, runId: 'r2', forwardedProps: { agent_type: agent } }],
      ['copilotkit', `/copilotkit/agent/${agent}/run`, { ...agUi, runId: 'r3' }],
      ['ag-kit', `/v1/aibot/bots/${agent}/send-message`, { msg: 'Hello', conversationId: randomUUID() }],
      [
        'runs',
        '/api/v1/agent/runs',
        { ...agUi, threadId: randomUUID(), runId: randomUUID(), forwardedProps: { agent_type: agent } },
      ],
    ];
  };
  const reads = (agent: string): [wire: string, path: string, body?: object][] => [
    ['model', `/v1/models/${agent}`],
    ['bot', `/v1/aibot/bots/${agent}`],
    ['records', `/v1/aibot/bots/${agent}/records`],
    ['conversations', `/v1/aibot/bots/${agent}/conversation`],
    ['connect', `/copilotkit/agent/${agent}/connect`, { threadId: 't', runId: 'c', messages: [] }],
    ['stop', `/copilotkit/agent/${agent}/stop/t`, {}],
  ];

  it.each([
    ['a public one', 'worker', 'code-*'],
    ['an internal one without a scope', 'memory', '*'],
  ])('an agent that a caller may not run is unknown: %s', async (_, agent, scope) => {
    const key = await keyOf(scope);
    const unknown = new Map([...runs('nobody'), ...reads('nobody')].map(([wire, ...request]) => [wire, request]));
    const named = new RegExp(`${agent}|nobody`, 'g');
    const anonymised = (text: string): string => text.replace(named, 'X').replace(/"requestId":"[^"]*"/, '');
    for (const [wire, path, body] of [...runs(agent), ...reads(agent)]) {
      const [otherPath = '', otherBody] = unknown.get(wire) ?? [];
      const [refused, other] = [await ask(key, path, body), await ask(key, otherPath, otherBody)];
      expect([wire, refused.status >= 400 && refused.status < 500]).toEqual([wire, true]);
      expect([wire, refused.status, anonymised(refused.text)]).toEqual([wire, other.status, anonymised(other.text)]);
    }
  });

  it.each(runs('memory').map(([wire], index) => [wire, index]))(
    'a key that names an internal agent starts it: %s',
    async (_, index) => {
      const [, path = '', body] = runs('memory')[index] ?? [];
      const started = await ask(await keyOf('memory'), path, body);
      expect([200, 202]).toContain(started.status);
    },
  );

  it('the default agent is refused to a caller that may not run it, whether or not it is named', async () => {
    const key = await keyOf('code-*');
    const input = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
    const answers = [
      await ask(key, '/process', { input }),
      await ask(key, '/v1/responses', { model: 'any', input: 'Hello' }),
      await ask(key, '/v1/responses', { model: 'worker', input: 'Hello' }),
      await ask(key, '/copilotkit/agent/default/run', { threadId: 't', runId: 'r', messages: [message] }),
      await ask(key, '/send-message', { conversationId: 'c', messages: [message] }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  });
});

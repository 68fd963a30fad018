import { AppError } from '../../src/common/index.js';
import { behaviour, JournalingCodeAgent, say } from '../support/code-agents.js';
import { startServer, type TestServer } from '../support/server.js';

describe('the settings of AG-Kit', () => {
  let server: TestServer;

  beforeAll(async () => {
    const env = {
      DEFAULT_AGENT: 'code-journal',
      AG_KIT_DIALECTS: 'worker=bot, code-journal=ag-kit, *=ag-ui',
      AG_KIT_ERROR_TEXT: 'Sorry, try later.',
    };
    server = await startServer({ env, providers: [JournalingCodeAgent] });
    behaviour.current = async function* (context) {
      yield say(context, `You said ${context.inputText}.`);
    };
  });
  afterAll(() => server.close());

  const post = async (path: string, body: object) => {
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, runId: answer.headers.get('x-run-id'), text: await answer.text() };
  };
  const messages = [{ role: 'user', content: 'hi' }];

  it.each(['/send-message', '/v1/aibot/bots/code-journal/send-message'])(
    'the dialect of an agent can be fixed at %s',
    async (path) => {
      const both = await post(path, { conversationId: `c ${path}`, threadId: 't', messages });
      expect(both.text).toBe('data: {"type":"text","content":"You said hi."}\n\ndata: [DONE]\n\n');
      const thread = await post(path, { threadId: 't', messages });
      expect([thread.status, JSON.parse(thread.text)]).toMatchObject([400, { code: 'INVALID_ARGUMENT' }]);
      expect(thread.text).toContain('conversationId is required');
    },
  );

  it('each agent can have its own dialect', async () => {
    const bots = '/v1/aibot/bots/worker/send-message';
    expect(await post(bots, { threadId: 't', messages })).toMatchObject({ status: 400 });
    expect((await post(bots, { msg: 'hi', threadId: 't' })).text).toContain('"finish_reason":"stop"');
  });

  it('an error text is shown to clients that cannot show errors, also to watchers', async () => {
    behaviour.current = async function* () {
      await Promise.resolve();
      throw new AppError('AGENT_ERROR', 'The agent is tired');
      yield undefined;
    };
    const { runId, text } = await post('/send-message', { conversationId: 'failing', messages });
    const events = ['{"type":"text","content":"Sorry, try later."}', '{"type":"error","error":"The agent is tired"}'];
    expect(text).toBe([...events, '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
    const watched = await fetch(`${server.url}/runs/${runId}/events?protocol=ag-kit`);
    expect(await watched.text()).toBe(text);
  });
});

import { randomUUID } from 'node:crypto';
import { userSays as user } from '../../support/chats.js';
import { startServer, type TestServer } from '../../support/server.js';

/** What is not understood is refused by name, and nothing changes (contract ui-message-stream, section A6). */
describe('refused requests of the AI SDK', () => {
  let server: TestServer;
  const id = randomUUID();

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  async function post(path: string, body: object): Promise<{ status: number; body: unknown }> {
    const answered = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answered.status, body: await answered.json() };
  }

  it.each([
    ['no id', { id: undefined }, 'id'],
    ['the id of the routes', { id: 'agents' }, 'id'],
    ['control characters in the id', { id: 'a\u0007' }, 'id'],
    ['no messages', { messages: undefined }, 'messages'],
    ['an empty list', { messages: [] }, 'messages'],
    ['no object', { messages: [1] }, 'messages[0]'],
    ['no id of the message', { messages: [{ role: 'user', parts: [] }] }, 'messages[0].id'],
    ['an unknown role', { messages: [{ id: 'a', role: 'system', parts: [] }] }, 'messages[0].role'],
    ['no usable part', { messages: [{ id: 'a', role: 'user', parts: [{ type: 'x' }] }] }, 'messages[0].parts'],
    [
      'a file without its type',
      { messages: [{ id: 'a', role: 'user', parts: [{ type: 'file', url: 'https://a.example/b' }] }] },
      'messages[0].parts[0].mediaType',
    ],
    [
      'a file of another scheme',
      { messages: [{ id: 'a', role: 'user', parts: [{ type: 'file', url: 'file:///etc', mediaType: 'a/b' }] }] },
      'messages[0].parts[0].url',
    ],
    ['an unknown trigger', { trigger: 'x' }, 'trigger'],
    ['another type of message id', { messageId: 1 }, 'messageId'],
    ['nothing to generate again', { trigger: 'regenerate-message' }, 'messageId'],
    ['a tool without a name', { tools: [{}] }, 'tools[0].name'],
  ])('%s is a 400 that names the field', async (_, change, path) => {
    const refused = await post('/ai-sdk', { id, messages: [user('m1', 'hello')], ...change });
    expect([refused.status, refused.body]).toMatchObject([400, { details: [{ path }] }]);
    const listed = await fetch(`${server.url}/ai-sdk/${encodeURIComponent(id)}/messages`);
    expect(await listed.json()).toEqual({ messages: [], activeRunId: null });
  });

  it('a level that does not exist is a 400', async () => {
    const refused = await post('/ai-sdk?sdk=8', { id, messages: [user('m1', 'hello')] });
    expect([refused.status, refused.body]).toMatchObject([400, { details: [{ path: 'sdk' }] }]);
  });

  it.each([
    ['a list', '[]'],
    ['a number', '1'],
    ['no JSON', '{"id":'],
    ['nothing', ''],
  ])('a body that is %s names the field that is looked for first', async (_, body) => {
    const headers = { 'content-type': 'application/json' };
    const refused = await fetch(`${server.url}/ai-sdk`, { method: 'POST', headers, body });
    expect([refused.status, await refused.json()]).toMatchObject([400, { details: [{ path: 'id' }] }]);
  });

  it.each(['stream', 'messages'])('the %s of a chat with the id of the routes is a 400', async (last) => {
    const refused = await fetch(`${server.url}/ai-sdk/agents/${last}`);
    expect([refused.status, await refused.json()]).toMatchObject([400, { details: [{ path: 'id' }] }]);
  });
});

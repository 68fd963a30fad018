import { randomUUID } from 'node:crypto';
import { type Agent, AgentType } from '../../../src/agent/index.js';
import { chatMessages, chatRequest, userSays as user } from '../../support/chats.js';
import { startServer, type TestServer } from '../../support/server.js';

@AgentType({ name: 'silent', description: 'Says nothing.', exposure: 'public' })
class SilentAgent implements Agent {
  async *run(): ReturnType<Agent['run']> {}
}

/** The messages of a chat (contract ui-message-stream, section B1). */
describe('messages of the AI SDK', () => {
  let server: TestServer;
  let id = '';

  beforeAll(async () => {
    server = await startServer({ providers: [SilentAgent], env: { AI_SDK_REPLAY_WINDOW_MS: '0', IMAGE_URLS: 'any' } });
  });
  beforeEach(() => (id = randomUUID()));
  afterAll(() => server.close());

  const post = (body: object) => chatRequest(server, '/ai-sdk', { id, ...body });
  const messages = (query = '') => chatMessages(server, id, query);

  it('pages of messages end before a message', async () => {
    for (const n of [1, 2, 3]) await post({ messages: [user(`m${n}`, `word ${n}`)] });
    const all = (await messages()).messages;
    expect((await messages('?limit=2')).messages).toEqual(all.slice(-2));
    expect((await messages('?before=m3')).messages).toEqual(all.slice(0, 4));
    expect((await messages(`?limit=2&before=${all[3]?.id}`)).messages).toEqual(all.slice(1, 3));
    expect((await messages('?before=unknown')).messages).toEqual([]);
  });

  it('parts that only the page understands, files and metadata come back', async () => {
    const parts = [
      { type: 'data-place', data: { city: 'Paris' } },
      { type: 'text', text: 'look' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' },
    ];
    const message = { id: 'm1', role: 'user', metadata: { from: 'page' }, parts };
    const { status } = await post({ messages: [message] });
    expect(status).toBe(200);
    expect((await messages()).messages[0]).toMatchObject({ metadata: { from: 'page' }, parts });
  });

  it('files of users keep their names and types, also those of an import and of an upload', async () => {
    const url = 'https://example.org/download?id=1';
    const parts = [
      { type: 'file', mediaType: 'image/png', filename: 'map.png', url },
      { type: 'text', text: '' },
      { type: 'file', mediaType: 'audio/mpeg', filename: 'word.mp3', url: 'data:audio/mpeg;base64,AAAA' },
      { type: 'file', mediaType: 'video/mp4', filename: 'trip.mp4', url },
      { type: 'file', mediaType: 'text/plain', url },
      { type: 'text', text: 'look' },
    ];
    const history = [
      { id: 'h1', role: 'user', parts },
      { id: 'h2', role: 'assistant', parts: [{ type: 'text', text: 'Nice.', state: 'done' }, parts[0]] },
    ];
    expect((await post({ messages: [...history, { id: 'm1', role: 'user', parts }] })).status).toBe(200);
    const { messages: all } = await messages();
    expect(all.slice(0, 3).map((message) => message.parts)).toEqual([parts, history[1]?.parts, parts]);
  });

  it('a run that said nothing is a message without parts, as clients have it', async () => {
    const { chunks } = await post({ messages: [user('m1', 'hello')], agentId: 'silent' });
    expect(chunks.map(({ type }) => type)).toEqual(['start', 'finish']);
    expect((await messages()).messages[1]).toMatchObject({ id: chunks[0]?.['messageId'], parts: [] });
  });
});

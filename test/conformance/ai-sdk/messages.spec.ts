import { randomUUID } from 'node:crypto';
import { chatMessages, chatRequest, userSays as user } from '../../support/chats.js';
import { startServer, type TestServer } from '../../support/server.js';

/** The messages of a chat (contract ui-message-stream, section B1). */
describe('messages of the AI SDK', () => {
  let server: TestServer;
  let id = '';

  beforeAll(async () => {
    server = await startServer({ env: { AI_SDK_REPLAY_WINDOW_MS: '0' } });
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
});

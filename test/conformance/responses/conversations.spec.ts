import { openaiClient, openaiUrl, toolScript } from '../../support/openai-client.js';
import { startServer, type TestServer } from '../../support/server.js';

describe('conversations on the Responses API', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({
      model: (upstream) => {
        upstream.onMessage('plain text', { content: 'The sky is blue today.' });
        toolScript(
          upstream,
          'server tool',
          [{ name: 'get_weather', arguments: '{"city":"Paris"}', id: 'c1' }],
          'Fine.',
        );
      },
    });
  });
  afterAll(() => server.close());

  it('removing a call of the server removes its result too', async () => {
    const { conversations, responses } = openaiClient(server);
    const { id } = await conversations.create();
    const { output } = await responses.create({ model: 'x', conversation: id, input: 'server tool' });
    const call = output.find(({ type }) => type === 'mcp_call');
    await conversations.items.delete(call?.id ?? '', { conversation_id: id });
    const items = await conversations.items.list(id);
    expect(items.data.map(({ type }) => type)).toEqual(['message', 'message']);
  });

  it('an update without metadata keeps the metadata', async () => {
    const { conversations } = openaiClient(server);
    const { id } = await conversations.create({ metadata: { topic: 'cats' } });
    const update = fetch(`${openaiUrl(server)}/conversations/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    const { status } = await update;
    expect(status).toBe(400);
    expect((await (await update).json()) as object).toMatchObject({
      error: { param: 'metadata', code: 'missing_required_parameter' },
    });
    expect((await conversations.retrieve(id)).metadata).toEqual({ topic: 'cats' });
  });

  it('cancelling and deleting need no body, even if JSON is declared', async () => {
    const declared = { headers: { 'content-type': 'application/json' } };
    const { id: conversation } = await openaiClient(server).conversations.create();
    const background = { model: 'x', input: 'plain text', conversation, background: true };
    const { id } = await openaiClient(server).responses.create(background);
    const cancelled = await fetch(`${openaiUrl(server)}/responses/${id}/cancel`, { method: 'POST', ...declared });
    expect(cancelled.status).toBe(200);
    const deleted = await fetch(`${openaiUrl(server)}/responses/${id}`, { method: 'DELETE', ...declared });
    expect(await deleted.json()).toEqual({ id, object: 'response', deleted: true });
    const gone = await fetch(`${openaiUrl(server)}/conversations/${conversation}`, { method: 'DELETE', ...declared });
    expect(gone.status).toBe(200);
  });
});

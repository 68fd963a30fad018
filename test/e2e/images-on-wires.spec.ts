import { randomUUID } from 'node:crypto';
import { AttachmentExpiry } from '../../src/agent/attachment/index.js';
import { itWithoutAuthentication } from '../support/caller.js';
import { describeOnDatabases } from '../support/databases.js';
import { GoldenTools } from '../support/golden-scripts.js';
import { png } from '../support/images.js';
import { apiKey, bearer } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';
import { jsonFrames } from '../support/sse.js';
import { type Send, WIRE_TALKS } from '../support/wire-talks.js';

const TWO_DAYS_MS = 2 * 86_400_000;

describeOnDatabases('an uploaded image', (open) => {
  let server: TestServer;
  /** Milliseconds that the server's clock is ahead. */
  let ahead = 0;
  const realNow = Date.now.bind(Date);

  beforeAll(async () => {
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + ahead);
    const call = { name: 'open_window', arguments: '{"room":"kitchen"}', id: 'c1' };
    server = await startServer({
      database: open,
      model: (upstream) => {
        const asks = ({ messages }: { messages: unknown[] }) => JSON.stringify(messages).includes('open the window');
        upstream.on({ predicate: asks }, { toolCalls: [call] });
        upstream.on({ predicate: () => true }, { content: 'I see it.' });
      },
      providers: [GoldenTools],
    });
  });
  afterEach(() => (ahead = 0));
  afterAll(async () => {
    await server.close();
    jest.restoreAllMocks();
  });

  async function upload(bytes: Buffer, query = '', headers: Record<string, string> = {}): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'picture.png');
    const path = `${server.url}/api/v1/agent/attachments${query}`;
    const answer = await fetch(path, { method: 'POST', body: form, headers });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { url: string }).url;
  }

  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text(), runId: answer.headers.get('x-run-id') };
  };
  const send: Send = async (path, body, headers) => {
    const { status, text } = await post(path, body, headers);
    expect([path, status < 300 ? '' : text]).toEqual([path, '']);
    return text;
  };
  /** The id of the first item in a list. */
  const firstItem = async (path: string): Promise<string> => {
    const { data } = (await (await fetch(server.url + path)).json()) as { data: { id: string }[] };
    return data[0]?.id ?? 'none';
  };
  const told = (): string => JSON.stringify(server.modelServer.getLastRequest()?.body);
  const addressIn = (frames: readonly Record<string, unknown>[]): string => {
    const snapshot = frames.find(({ type }) => type === 'MESSAGES_SNAPSHOT') as {
      messages: { content: { source?: { value: string } }[] }[];
    };
    return snapshot.messages[0]?.content[0]?.source?.value ?? 'none';
  };
  const inline = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`;

  itWithoutAuthentication.each(Object.entries(WIRE_TALKS))(
    'is told to the model and shown to readers after its address has expired, over %s',
    async (_, talkOver) => {
      const bytes = png(6, 6, Math.floor(Math.random() * 250));
      const talk = talkOver(send, firstItem);
      await talk.say('Look', await upload(bytes));
      expect(told()).toContain(inline(bytes));
      expect(told()).not.toMatch(/sig=|agent-inputs|parley-attachment/);
      ahead += TWO_DAYS_MS;
      await server.get(AttachmentExpiry).removeExpired();
      await talk.say('And now?');
      expect(told().split(inline(bytes))).toHaveLength(2);
      expect(told()).not.toMatch(/sig=|agent-inputs|parley-attachment/);
      for (const { method = 'GET', path, body } of talk.shownAt) {
        const answer = await fetch(`${server.url}${path}`, {
          method,
          ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        const [url = 'none'] = /http[^"]*\/attachments\/[^"]*/.exec(text) ?? [];
        expect([path, (await fetch(url.replaceAll('\\u0026', '&'))).status]).toEqual([path, 200]);
        expect(text).not.toContain('parley-attachment');
      }
    },
  );

  itWithoutAuthentication('is shown anew in the snapshot of messages of AG-UI', async () => {
    const value = await upload(png(3, 3, 7));
    const parts = [
      { type: 'image', source: { type: 'url', value } },
      { type: 'text', text: 'open the window' },
    ];
    const messages = [{ id: 'u1', role: 'user', content: parts }];
    const rest = { tools: [], context: [], state: {}, forwardedProps: {} };
    const { text, runId } = await post('/ag-ui', { threadId: randomUUID(), runId: 'r1', messages, ...rest });
    const frames = jsonFrames(text);
    expect(addressIn(frames)).toMatch(/sig=/);
    ahead += TWO_DAYS_MS;
    const later = jsonFrames(await (await fetch(`${server.url}/runs/${runId}/events?protocol=ag-ui`)).text());
    expect((await fetch(addressIn(later))).status).toBe(200);
  });

  // The Runs API names its user, and refuses uploads of others.
  itWithoutAuthentication.each(Object.entries(WIRE_TALKS).filter(([name]) => name !== 'the Runs API'))(
    'of whom it is does not matter without authentication, over %s',
    async (_, talkOver) => {
      const bytes = png(5, 5, Math.floor(Math.random() * 250));
      await talkOver(send, firstItem).say('Look', await upload(bytes, '?user_id=alice'));
      expect(told()).toContain(inline(bytes));
    },
  );

  itWithoutAuthentication('that was deleted is refused in a new message', async () => {
    const url = await upload(png(4, 4));
    ahead += TWO_DAYS_MS;
    await server.get(AttachmentExpiry).removeExpired();
    const content = [{ type: 'image', image_url: url }];
    const { status, text } = await post('/process', { input: [{ role: 'user', content }] });
    expect([status, JSON.parse(text)]).toMatchObject([400, { code: 'INVALID_PARAMETER' }]);
    const item = { role: 'user', content: [{ type: 'input_image', image_url: url }] };
    expect((await post('/v1/conversations', { items: [item] })).status).toBe(400);
  });

  describe('with authentication', () => {
    let secured: TestServer;
    beforeAll(async () => {
      secured = await startServer({
        database: open,
        env: { AUTH: 'keys' },
        model: (upstream) => void upstream.on({ predicate: () => true }, { content: 'I see it.' }),
      });
    });
    afterAll(() => secured.close());

    it('of another user is refused, and nothing of it is told', async () => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(png(8, 8))], { type: 'image/png' }), 'picture.png');
      const headers = bearer(await apiKey(secured, { user: 'alice', scopes: ['runs:write', 'runs:read'] }));
      const uploads = `${secured.url}/api/v1/agent/attachments`;
      const { url } = (await (await fetch(uploads, { method: 'POST', body: form, headers })).json()) as { url: string };
      const input = [{ role: 'user', content: [{ type: 'image', image_url: url }] }];
      const ask = async (user: string): Promise<number> => {
        const key = bearer(await apiKey(secured, { user, scopes: ['runs:write', 'runs:read'] }));
        const answer = await fetch(`${secured.url}/process`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...key },
          body: JSON.stringify({ input, stream: false }),
        });
        return answer.status;
      };
      expect(await ask('bob')).toBe(400);
      expect(secured.modelServer.getRequests()).toEqual([]);
      expect(await ask('alice')).toBe(200);
      expect(JSON.stringify(secured.modelServer.getLastRequest()?.body)).toContain(inline(png(8, 8)));
    });
  });
});

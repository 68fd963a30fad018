import { randomUUID } from 'node:crypto';
import { Database } from '../../src/database/index.js';
import { png } from '../support/images.js';
import { apiKey, bearer } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

const FOREIGN = 'http://169.254.169.254/latest/meta-data';
const PICTURE = `data:image/png;base64,${png(1, 1).toString('base64')}`;

/** A request with an address of an image or a file. */
interface Sending {
  readonly path: string;
  readonly body: object;
  /** What the error names. */
  readonly field: string;
}

const agUi = (url: string): object => ({
  threadId: randomUUID(),
  runId: 'run-1',
  messages: [{ id: 'm-1', role: 'user', content: [{ type: 'image', source: { type: 'url', value: url } }] }],
});

const chat = (...files: (readonly [mediaType: string, url: string])[]): object => ({
  id: randomUUID(),
  messages: files.map(([mediaType, url], at) => ({
    id: `m-${at}`,
    role: 'user',
    parts: [
      { type: 'text', text: 'Look' },
      { type: 'file', mediaType, url },
    ],
  })),
});

/** How clients of the wires send addresses. */
const SENDINGS: Readonly<Record<string, (url: string) => Sending>> = {
  'the Agent API': (image_url) => ({
    path: '/process',
    body: {
      session_id: randomUUID(),
      input: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', image_url },
          ],
        },
      ],
    },
    field: 'input[0].content[1].image_url',
  }),
  'the Agent API, a file': (file_url) => ({
    path: '/process',
    body: { session_id: randomUUID(), input: [{ role: 'user', content: [{ type: 'file', file_url }] }] },
    field: 'input[0].content[0].file_url',
  }),
  Responses: (image_url) => ({
    path: '/v1/responses',
    body: { model: 'default', input: [{ role: 'user', content: [{ type: 'input_image', image_url }] }] },
    field: 'input[0].content[0].image_url',
  }),
  'Responses, a file': (file_url) => ({
    path: '/v1/responses',
    body: { model: 'default', input: [{ role: 'user', content: [{ type: 'input_file', file_url }] }] },
    field: 'input[0].content[0].file_url',
  }),
  'Chat Completions': (url) => ({
    path: '/v1/chat/completions',
    body: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    },
    field: 'messages[1].content[1].image_url',
  }),
  'the items of a conversation': (image_url) => ({
    path: '/v1/conversations',
    body: { items: [{ role: 'user', content: [{ type: 'input_image', image_url }] }] },
    field: 'items[0].content[0].image_url',
  }),
  'the AI SDK': (url) => ({
    path: '/ai-sdk',
    body: chat(['image/png', url]),
    field: 'messages[0].parts[1].url',
  }),
  'the AI SDK, a video': (url) => ({
    path: '/ai-sdk',
    body: chat(['video/mp4', url]),
    field: 'messages[0].parts[1].url',
  }),
  'the AI SDK, an imported file': (url) => ({
    path: '/ai-sdk',
    body: chat(['application/pdf', url], ['image/png', PICTURE]),
    field: 'messages[0].parts[1].url',
  }),
  'AG-UI': (url) => ({ path: '/ag-ui', body: agUi(url), field: 'messages[0].content[0].image_url' }),
  CopilotKit: (url) => ({
    path: '/copilotkit/agent/default/run',
    body: agUi(url),
    field: 'messages[0].content[0].image_url',
  }),
};

async function post(server: TestServer, { path, body }: Sending, key?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && bearer(key)) };
  return fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Sends a request and returns the status; the answer is read to its end. */
async function status(server: TestServer, sending: Sending, key?: string): Promise<number> {
  const answer = await post(server, sending, key);
  await answer.text();
  return answer.status;
}

/** Which addresses messages may have (contract access, section 10, rule 1). */
describe('addresses of images and files in messages, with authentication', () => {
  let server: TestServer;
  let key: string;

  beforeAll(async () => {
    server = await startServer({ env: { AUTH: 'keys' } });
    key = await apiKey(server);
  });
  afterAll(() => server.close());

  describe.each(Object.entries(SENDINGS))('over %s', (_, sending) => {
    it('are refused with 400 before anything is written, and the field is named', async () => {
      const given = sending(FOREIGN);
      const answer = await post(server, given, key);
      expect(answer.status).toBe(400);
      expect(answer.headers.get('content-type')).toContain('application/json');
      expect(await answer.text()).toContain(given.field);
      const runs = await server.get(Database).read.all(`SELECT 1 FROM runs WHERE request LIKE '%169.254%'`);
      const messages = await server.get(Database).read.all(`SELECT 1 FROM messages WHERE body LIKE '%169.254%'`);
      expect([runs, messages]).toEqual([[], []]);
    });

    it('may be data: URLs', async () => {
      const answered = await status(server, sending(PICTURE), key);
      expect(answered).toBe(200);
    });
  });

  it('are ignored in messages of the assistant, which clients send back', async () => {
    const content = [{ type: 'image', image_url: FOREIGN }];
    const input = [
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'text', text: 'Again' }] },
    ];
    const sending = { path: '/process', body: { session_id: randomUUID(), input }, field: '' };
    expect(await status(server, sending, key)).toBe(200);
  });

  it('may be signed URLs of the server, at the address of the server only', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(png(1, 1))], { type: 'image/png' }), 'dot.png');
    const uploaded = await fetch(`${server.url}/api/v1/agent/attachments`, {
      method: 'POST',
      headers: bearer(key),
      body: form,
    });
    const { url } = (await uploaded.json()) as { url: string };
    const send = (address: string): Promise<number> =>
      status(server, SENDINGS['the Agent API']?.(address) ?? ({} as Sending), key);
    expect(await send(url)).toBe(200);
    const elsewhere = new URL(url);
    elsewhere.host = '10.0.0.1';
    expect(await send(elsewhere.href)).toBe(400);
    const local = new URL(url);
    local.port = '1';
    expect(await send(local.href)).toBe(400);
    expect(await send(`${server.url}/docs`)).toBe(400);
    expect(await send(` ${FOREIGN}`)).toBe(400);
  });
});

describe.each<[NodeJS.ProcessEnv, string, number]>([
  [{ AUTH: 'none' }, FOREIGN, 200],
  [{ AUTH: 'none', IMAGE_URLS: 'own' }, FOREIGN, 400],
  [{ AUTH: 'keys', IMAGE_URLS: 'any' }, FOREIGN, 200],
  [
    { AUTH: 'keys', IMAGE_URLS: 'hosts', IMAGE_URL_HOSTS: 'img.example.org' },
    'https://IMG.example.org:8443/a.png',
    200,
  ],
  [{ AUTH: 'keys', IMAGE_URLS: 'hosts', IMAGE_URL_HOSTS: 'img.example.org' }, 'https://a.img.example.org/a.png', 400],
  [
    { AUTH: 'keys', IMAGE_URLS: 'hosts', IMAGE_URL_HOSTS: 'img.example.org' },
    'https://img.example.org@evil.example/',
    400,
  ],
])('with %j', (env, url, expected) => {
  it(`the address ${url} is answered with ${expected}`, async () => {
    const server = await startServer({ env });
    const key = env['AUTH'] === 'keys' ? await apiKey(server) : undefined;
    const sending = SENDINGS['the Agent API']?.(url) ?? ({} as Sending);
    expect(await status(server, sending, key)).toBe(expected);
    await server.close();
  });
});

it('IMAGE_URLS=hosts without hosts prevents the start', async () => {
  await expect(startServer({ env: { IMAGE_URLS: 'hosts' } })).rejects.toThrow(/IMAGE_URL_HOSTS/);
});

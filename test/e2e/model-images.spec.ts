import { LLMock } from '@copilotkit/aimock';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { jpeg, png } from '../support/images.js';
import { runInput, RunsClient } from '../support/runs-client.js';
import { S3Server } from '../support/s3-server.js';
import { startServer, type TestServer } from '../support/server.js';

interface ModelRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

const dataUrl = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString('base64')}`;

describe.each(['local', 's3'] as const)('images for the model, stored in the %s store', (kind) => {
  let database: TestDatabase;
  let upstream: LLMock;
  let bucket: S3Server;
  let server: TestServer;
  let client: RunsClient;

  const boot = (env: NodeJS.ProcessEnv = {}) =>
    startServer({
      database,
      env: {
        ...(kind === 's3' && bucket.env),
        LLM_BASE_URL: `${upstream.url}/v1`,
        LLM_API_KEY: 'sk-test',
        LLM_MAX_RETRIES: '0',
        ...env,
      },
    });

  beforeAll(async () => {
    upstream = new LLMock({ port: 0 });
    upstream.on({ predicate: () => true }, { content: 'I see it.' });
    await upstream.start();
    bucket = await S3Server.start();
    database = await sqliteDatabase();
  });
  beforeEach(async () => {
    server = await boot();
    client = new RunsClient(server.url);
    upstream.clearRequests();
  });
  afterEach(() => server.close());
  afterAll(async () => {
    await upstream.stop();
    await bucket.close();
    await database.drop();
  });

  async function upload(bytes: Buffer, type: string) {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(bytes)], { type }), 'picture');
    const answer = await fetch(`${server.url}/api/v1/agent/attachments`, { method: 'POST', body: form });
    return { status: answer.status, body: (await answer.json()) as { readonly url: string; readonly code?: string } };
  }

  const asked = (): ModelRequest => upstream.getRequests().at(-1)?.body as unknown as ModelRequest;
  const image = (url: string, mimeType: string) => ({ type: 'binary', mimeType, url });

  it('the model gets the bytes of each image in its place, in this run and in the next', async () => {
    const [first, second] = [png(9, 9, 1), jpeg(5, 6)];
    const [one, two] = [(await upload(first, 'image/png')).body, (await upload(second, 'image/jpeg')).body];
    const content = [
      { type: 'text', text: 'Before' },
      image(one.url, 'image/png'),
      { type: 'text', text: 'between' },
      { type: 'image', source: { type: 'url', value: two.url, mimeType: 'image/jpeg' } },
    ];
    const { threadId } = (await client.submit(runInput('', { messages: [{ id: 'u', role: 'user', content }] }))).body;
    expect((await client.ended(threadId, 'run-1')).status).toBe('succeeded');
    const told = [
      { type: 'text', text: 'Before' },
      { type: 'image_url', image_url: { url: dataUrl('image/png', first) } },
      { type: 'text', text: 'between' },
      { type: 'image_url', image_url: { url: dataUrl('image/jpeg', second) } },
    ];
    expect(asked().messages.filter(({ role }) => role === 'user')).toMatchObject([{ content: told }]);
    expect(JSON.stringify(asked())).not.toMatch(/sig=|agent-inputs|parley-attachment/);

    await client.submit(runInput('And now?', { threadId, runId: 'run-2' }));
    await client.ended(threadId, 'run-2');
    expect(asked().messages.filter(({ role }) => role === 'user')).toMatchObject([
      { content: told },
      { content: 'And now?' },
    ]);
    expect(bucket.objects.size).toBe(kind === 's3' ? 2 : 0);
  });

  it('the model gets an image after its URL has expired', async () => {
    const bytes = png(4, 4, 2);
    const { url } = (await upload(bytes, 'image/png')).body;
    const input = runInput('', { messages: [{ id: 'u', role: 'user', content: [image(url, 'image/png')] }] });
    const { threadId } = (await client.submit(input)).body;
    await client.ended(threadId, 'run-1');
    // The place is kept, not the address: keys that no longer verify it change nothing.
    await server.close();
    server = await boot({ ATTACHMENT_SIGNING_KEYS: `k9:${'another-secret-'.repeat(3)}` });
    client = new RunsClient(server.url);
    await client.submit(runInput('And now?', { threadId, runId: 'run-2' }));
    expect((await client.ended(threadId, 'run-2')).status).toBe('succeeded');
    expect(JSON.stringify(asked())).toContain(dataUrl('image/png', bytes));
    const again = runInput('', { ...input, threadId, runId: 'run-3' });
    expect((await client.json<{ code: string }>('POST', '/runs', again)).body.code).toBe('attachment_url_invalid');
  });

  if (kind === 's3') {
    it('uploads answer 503 and a run fails with an error when the store refuses the credentials', async () => {
      const signed = new URL((await upload(png(), 'image/png')).body.url);
      await server.close();
      server = await boot({ S3_SECRET_ACCESS_KEY: 'a-wrong-secret' });
      client = new RunsClient(server.url);
      // The same key in the same folder: what was signed before is good.
      signed.port = new URL(server.url).port;
      const url = signed.href;
      const refused = await upload(png(), 'image/png');
      expect([refused.status, refused.body]).toMatchObject([
        503,
        { code: 'attachment_store_error', message: 'The attachment store is not available' },
      ]);
      expect(bucket.refusals.at(-1)).toBe('SignatureDoesNotMatch');
      expect((await fetch(url)).status).toBe(503);
      const input = runInput('', { messages: [{ id: 'u', role: 'user', content: [image(url, 'image/png')] }] });
      const { threadId } = (await client.submit(input)).body;
      const view = await client.ended(threadId, 'run-1');
      expect(view).toMatchObject({
        status: 'failed',
        error: { code: 'agent_error', message: 'The attachment store is not available' },
      });
      expect(upstream.getRequests()).toEqual([]);
    });
  }
});

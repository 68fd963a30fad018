import type { HistoryPage } from '../../../src/protocol/runs/history/thread-history.js';
import { describeOnDatabases } from '../../support/databases.js';
import { expectWhole, runInput, RunsClient } from '../../support/runs-client.js';
import { startServer, type TestServer } from '../../support/server.js';

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describeOnDatabases('attachments on the Runs API', (open) => {
  let server: TestServer;
  let client: RunsClient;

  beforeAll(async () => {
    server = await startServer({ database: open });
    client = new RunsClient(server.url);
  });
  afterAll(() => server.close());

  async function upload(): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(PNG)], { type: 'image/png' }), 'dot.png');
    const answer = await fetch(`${server.url}/api/v1/agent/attachments`, { method: 'POST', body: form });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { url: string }).url;
  }

  const asking = (url: string, mimeType = 'image/png') => [
    {
      id: 'u',
      role: 'user',
      content: [
        { type: 'text', text: 'hello' },
        { type: 'binary', mimeType, url },
      ],
    },
  ];

  it('an attachment is accepted by its signed URL, stored by reference, and signed again in the history', async () => {
    const url = await upload();
    const input = runInput('', { messages: asking(url) });
    const { status, body } = await client.submit(input);
    expect(status).toBe(202);
    await client.ended(body.threadId, 'run-1');
    const stream = await (await client.events(body.threadId)).all();
    await expectWhole(stream);
    expect(stream.raw).not.toContain('agent-inputs');
    const { messages } = (await client.json<HistoryPage>('GET', `/history?threadId=${body.threadId}`)).body;
    const [message] = messages;
    if (message?.role !== 'user') throw new Error('no user message');
    expect(message).toMatchObject({ content: 'hello', attachments: [{ mimeType: 'image/png' }] });
    const image = await fetch(message.attachments[0]?.url ?? '');
    expect(Buffer.from(await image.arrayBuffer()).equals(PNG)).toBe(true);
    // The same request is the same run, also when its URL can no longer be verified.
    const worn = { ...input, messages: asking(url.replace(/exp=\d+/, 'exp=1')) };
    expect((await client.submit(worn)).body).toEqual(body);
  });

  it('an attachment is refused if its URL is foreign, unsigned or of another type', async () => {
    const url = await upload();
    const bad = [
      asking(url.replace(/sig=[^&]{4}/, 'sig=AAAA')),
      asking(url.replace(/exp=\d+/, 'exp=1')),
      asking(url, 'image/jpeg'),
      asking(url.split('?')[0] ?? ''),
      asking('parley-attachment:agent-inputs/default/anonymous/2026/01/x.png'),
      asking('http://169.254.169.254/latest/meta-data'),
    ];
    for (const messages of bad) {
      const answer = await client.json<{ code: string }>('POST', '/runs', runInput('', { messages }));
      expect([answer.status, answer.body.code]).toEqual([422, 'attachment_url_invalid']);
    }
  });
});

import { ScriptedMcp } from '../support/mcp-servers.js';
import { startServer, type TestServer } from '../support/server.js';
import { jsonFrames } from '../support/sse.js';
import { BROWSE, ThinkingServer } from '../support/thinking-server.js';

const PNG = 'iVBORw0KGgo=';
const IMAGE = `data:image/png;base64,${PNG}`;

interface Item {
  readonly type: string;
  readonly call_id?: string;
  readonly output?: unknown;
}

describe('images in the results of tools', () => {
  let model: ThinkingServer;
  let mcp: ScriptedMcp;
  let server: TestServer;

  beforeAll(async () => {
    model = await new ThinkingServer().listen();
    mcp = new ScriptedMcp();
    mcp.tools = [
      { name: 'look_at', description: 'Looks', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    ];
    const content = [
      { type: 'text', text: 'A page' },
      { type: 'image', mimeType: 'image/png', data: PNG },
      { type: 'audio', mimeType: 'audio/wav', data: PNG },
    ];
    mcp.call = () => Promise.resolve({ content });
    await mcp.start();
    const servers = { eyes: { url: mcp.url, required: true } };
    server = await startServer({
      env: { ...model.env, MCP_SERVERS: JSON.stringify(servers), MCP_LIST_WAIT_MS: '20000' },
    });
  });
  afterAll(async () => {
    await server.close();
    await model.close();
    await mcp.stop();
  });
  afterEach(() => expect(model.refusals).toEqual([]));

  async function post(path: string, body: object): Promise<string> {
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.text();
  }

  /** The messages after the call in the last request; base64 is in no text. */
  function afterCall(): unknown[] {
    const sent = model.seen.at(-1) ?? [];
    for (const { content } of sent) if (typeof content === 'string') expect(content).not.toContain(PNG);
    return sent.slice(sent.findLastIndex(({ tool_calls: calls }) => calls !== undefined) + 1);
  }
  const shown = (text: string, ...urls: string[]): unknown[] => [
    expect.objectContaining({ role: 'tool', content: text }),
    {
      role: 'user',
      content: [
        { type: 'text', text: expect.stringContaining('of the tool results') as unknown },
        ...urls.map((url) => ({ type: 'image_url', image_url: { url } })),
      ],
    },
  ];

  it('of function_call_output follow the results, and are listed as they were sent', async () => {
    const respond = async (body: object) =>
      JSON.parse(
        await post('/v1/responses', { model: 'default', tools: [{ type: 'function', ...BROWSE }], ...body }),
      ) as {
        id: string;
        status: string;
        output: Item[];
      };
    const first = await respond({ input: 'Browse' });
    const call = first.output.find(({ type }) => type === 'function_call');
    const output = [
      { type: 'input_text', text: 'A page' },
      { type: 'input_image', image_url: IMAGE, detail: 'auto' },
      { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PNG}` },
    ];
    const result = { type: 'function_call_output', call_id: call?.call_id, output };
    const second = await respond({ input: [result], previous_response_id: first.id });
    expect(second.status).toBe('completed');
    expect(afterCall()).toEqual(shown('A page\n[file a.pdf, not shown]\n[image 1 of 1]', IMAGE));
    const listed = await fetch(`${server.url}/v1/responses/${second.id}/input_items`);
    const { data } = (await listed.json()) as { data: Item[] };
    expect(data[0]?.output).toEqual([
      { type: 'input_text', text: 'A page\n[file a.pdf, not shown]' },
      { type: 'input_image', image_url: IMAGE, file_id: null, detail: 'auto' },
    ]);
  });

  it('of AG-UI clients follow the results', async () => {
    const run = (runId: string, messages: readonly object[]): Promise<string> =>
      post('/ag-ui', { threadId: 'images', runId, messages, tools: [BROWSE] });
    const user = { id: 'u1', role: 'user', content: 'Browse' };
    const frames = jsonFrames(await run('1', [user])) as Record<string, string>[];
    const callId = frames.find(({ type }) => type === 'TOOL_CALL_START')?.['toolCallId'] ?? '';
    const call = { id: callId, type: 'function', function: { name: 'browse', arguments: '{"page": 1}' } };
    const source = { type: 'data', value: PNG, mimeType: 'image/png' };
    const content = [
      { type: 'text', text: 'A page' },
      { type: 'image', source },
      { type: 'image', source },
    ];
    await run('2', [
      user,
      { id: 'a1', role: 'assistant', toolCalls: [call] },
      { id: 't1', role: 'tool', toolCallId: callId, content },
    ]);
    expect(afterCall()).toEqual(shown('A page\n[image 1 of 2]\n[image 2 of 2]', IMAGE, IMAGE));
  });

  it('of MCP servers follow the results, in this turn and in later ones, and clients see them', async () => {
    model.called.name = 'look_at';
    const session = { session_id: 'eyes' };
    const text = (words: string): object => ({
      ...session,
      input: [{ role: 'user', content: [{ type: 'text', text: words }] }],
    });
    const stream = await post('/process', text('Look'));
    const result = 'A page\n[audio audio/wav, 8 bytes, not shown]\n[image 1 of 1]';
    expect(afterCall()).toEqual(shown(result, IMAGE));
    expect(stream).toContain(`"image_url":"${IMAGE}"`);
    await post('/process', text('Well?'));
    expect(afterCall().slice(0, 2)).toEqual(shown(result, IMAGE));
  });
});

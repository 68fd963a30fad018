import type OpenAI from 'openai';
import { ScriptedMcp } from '../../support/mcp-servers.js';
import { openaiClient } from '../../support/openai-client.js';
import { startServer, type TestServer } from '../../support/server.js';

const SKY = 'The sky is blue today.';
const NAMED = { tools: [{ type: 'mcp' as const, server_label: 'notes', server_url: 'https://example.org' }] };

/** What clients see of the MCP servers that this server is configured with. */
describe('MCP servers on the Responses API', () => {
  let notes: ScriptedMcp;
  let server: TestServer;
  let client: OpenAI;

  beforeAll(async () => {
    notes = await new ScriptedMcp().start();
    const annotations = { readOnlyHint: true };
    notes.tools = ['note', 'look'].map((name) => ({ name, inputSchema: { type: 'object' }, annotations }));
    const servers = JSON.stringify({ mcpServers: { notes: { url: notes.url } } });
    server = await startServer({
      model: (upstream) => {
        const look = (id: string) => ({ name: 'look', arguments: '{}', id });
        const after = (text: string, results: number) => ({
          predicate: ({ messages }: { messages: readonly { role: string; content?: unknown }[] }) =>
            JSON.stringify(messages).includes(text) &&
            messages.filter(({ role }) => role === 'tool').length === results,
        });
        upstream.on(after('Look once.', 0), { toolCalls: [look('c1')] });
        upstream.on(after('Look twice.', 0), { toolCalls: [look('c2')] });
        upstream.on(after('Look twice.', 1), { toolCalls: [look('c3')] });
        upstream.on({}, { content: SKY });
      },
      env: { MCP_SERVERS: servers },
    });
    client = openaiClient(server);
  });
  afterAll(async () => {
    await server.close();
    await notes.stop();
  });

  const ask = (more: object = {}): Promise<OpenAI.Responses.Response> =>
    client.responses.create({ model: 'x', input: 'How is the sky?', ...more });
  const typesOf = (items: readonly { type: string }[]): string[] => items.map(({ type }) => type);

  it('the answer to a plain question is the first output item', async () => {
    const { output } = await ask();
    expect(typesOf(output)).toEqual(['message']);
    expect(output[0]).toMatchObject({ content: [{ text: SKY }] });
    const stream = client.responses.stream({ model: 'x', input: 'How is the sky?' });
    const seen: string[] = [];
    stream.on('event', ({ type }) => seen.push(type));
    expect(typesOf((await stream.finalResponse()).output)).toEqual(['message']);
    expect(seen.filter((type) => type.includes('mcp'))).toEqual([]);
  });

  it('the tools of a server are listed if the request names the server', async () => {
    const { id, output } = await ask(NAMED);
    const list = { type: 'mcp_list_tools', server_label: 'notes', tools: [{ name: 'note' }, { name: 'look' }] };
    expect(output).toMatchObject([list, { type: 'message' }]);
    expect((await client.responses.retrieve(id)).output).toEqual(output);
    const streamed = await client.responses.stream({ model: 'x', input: 'How is the sky?', ...NAMED }).finalResponse();
    expect(streamed.output).toMatchObject([list, { type: 'message' }]);
  });

  it('tool lists are stored in a conversation only if the client sends them', async () => {
    const { id } = await client.conversations.create();
    const { output } = await ask({ conversation: id, ...NAMED });
    const items = await client.conversations.items.list(id, { order: 'asc' });
    expect(typesOf(items.data)).toEqual(['message', 'message']);
    const [list] = output as OpenAI.Responses.ResponseInputItem[];
    const kept = await client.conversations.create({ items: [list as OpenAI.Responses.ResponseInputItem] });
    expect((await client.conversations.items.list(kept.id)).data).toEqual([list]);
    expect((await ask({ conversation: kept.id })).output_text).toBe(SKY);
  });

  const naming = (more: object): object => ({ tools: [{ type: 'mcp', server_label: 'notes', ...more }] });
  const approving = (id: string, requestId: string, more: object = {}): object => ({
    previous_response_id: id,
    input: [{ type: 'mcp_approval_response', approval_request_id: requestId, approve: true }],
    ...more,
  });

  it.each([
    ['always', ['mcp_list_tools', 'mcp_approval_request']],
    [{ always: { tool_names: ['look'] } }, ['mcp_list_tools', 'mcp_approval_request']],
    [{ never: { tool_names: ['note'] } }, ['mcp_list_tools', 'mcp_approval_request']],
    ['never', ['mcp_list_tools', 'mcp_call', 'message']],
    [{ never: { read_only: true } }, ['mcp_list_tools', 'mcp_call', 'message']],
    [{ always: { tool_names: ['note'] } }, ['mcp_list_tools', 'mcp_call', 'message']],
  ])('require_approval of the request is followed: %j', async (approval, types) => {
    const { output } = await ask({ input: 'Look once.', ...naming({ require_approval: approval }) });
    expect(typesOf(output)).toEqual(types);
  });

  it.each(['repeats its tools', 'brings none'])('every call needs its own approval when the answer %s', async (how) => {
    const tools = naming({ require_approval: 'always' });
    const again = how === 'repeats its tools' ? tools : {};
    const first = await ask({ input: 'Look twice.', ...tools });
    const second = await ask(approving(first.id, first.output.at(-1)?.id ?? '', again));
    expect(typesOf(second.output)).toEqual(['mcp_call', 'mcp_approval_request']);
    const third = await ask(approving(second.id, second.output.at(-1)?.id ?? '', again));
    expect(typesOf(third.output)).toEqual(['mcp_call', 'message']);
  });

  it.each([[['note']], [{ tool_names: ['note'], read_only: true }]])(
    'only the allowed tools are offered: %j',
    async (allowed) => {
      const { output } = await ask({ input: 'Look once.', ...naming({ allowed_tools: allowed }) });
      expect(output).toMatchObject([
        { type: 'mcp_list_tools', tools: [{ name: 'note' }] },
        { type: 'mcp_call', status: 'failed' },
        { type: 'message' },
      ]);
    },
  );

  it.each([
    [{ require_approval: 'sometimes' }, 'require_approval'],
    [{ require_approval: 7 }, 'require_approval'],
    [{ require_approval: { always: { tool_names: 'look' } } }, 'require_approval.always.tool_names'],
    [{ require_approval: { never: { read_only: 'yes' } } }, 'require_approval.never.read_only'],
    [{ allowed_tools: 'look' }, 'allowed_tools'],
    [{ allowed_tools: ['look', 7] }, 'allowed_tools[1]'],
  ])('an invalid MCP tool is refused: %j', async (more, place) => {
    await expect(ask(naming(more))).rejects.toMatchObject({ status: 400, param: `tools[0].${place}` });
  });
});

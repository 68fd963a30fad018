import type OpenAI from 'openai';
import { ScriptedMcp } from '../../support/mcp-servers.js';
import { bootResponses, type ResponsesServer } from '../../support/responses-server.js';

const SKY = 'The sky is blue today.';
const NAMED = { tools: [{ type: 'mcp' as const, server_label: 'notes', server_url: 'https://example.org' }] };

/** What clients see of the MCP servers that this server is configured with. */
describe('MCP servers over Responses', () => {
  let notes: ScriptedMcp;
  let server: ResponsesServer;
  let client: OpenAI;

  beforeAll(async () => {
    notes = await new ScriptedMcp().start();
    notes.tools = [{ name: 'note', description: 'Takes a note', inputSchema: { type: 'object' } }];
    const servers = JSON.stringify({ mcpServers: { notes: { url: notes.url } } });
    server = await bootResponses((upstream) => upstream.on({}, { content: SKY }), { MCP_SERVERS: servers });
    client = server.client;
  });
  afterAll(async () => {
    await server.close();
    await notes.stop();
  });

  const ask = (more: object = {}): Promise<OpenAI.Responses.Response> =>
    client.responses.create({ model: 'x', input: 'How is the sky?', ...more });
  const typesOf = (items: readonly { type: string }[]): string[] => items.map(({ type }) => type);

  it('leave the answer to a plain question where it is expected: first', async () => {
    const { output } = await ask();
    expect(typesOf(output)).toEqual(['message']);
    expect(output[0]).toMatchObject({ content: [{ text: SKY }] });
    const stream = client.responses.stream({ model: 'x', input: 'How is the sky?' });
    const seen: string[] = [];
    stream.on('event', ({ type }) => seen.push(type));
    expect(typesOf((await stream.finalResponse()).output)).toEqual(['message']);
    expect(seen.filter((type) => type.includes('mcp'))).toEqual([]);
  });

  it('are listed when the request names them', async () => {
    const { id, output } = await ask(NAMED);
    const list = { type: 'mcp_list_tools', server_label: 'notes', tools: [{ name: 'note' }] };
    expect(output).toMatchObject([list, { type: 'message' }]);
    expect((await client.responses.retrieve(id)).output).toEqual(output);
    const streamed = await client.responses.stream({ model: 'x', input: 'How is the sky?', ...NAMED }).finalResponse();
    expect(streamed.output).toMatchObject([list, { type: 'message' }]);
  });

  it('are no items of a conversation, but for lists that a client brings', async () => {
    const { id } = await client.conversations.create();
    const { output } = await ask({ conversation: id, ...NAMED });
    const items = await client.conversations.items.list(id, { order: 'asc' });
    expect(typesOf(items.data)).toEqual(['message', 'message']);
    const [list] = output as OpenAI.Responses.ResponseInputItem[];
    const kept = await client.conversations.create({ items: [list as OpenAI.Responses.ResponseInputItem] });
    expect((await client.conversations.items.list(kept.id)).data).toEqual([list]);
    expect((await ask({ conversation: kept.id })).output_text).toBe(SKY);
  });
});

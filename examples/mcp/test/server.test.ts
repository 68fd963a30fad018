import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import { say, scriptedModel, startTestServer, type TestServer } from 'parley-server/testing';
import { extensions } from '../src/extensions.js';

// The agent as a tool for MCP clients: each request of the current revision says everything of itself.
const VERSION = '2026-07-28';
let server: TestServer;

before(async () => {
  const model = scriptedModel([say('The release is on Thursday.'), say('Dana tests it.')]);
  server = await startTestServer({ ...extensions, model });
});
after(() => server.close());

interface Result {
  readonly tools?: readonly { readonly name: string }[];
  readonly content?: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly status: string; readonly session_id: string };
}

async function request(method: string, params: Readonly<Record<string, unknown>>): Promise<Result> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const { result } = (await response.json()) as { result: Result };
  return result;
}

void test('the agent is a tool', async () => {
  const { tools = [] } = await request('tools/list', {});
  assert.ok(tools.some(({ name }) => name === 'ask_notes'));
});

void test('a conversation goes on with the id of its session', async () => {
  const name = 'ask_notes';
  const first = await request('tools/call', { name, arguments: { message: 'When is the release?' } });
  assert.equal(first.content?.[0]?.text, 'The release is on Thursday.');
  const session_id = first.structuredContent?.session_id;
  const second = await request('tools/call', { name, arguments: { message: 'Who tests it?', session_id } });
  assert.equal(second.content?.[0]?.text, 'Dana tests it.');
  assert.equal(second.structuredContent?.session_id, session_id);
});

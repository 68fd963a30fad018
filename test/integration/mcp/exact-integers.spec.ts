import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { McpSource } from '../../support/mcp-source.js';
import { ScriptedMcp } from '../../support/mcp-servers.js';

Logger.overrideLogger(false);

/** Written with blanks and a line break, as models may. */
const ARGUMENTS = '{ "id": 2512292042121000001,\n "rate": 1.0, "text": "\\u0000 \\"x\\" 2512292042121000001" }';
const ON_ONE_LINE = ARGUMENTS.replace('\n', ' ');
const STRUCTURED = '{"id":2512292042121000001,"text":"2512292042121000002"}';
const MAXIMUM = 9223372036854775807n;

describe('integers beyond 2^53 of MCP tools', () => {
  it('over stdio, the server gets the text of the model and its result is exact', async () => {
    const program = join(__dirname, '../../support/exact-mcp-process.mjs');
    const source = new McpSource({ one: { command: process.execPath, args: [program] } });
    const { parameters } = await source.tool('echo');
    expect(parameters).toMatchObject({ properties: { id: { maximum: Number(MAXIMUM) } } });
    expect(await source.call('echo', ARGUMENTS)).toMatchObject({ output: `${ON_ONE_LINE}\n${STRUCTURED}` });
    await source.close();
  });

  it('over HTTP, too', async () => {
    const server = await new ScriptedMcp().start();
    const inputSchema = { type: 'object', properties: { id: { type: 'integer', maximum: `${MAXIMUM}n` } } };
    server.tools = [{ name: 'echo', inputSchema, description: 'structuredContent: "structuredContent"' }];
    server.call = () =>
      Promise.resolve({
        content: [{ type: 'text', text: 'Found' }],
        structuredContent: { id: '2512292042121000001n', text: '2512292042121000002' },
      });
    const source = new McpSource({ one: { url: server.url } });
    const { parameters } = await source.tool('echo');
    expect(parameters).toMatchObject({ properties: { id: { maximum: Number(MAXIMUM) } } });
    expect(await source.call('echo', ARGUMENTS)).toMatchObject({ output: `Found\n${STRUCTURED}` });
    expect(server.bodies.at(-1)).toContain(`"arguments":${ON_ONE_LINE},`);
    await source.call('echo', 'null');
    expect(server.bodies.at(-1)).toContain('"arguments":{},');
    await source.close();
    await server.stop();
  });

  it('a structured result that a text repeats is said once', async () => {
    const server = await new ScriptedMcp().start();
    server.tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
    const source = new McpSource({ one: { url: server.url } });
    const id = '2512292042121000001';
    server.call = () =>
      Promise.resolve({ content: [{ type: 'text', text: `{ "id": ${id} }` }], structuredContent: { id: `${id}n` } });
    expect(await source.call('echo')).toMatchObject({ output: `{ "id": ${id} }` });
    server.call = () =>
      Promise.resolve({
        content: [{ type: 'text', text: '{"id":2512292042121000000}' }],
        structuredContent: { id: `${id}n` },
      });
    expect(await source.call('echo')).toMatchObject({ output: `{"id":2512292042121000000}\n{"id":${id}}` });
    await source.close();
    await server.stop();
  });
});

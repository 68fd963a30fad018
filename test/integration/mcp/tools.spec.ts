import { Logger } from '@nestjs/common';
import { ToolRegistry } from '../../../src/agent/tools/index.js';
import { McpSource } from '../../support/mcp-source.js';
import { ScriptedMcp, type ScriptedTool } from '../../support/mcp-servers.js';
import { until } from '../../support/until.js';

Logger.overrideLogger(false);

const SCHEMA = { type: 'object' };
let server: ScriptedMcp;
const sources: McpSource[] = [];

function sourceOf(entry: object = {}, env: Record<string, string> = {}): McpSource {
  const source = new McpSource({ one: { url: server.url, ...entry } }, env);
  sources.push(source);
  return source;
}

function tools(...names: string[]): ScriptedTool[] {
  return names.map((name) => ({ name, inputSchema: SCHEMA }));
}

beforeEach(async () => {
  server = await new ScriptedMcp().start();
});
afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.close()));
  await server.stop();
});

describe('the list of MCP tools', () => {
  it('all pages are read once and cached', async () => {
    server.tools = tools('a', 'b', 'c', 'd', 'e');
    server.pageSize = 2;
    const source = sourceOf();
    expect(await source.names()).toEqual(['a', 'b', 'c', 'd', 'e']);
    await source.names();
    expect(server.listings).toBe(3);
  });

  it('a change that the server announces is followed', async () => {
    server.tools = tools('a');
    const source = sourceOf();
    expect(await source.names()).toEqual(['a']);
    // The announcement travels on a stream of its own, which is opened after the first list.
    await until(async () => {
      await server.change(tools('a', 'b'));
      expect(await source.names()).toEqual(['a', 'b']);
    });
  });

  it('the list is read again after its lifetime', async () => {
    server.tools = tools('a');
    const source = sourceOf({}, { MCP_LIST_TTL_MS: '100' });
    expect(await source.names()).toEqual(['a']);
    server.tools = tools('b');
    await until(async () => expect(await source.names()).toEqual(['b']));
  });

  it('the old list is kept when the new one cannot be read', async () => {
    server.tools = tools('a');
    const source = sourceOf({}, { MCP_LIST_TTL_MS: '100' });
    await source.names();
    server.tools = null as never;
    await until(async () => {
      await source.names();
      expect(server.listings).toBeGreaterThan(2);
    });
    expect(await source.names()).toEqual(['a']);
    server.tools = tools('b');
    await until(async () => expect(await source.names()).toEqual(['b']));
  });

  it('only allowed tools are offered, under the prefix', async () => {
    server.tools = tools('read', 'write', 'drop');
    const source = sourceOf({ prefix: 'db_', allowedTools: ['read', 'write', 'misspelt'] });
    expect(await source.names()).toEqual(['db_read', 'db_write']);
    await source.call('db_read', { a: 1 });
    expect(server.calls).toMatchObject([{ name: 'read', args: { a: 1 } }]);
  });

  it('names are made unique and acceptable to model providers', async () => {
    const long = 'x'.repeat(100);
    server.tools = tools('user.get/all', 'user_get_all', long);
    const source = sourceOf({ prefix: 'p-' });
    const names = await source.names();
    expect(names).toEqual([
      expect.stringMatching(/^p-user_get_all_[0-9a-f]{8}$/),
      'p-user_get_all',
      expect.stringMatching(/^p-x{53}_[0-9a-f]{8}$/),
    ]);
    for (const name of names) await source.call(name);
    expect(server.calls.map(({ name }) => name)).toEqual(['user.get/all', 'user_get_all', long]);
  });

  it('tools that cannot be called are left out', async () => {
    server.tools = [
      { name: '', inputSchema: SCHEMA },
      { name: 'task', inputSchema: SCHEMA, execution: { taskSupport: 'required' } },
      ...tools('good', 'good'),
    ];
    expect(await sourceOf().names()).toEqual(['good']);
  });

  it('effects and hints follow the annotations', async () => {
    const withHints = (name: string, annotations: unknown): ScriptedTool => ({
      name,
      inputSchema: SCHEMA,
      annotations,
    });
    server.tools = [
      withHints('reads', { readOnlyHint: true, title: 'Reads' }),
      withHints('sets', { idempotentHint: true, destructiveHint: true }),
      withHints('adds', { destructiveHint: false }),
      withHints('lies', { readOnlyHint: 'yes', other: 1 }),
      withHints('junk', ['x']),
      ...tools('silent'),
    ];
    const listed = await sourceOf().source.list();
    expect(listed.map(({ name, effects, annotations }) => [name, effects, annotations])).toEqual([
      ['reads', 'none', { title: 'Reads', readOnlyHint: true }],
      ['sets', 'idempotent', { destructiveHint: true, idempotentHint: true }],
      ['adds', 'unsafe', { destructiveHint: false }],
      ['lies', 'unsafe', undefined],
      ['junk', 'unsafe', undefined],
      ['silent', 'unsafe', undefined],
    ]);
  });

  it('local tools have precedence over MCP tools of the same name', async () => {
    server.tools = tools('get_weather', 'other');
    const local = { name: 'local', list: async () => [{ ...(await sourceOf().tool('other')), name: 'get_weather' }] };
    const toolSet = await new ToolRegistry([local, sourceOf().source]).toolSet([], { authority: null });
    expect(toolSet.declarations.map(({ name }) => name)).toEqual(['get_weather', 'other']);
  });
});

describe('an MCP call', () => {
  beforeEach(() => {
    server.tools = tools('act');
  });

  it('a call carries the configured headers and its idempotency key', async () => {
    const source = sourceOf({ headers: { Authorization: 'Bearer ${TOKEN}' } }, { TOKEN: 'tok-12345678' });
    await source.call('act');
    expect(server.headers.every(({ authorization }) => authorization === 'Bearer tok-12345678')).toBe(true);
    expect(server.calls[0]?.meta).toMatchObject({ idempotencyKey: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('the message of a failed tool or a refusing server is returned', async () => {
    const source = sourceOf();
    server.call = () => Promise.resolve({ isError: true, content: [{ type: 'text', text: 'No such file' }] });
    expect(await source.call('act')).toMatchObject({ isError: true, output: 'The tool failed: No such file' });
    server.call = () => Promise.reject(new Error('Out of paper'));
    expect(await source.call('act')).toMatchObject({ isError: true, output: expect.stringContaining('Out of paper') });
    expect(server.calls).toHaveLength(2);
  });

  it('a long result is truncated with a note', async () => {
    server.call = () => Promise.resolve({ content: [{ type: 'text', text: 'x'.repeat(5000) }] });
    const { output } = await sourceOf({}, { TOOL_OUTPUT_LIMIT_BYTES: '1000' }).call('act');
    expect(output).toMatch(/x\n\[The output was cut here: it has 5000 bytes and the limit is 1000\.\]$/);
  });
});

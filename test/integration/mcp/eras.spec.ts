import { join } from 'node:path';
import { ScriptedMcp } from '../../support/mcp-servers.js';
import { McpSource } from '../../support/mcp-source.js';
import { ModernMcp } from '../../support/modern-mcp.js';
import { until } from '../../support/until.js';

const PLAIN = { type: 'object' };

/** A source of one server, closed at the end of its test. */
function sourceOf(url: string, env: Readonly<Record<string, string>> = {}): McpSource {
  return new McpSource({ one: { url } }, env);
}

describe('MCP servers of both eras', () => {
  const open: { stop(): Promise<void> }[] = [];
  const sources: McpSource[] = [];
  const started = async <T extends { start(): Promise<unknown>; stop(): Promise<void> }>(server: T): Promise<T> => {
    await server.start();
    open.push(server);
    return server;
  };
  const source = (url: string, env?: Readonly<Record<string, string>>): McpSource => {
    const made = sourceOf(url, env);
    sources.push(made);
    return made;
  };
  afterEach(async () => {
    for (const one of sources.splice(0)) await one.close();
    for (const one of open.splice(0)) await one.stop();
  });

  it('a server of the modern revision alone is used without a session', async () => {
    const server = await started(new ModernMcp());
    const one = source(server.url);
    expect(await one.names()).toEqual(['now']);
    expect((await one.call('now', { a: 1 })).output).toBe('modern');
    expect(server.methods).toEqual(expect.arrayContaining(['server/discover', 'tools/list', 'tools/call']));
    expect(server.methods).not.toContain('initialize');
    const headers = server.headers[server.methods.indexOf('tools/call')];
    expect(headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'now',
    });
  });

  it('a server with sessions alone is used with one', async () => {
    const server = await started(new ScriptedMcp());
    server.tools = [{ name: 'then', inputSchema: PLAIN }];
    const one = source(server.url);
    expect(await one.names()).toEqual(['then']);
    expect((await one.call('then')).output).toBe('done');
    expect(server.sessionCount).toBe(1);
  });

  it('a server of both is used in the modern era', async () => {
    const server = await started(new ModernMcp('stateless'));
    const one = source(server.url);
    expect((await one.call('now')).output).toBe('modern');
    expect(server.methods).not.toContain('initialize');
  });

  it('a server that changes its era is used in the other one, in both directions', async () => {
    const old = new ScriptedMcp();
    await old.start();
    old.tools = [{ name: 'then', inputSchema: PLAIN }];
    const one = source(old.url);
    expect(await one.names()).toEqual(['then']);
    const port = Number(new URL(old.url).port);
    await old.stop();
    const modern = new ModernMcp();
    await modern.start(port);
    await one.call('then').catch(() => undefined);
    await until(async () => (await one.names()).includes('now'));
    expect((await one.call('now')).output).toBe('modern');
    await modern.stop();
    await old.start(port);
    open.push(old);
    await one.call('now').catch(() => undefined);
    await until(async () => (await one.names()).includes('then'));
    expect((await one.call('then')).output).toBe('done');
  });

  it('a list has pages, and changes when the server says so', async () => {
    const server = new ModernMcp();
    server.pageSize = 2;
    server.tools = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, inputSchema: PLAIN }));
    await started(server);
    const one = source(server.url);
    expect(await one.names()).toEqual(['a', 'b', 'c', 'd', 'e']);
    await until(() => server.methods.includes('subscriptions/listen'));
    await until(async () => {
      server.change([{ name: 'f', inputSchema: PLAIN }]);
      return (await one.names()).join() === 'f';
    });
  });

  it('results keep their structure, images and links, and progress is told', async () => {
    const server = await started(new ModernMcp());
    const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
    const link = { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt' };
    server.call = async (_name, _args, context) => {
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: 1, progress: 1, total: 2 },
      });
      return { content: [{ type: 'text', text: 'Look:' }, image, link], structuredContent: { big: 7 } };
    };
    const one = source(server.url);
    const result = await one.call('now');
    expect(result.output).toContain('Look:');
    expect(result.output).toContain('[resource link file:///a.txt "a.txt"]');
    expect(result.output).toContain('{"big":7}');
    expect(result.images).toEqual(['data:image/png;base64,iVBORw0KGgo=']);
    expect(result.contents).toEqual({
      content: [{ type: 'text', text: 'Look:' }, image, link],
      structuredContent: { big: 7 },
    });
    expect(one.progress).toEqual([{ progress: 1, total: 2 }]);
  });

  it('a call that is canceled is canceled at the server', async () => {
    const server = await started(new ModernMcp());
    server.call = (_name, _args, { mcpReq }) =>
      new Promise((_, reject) => mcpReq.signal.addEventListener('abort', () => reject(new Error('gone'))));
    const one = source(server.url);
    const leaving = new AbortController();
    const call = one.call('now', {}, leaving.signal);
    await until(() => server.signals.length === 1);
    leaving.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await until(() => server.signals[0]?.aborted === true);
  });

  it('a server that is started again is used again, and what it refuses is told', async () => {
    const server = await started(new ModernMcp());
    const one = source(server.url);
    await one.names();
    await server.stop();
    expect((await one.call('now')).isError).toBe(true);
    await server.start();
    await until(async () => (await one.names()).includes('now'));
    expect((await one.call('now')).output).toBe('modern');
    server.call = () => Promise.reject(new Error('not today'));
    const refused = await one.call('now');
    expect(refused).toMatchObject({ isError: true });
    expect(refused.output).toContain('not today');
  });

  it.each(['modern', 'silent', 'dying'])('a process is used that is %s', async (kind) => {
    const args = [join(__dirname, '../../support/era-process.mjs'), kind];
    const one = new McpSource({ one: { command: process.execPath, args } });
    sources.push(one);
    await until(async () => (await one.names()).includes('where'));
    expect((await one.call('where')).output).toBe(kind);
    if (kind === 'modern') expect(one.progress).toEqual([{ progress: 1, message: 'half' }]);
  });
});

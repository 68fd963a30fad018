import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { ToolSet } from '../../../src/agent/tools/index.js';
import { McpSource } from '../../support/mcp-source.js';
import { freePort } from '../../support/free-port.js';
import { EverythingHttp, everythingStdio, ScriptedMcp, withPids } from '../../support/mcp-servers.js';
import { until } from '../../support/until.js';
import { listenOnLoopback } from '../../support/loopback-server.js';

Logger.overrideLogger(false);

const SCHEMA = { type: 'object' };
const LONG = 'trigger-long-running-operation';
const folder = mkdtempSync(join(tmpdir(), 'parley-mcp-'));
const sources: McpSource[] = [];
const ends: (() => Promise<unknown>)[] = [];

function sourceOf(servers: object, env: Record<string, string> = {}): McpSource {
  const source = new McpSource(servers, env);
  sources.push(source);
  return source;
}

async function scripted(): Promise<ScriptedMcp> {
  const server = new ScriptedMcp();
  ends.push(() => server.stop());
  server.tools = [
    { name: 'write', inputSchema: SCHEMA },
    { name: 'read', inputSchema: SCHEMA, annotations: { readOnlyHint: true } },
  ];
  return server.start();
}

function pids(file: string): number[] {
  return readFileSync(file, 'utf8').trim().split('\n').map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.close()));
  await Promise.all(ends.splice(0).map((end) => end()));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('an MCP server process that dies', () => {
  it('the process is started again, and a read-only call is repeated', async () => {
    const file = join(folder, 'killed');
    const source = sourceOf({ all: withPids(everythingStdio, file) });
    const call = source.call(LONG, { duration: 1, steps: 10 });
    await until(() => expect(source.progress.length).toBeGreaterThan(0));
    process.kill(pids(file)[0] ?? 0, 'SIGKILL');
    expect(await call).toMatchObject({ isError: false, output: expect.stringContaining('completed') });
    expect(pids(file)).toHaveLength(2);
    expect(await source.names()).toContain('echo');
  });

  it('no process is left when the server stops', async () => {
    const file = join(folder, 'closed');
    const source = sourceOf({ all: withPids(everythingStdio, file) });
    await source.names();
    expect(pids(file).map(isAlive)).toEqual([true]);
    await source.close();
    await until(() => expect(pids(file).map(isAlive)).toEqual([false]));
    expect(await source.names()).toEqual([]);
    expect(pids(file)).toHaveLength(1);
  });

  it('a process that cannot start loses only its own tools', async () => {
    const good = await scripted();
    const source = sourceOf({
      missing: { command: join(folder, 'no-such-program') },
      dies: { command: process.execPath, args: ['-e', 'process.exit(3)'] },
      good: { url: good.url },
    });
    expect(await source.names()).toEqual(['write', 'read']);
    const error = 'The server is not available.';
    expect(source.source.unavailable()).toEqual([
      { serverLabel: 'missing', error },
      { serverLabel: 'dies', error },
    ]);
  });
});

describe('an MCP server over HTTP that is lost', () => {
  it('a call that an unknown session refused is repeated once', async () => {
    const server = await scripted();
    const source = sourceOf({ one: { url: server.url } });
    expect(await source.call('write')).toMatchObject({ output: 'done' });
    server.forget();
    expect(await source.call('write', { again: true })).toMatchObject({ output: 'done', isError: false });
    expect(server.calls.map(({ args }) => args)).toEqual([{}, { again: true }]);
  });

  it('an unsafe call in progress is not repeated, and its outcome is reported as unknown', async () => {
    const server = await scripted();
    const source = sourceOf({ one: { url: server.url } });
    server.call = () => new Promise(() => undefined);
    const call = source.call('write');
    await until(() => expect(server.calls).toHaveLength(1));
    await server.stop();
    await server.start();
    expect(await call).toMatchObject({
      isError: true,
      failure: 'failed',
      output:
        'The tool failed: the connection to the MCP server "one" was lost; the call may have taken effect all the same',
    });
    expect(server.calls).toHaveLength(1);
    expect(source.begun).toHaveLength(1);
  });

  it('a call fails soon after the server was killed, and the tools return with the server', async () => {
    const server = await new EverythingHttp(await freePort()).start();
    ends.push(() => server.kill());
    const source = sourceOf({ all: { url: server.url } });
    const toolSet = new ToolSet(await source.source.list(), []);
    const call = source.callOf(toolSet, LONG, { duration: 60, steps: 600 });
    await until(() => expect(source.progress.length).toBeGreaterThan(0));
    await server.kill();
    expect(await call).toMatchObject({
      isError: true,
      failure: 'failed',
      output: expect.stringContaining('MCP server "all"'),
    });
    expect(await source.names()).toEqual([]);
    await server.start();
    await until(async () => expect(await source.names()).toContain('echo'));
    expect(await source.callOf(toolSet, 'echo', { message: 'back' })).toMatchObject({ output: 'Echo: back' });
  });

  it('the server is found when it starts later', async () => {
    const server = await scripted();
    await server.stop();
    const source = sourceOf({ one: { url: server.url } });
    expect(await source.names()).toEqual([]);
    await server.start();
    await until(async () => expect(await source.names()).toEqual(['write', 'read']));
    expect(source.source.unavailable()).toEqual([]);
  });
});

describe('an MCP server that does not answer', () => {
  let mute: Server;

  beforeAll(async () => {
    mute = createServer((socket) => socket.resume().on('error', () => undefined));
    await listenOnLoopback(mute);
  });
  afterAll(() => mute.close());

  function muteUrl(): string {
    const address = mute.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/mcp`;
  }

  it('the list waits once for a limited time, and not at all for a server that is known to be down', async () => {
    const source = sourceOf({ mute: { url: muteUrl() } }, { MCP_LIST_WAIT_MS: '50', MCP_CONNECT_TIMEOUT_MS: '300' });
    expect(await source.names()).toEqual([]);
    expect(source.source.unavailable()).toEqual([{ serverLabel: 'mute', error: 'The server is still starting.' }]);
    await until(() =>
      expect(source.source.unavailable()).toEqual([{ serverLabel: 'mute', error: 'The server is not available.' }]),
    );
    const before = await Promise.race([source.names(), new Promise((resolve) => setImmediate(resolve, 'waited'))]);
    expect(before).toEqual([]);
  });

  it('the connection can be closed while it is being made', async () => {
    const source = sourceOf({ mute: { url: muteUrl() } }, { MCP_LIST_WAIT_MS: '0' });
    expect(await source.names()).toEqual([]);
    await source.close();
    expect(await source.names()).toEqual([]);
  });
});

describe('a long MCP call', () => {
  it('the call fails after a silence, and the server is told', async () => {
    const server = await scripted();
    server.call = () => new Promise(() => undefined);
    const source = sourceOf({ one: { url: server.url, timeoutMs: 200 } });
    expect(await source.call('read')).toMatchObject({
      failure: 'timeout',
      output: 'The tool failed: it did not answer within 0.2 s.',
    });
    await until(() => expect(server.cancelled).toBe(1));
    expect(await source.names()).toEqual(['write', 'read']);
  });

  it('the call continues as long as it reports progress', async () => {
    const source = sourceOf({ all: { ...everythingStdio, timeoutMs: 800 } });
    expect(await source.call(LONG, { duration: 1.2, steps: 12 })).toMatchObject({ isError: false });
  });

  it('the call fails at the limit of its total time in spite of progress', async () => {
    const source = sourceOf({ all: { ...everythingStdio, timeoutMs: 500, maxTotalMs: 700 } });
    expect(await source.call(LONG, { duration: 60, steps: 600 })).toMatchObject({ failure: 'timeout' });
    expect(source.progress.length).toBeGreaterThan(0);
  });

  it('the call is cancelled with its run', async () => {
    const server = await scripted();
    server.call = () => new Promise(() => undefined);
    const source = sourceOf({ one: { url: server.url } });
    const cancel = new AbortController();
    const call = source.call('write', {}, cancel.signal);
    await until(() => expect(server.calls).toHaveLength(1));
    cancel.abort(new Error('The run was cancelled'));
    await expect(call).rejects.toThrow('The run was cancelled');
    await until(() => expect(server.cancelled).toBe(1));
  });
});

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LLMock } from '@copilotkit/aimock';
import { Runs } from '../../../src/run/index.js';
import { everythingStdio, filesystemStdio, ScriptedMcp, withPids } from '../../support/mcp-servers.js';
import { person } from '../../support/ledger.js';
import { until } from '../../support/until.js';
import { answerText, expectWhole, type Frame, ProcessClient } from '../../support/process-client.js';
import { startServer, type TestServer } from '../../support/server.js';

const PRINCIPAL = person('mia');
const LONG = 'trigger-long-running-operation';

function typesOf(response: Frame): (string | undefined)[] {
  return (response.output ?? []).map(({ type }) => type);
}

function dataOf(response: Frame, type: string): readonly Readonly<Record<string, unknown>>[] {
  const messages = (response.output ?? []).filter((message) => message.type === type);
  return messages.map(({ content }) => content?.[0]?.data ?? {});
}

describe('an agent with MCP servers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-mcp-'));
  const pidFile = join(folder, 'pids');
  let late: ScriptedMcp;
  let server: TestServer;
  let client: ProcessClient;

  beforeAll(async () => {
    writeFileSync(join(folder, 'hello.txt'), 'Hello from a file');
    late = await new ScriptedMcp().start();
    late.tools = [{ name: 'later', inputSchema: { type: 'object' } }];
    await late.stop();
    const servers = {
      all: { ...withPids(everythingStdio, pidFile), prefix: 'all_', allowedTools: ['echo', 'get-sum', LONG] },
      files: { ...filesystemStdio(folder), allowedTools: ['read_text_file', 'write_file'] },
      late: { url: late.url },
    };
    server = await startServer({
      model: (upstream) => script(upstream, folder),
      env: {
        // A busy machine may take long to start two programs.
        MCP_LIST_WAIT_MS: '20000',
        MCP_SERVERS: JSON.stringify({ mcpServers: servers }),
      },
    });
    client = new ProcessClient(server.url);
  });

  afterAll(async () => {
    await server.close();
    await late.stop();
    rmSync(folder, { recursive: true });
  });

  it('no server is connected before the first run', () => {
    expect(() => readFileSync(pidFile)).toThrow('ENOENT');
  });

  it('the tools, the call and its output are shown, and a server that is down is skipped', async () => {
    const last = expectWhole((await client.ask('read the file')).frames);
    expect(typesOf(last)).toEqual([
      'mcp_list_tools',
      'mcp_list_tools',
      'mcp_list_tools',
      'mcp_call',
      'mcp_call_output',
      'message',
    ]);
    const [all, files, down] = dataOf(last, 'mcp_list_tools');
    expect(all).toMatchObject({ server_label: 'all', id: last.output?.[0]?.id });
    expect((all?.['tools'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'all_echo',
      'all_get-sum',
      `all_${LONG}`,
    ]);
    expect(files?.['tools']).toMatchObject([
      { name: 'read_text_file', input_schema: { type: 'object' }, annotations: { readOnlyHint: true } },
      { name: 'write_file', annotations: { destructiveHint: true } },
    ]);
    expect(down).toMatchObject({ server_label: 'late', tools: [], error: 'The server is not available.' });
    expect(dataOf(last, 'mcp_call')).toMatchObject([
      { call_id: 'call_read', name: 'read_text_file', server_label: 'files' },
    ]);
    expect(dataOf(last, 'mcp_call_output')).toEqual([
      { call_id: 'call_read', name: 'read_text_file', output: 'Hello from a file' },
    ]);
    expect(answerText(last)).toBe('It says hello.');
  });

  it('two servers and a local tool are called in parallel', async () => {
    const last = expectWhole((await client.ask('all at once')).frames);
    expect(typesOf(last).slice(3).sort()).toEqual(
      [
        'mcp_call',
        'mcp_call',
        'mcp_call_output',
        'mcp_call_output',
        'message',
        'plugin_call',
        'plugin_call_output',
      ].sort(),
    );
    const outputs = dataOf(last, 'mcp_call_output').map(({ call_id, output }) => [call_id, output]);
    expect(Object.fromEntries(outputs as [string, string][])).toEqual({
      call_sum: expect.stringContaining('5'),
      call_file: 'Hello from a file',
    });
  });

  it('a destructive tool is called once it is approved', async () => {
    const file = join(folder, 'new.txt');
    const asked = expectWhole((await client.ask('write a file', { user_id: 'mia' })).frames);
    expect(typesOf(asked).slice(-2)).toEqual(['mcp_call', 'mcp_approval_request']);
    const [request] = dataOf(asked, 'mcp_approval_request');
    expect(request).toMatchObject({ name: 'write_file', server_label: 'files' });
    expect(existsSync(file)).toBe(false);

    const runs = server.get(Runs);
    const { run } = await runs.answer(PRINCIPAL, null, [
      { interruptId: String(request?.['id']), status: 'resolved', approve: true },
    ]);
    for await (const batch of runs.tail(PRINCIPAL, run.runId)) expect(batch.length).toBeGreaterThan(0);
    const last = await runs.response(PRINCIPAL, run.runId);
    expect(last.output?.map(({ type }) => type)).toEqual(['mcp_call_output', 'message']);
    expect(readFileSync(file, 'utf8')).toBe('Written.');
  });

  it('the progress of a call is shown to watchers of the run', async () => {
    const { response } = await client.ask('work long', { user_id: 'mia' });
    const runId = response.headers.get('x-run-id') ?? '';
    const events = [];
    for await (const batch of server.get(Runs).tail(PRINCIPAL, runId)) {
      events.push(...batch.map(({ event }) => event));
    }
    const activities = events.filter((event) => event.object === 'activity');
    expect(activities.length).toBeGreaterThan(0);
    expect(activities[0]).toMatchObject({
      kind: 'snapshot',
      id: 'progress_call_long',
      activity_type: 'tool_progress',
      content: { call_id: 'call_long', name: `all_${LONG}`, progress: 1, total: 3 },
    });
  });

  it('the tools of a server that starts later are offered', async () => {
    await late.start();
    const last = await until(async () => {
      const response = expectWhole((await client.ask('call later')).frames);
      expect(dataOf(response, 'mcp_call')).toMatchObject([{ name: 'later', server_label: 'late' }]);
      return response;
    });
    expect(dataOf(last, 'mcp_list_tools').map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
  });

  it('no process is left at the end', async () => {
    const pid = Number(readFileSync(pidFile, 'utf8').trim());
    process.kill(pid, 0);
    await server.close();
    await until(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  });
});

function script(upstream: LLMock, folder: string): void {
  const tools = (text: string, toolCalls: { name: string; arguments: string; id: string }[], answer: string): void => {
    upstream.on({ userMessage: text, hasToolResult: false }, { toolCalls });
    upstream.on({ userMessage: text, hasToolResult: true }, { content: answer });
  };
  const read = { name: 'read_text_file', arguments: JSON.stringify({ path: join(folder, 'hello.txt') }) };
  tools('read the file', [{ ...read, id: 'call_read' }], 'It says hello.');
  tools(
    'all at once',
    [
      { name: 'all_get-sum', arguments: '{"a":2,"b":3}', id: 'call_sum' },
      { ...read, id: 'call_file' },
      { name: 'get_weather', arguments: '{"city":"Paris"}', id: 'call_weather' },
    ],
    'All done.',
  );
  const write = {
    name: 'write_file',
    arguments: JSON.stringify({ path: join(folder, 'new.txt'), content: 'Written.' }),
  };
  tools('write a file', [{ ...write, id: 'call_write' }], 'It is written.');
  tools('work long', [{ name: `all_${LONG}`, arguments: '{"duration":0.5,"steps":3}', id: 'call_long' }], 'Worked.');
  upstream.on(
    {
      predicate: ({ messages, tools: offered }) =>
        asks(messages, 'call later') && !!offered?.some(({ function: { name } }) => name === 'later'),
      hasToolResult: false,
    },
    { toolCalls: [{ name: 'later', arguments: '{}', id: 'call_later' }] },
  );
  upstream.onMessage('call later', { content: 'There is no such tool, or it was called.' });
}

function asks(messages: readonly { content?: unknown }[], text: string): boolean {
  return JSON.stringify(messages.at(-1)).includes(text);
}

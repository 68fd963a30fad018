import { Logger } from '@nestjs/common';
import type { Message } from '../events/index.js';
import type { ServerTool } from './tools/index.js';
import {
  args,
  call,
  finish,
  reasoning,
  ScriptedModelClient,
  type ScriptStep,
  text,
} from './testing/scripted-model-client.js';
import { MemoryJournal } from './testing/memory-journal.js';
import {
  dataMessage,
  loopAgent,
  rejectionCode,
  serverTool,
  loopSettings,
  TestRun,
  userMessage,
} from './testing/test-run.js';

Logger.overrideLogger(false);

const DONE: ScriptStep[] = [text('Done.'), finish()];
const browse = { name: 'browse', description: 'Opens a page', parameters: { type: 'object' } };

function shapes(run: TestRun): string[] {
  return run.messages.map((message) => `${message.role}:${message.type}`);
}

function data(message: Message | undefined): unknown {
  const content = message?.content?.[0];
  return content?.type === 'data' ? content.data : undefined;
}

async function runLoop(
  script: ScriptStep[][],
  tools: ServerTool[] = [],
  run = new TestRun(),
  settings = loopSettings(),
) {
  const client = new ScriptedModelClient(script);
  const outcome = await run.drive(loopAgent(client, tools, settings));
  return { client, run, outcome };
}

describe('ModelLoop', () => {
  it('text is streamed into one message with the usage', async () => {
    const { run, client, outcome } = await runLoop([[text('It is'), text(' sunny'), finish()]]);
    expect(outcome).toEqual({ kind: 'completed' });
    expect(run.messages).toHaveLength(1);
    expect(run.messages[0]).toMatchObject({ status: 'completed', usage: { input_tokens: 10, output_tokens: 5 } });
    expect(run.events.filter((event) => event.object === 'content').map((event) => event.delta)).toEqual([
      true,
      true,
      false,
    ]);
    expect(client.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    run.expectLegalStream();
  });

  it('the instructions of the request follow the prompt, and a forced call is forced once', async () => {
    const modelOptions = { toolChoice: 'required', temperature: 0 } as const;
    const run = new TestRun({ instructions: 'In verse.', modelOptions });
    const { client } = await runLoop(
      [[call(0, 'look', '{}', 'c1'), finish('tool-calls')], DONE],
      [serverTool('look')],
      run,
    );
    expect(client.requests[0]?.messages[0]).toEqual({ role: 'system', content: 'Be brief.\n\nIn verse.' });
    expect(client.requests.map(({ options }) => options)).toEqual([
      modelOptions,
      { toolChoice: 'auto', temperature: 0 },
    ]);
  });

  it('reasoning is closed before text, and text before a call', async () => {
    const { run } = await runLoop(
      [
        [reasoning('Hm'), text('Let me look.'), call(0, 'look', '{"a"', 'c1'), args(0, ':1}'), finish('tool-calls')],
        DONE,
      ],
      [serverTool('look')],
    );
    expect(shapes(run)).toEqual([
      'assistant:reasoning',
      'assistant:message',
      'assistant:plugin_call',
      'tool:plugin_call_output',
      'assistant:message',
    ]);
    expect(data(run.messages[2])).toEqual({ call_id: 'c1', name: 'look', arguments: '{"a":1}' });
    expect(data(run.messages[3])).toEqual({ call_id: 'c1', name: 'look', output: 'look done' });
    expect(run.messages.map((message) => message.usage !== null)).toEqual([false, false, true, false, true]);
    run.expectLegalStream();
  });

  it('interleaved calls are serialized, each closed when its arguments are complete', async () => {
    const { run } = await runLoop(
      [
        [call(0, 'a', '{"x"', 'c0'), call(1, 'b', '{"y"', 'c1'), args(0, ':0}'), args(1, ':1}'), finish('tool-calls')],
        DONE,
      ],
      [serverTool('a'), serverTool('b')],
    );
    expect(run.messages.slice(0, 2).map(data)).toEqual([
      { call_id: 'c0', name: 'a', arguments: '{"x":0}' },
      { call_id: 'c1', name: 'b', arguments: '{"y":1}' },
    ]);
    run.expectLegalStream();
  });

  it('calls run in parallel and their results are in call order', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const slow = serverTool('slow', { invoke: () => gate.then(() => 'slow result') });
    const fast = serverTool('fast', {
      invoke: () => {
        release();
        return Promise.resolve('fast result');
      },
    });
    const { client, run } = await runLoop(
      [[call(0, 'slow', '{}', 'c0'), call(1, 'fast', '{}', 'c1'), finish('tool-calls')], DONE],
      [slow, fast],
    );
    expect(client.requests[1]?.messages.slice(-2)).toEqual([
      { role: 'tool', callId: 'c0', name: 'slow', content: 'slow result' },
      { role: 'tool', callId: 'c1', name: 'fast', content: 'fast result' },
    ]);
    run.expectLegalStream();
  });

  it('an MCP tool is shown with its server', async () => {
    const tool = serverTool('files', { origin: { kind: 'mcp', serverLabel: 'disk' } });
    const { run } = await runLoop([[call(0, 'files', '{}', 'c0'), finish('tool-calls')], DONE], [tool]);
    expect(shapes(run).slice(0, 3)).toEqual(['assistant:mcp_list_tools', 'assistant:mcp_call', 'tool:mcp_call_output']);
    expect(data(run.messages[1])).toMatchObject({ server_label: 'disk' });
    run.expectLegalStream();
  });

  it('the tools of MCP servers are listed once, also after a resume', async () => {
    const annotations = { readOnlyHint: true };
    const tool = serverTool('files', { origin: { kind: 'mcp', serverLabel: 'disk' }, annotations });
    const script = [[call(0, 'files', '{}', 'c0'), finish('tool-calls')], DONE];
    const { run } = await runLoop(script, [tool, serverTool('local')]);
    const list = { id: run.messages[0]?.id, server_label: 'disk' };
    const info = { name: 'files', input_schema: { type: 'object' }, description: 'files', annotations };
    expect(data(run.messages[0])).toEqual({ ...list, tools: [info] });
    const journal = new MemoryJournal(run.journal.writes);
    const resumed = await runLoop([], [serverTool('local')], new TestRun({ journal }));
    expect(resumed.outcome).toEqual({ kind: 'completed' });
    expect(resumed.run.messages).toEqual([]);
  });

  it('the progress of a call is shown until it has ended', async () => {
    let late: () => void = () => undefined;
    const tool = serverTool('slow', {
      invoke: (_args, context) => {
        late = () => context.progress({ progress: 3 });
        context.progress({ progress: 1, total: 2, message: 'half' });
        context.progress({ progress: 2, total: 2 });
        return Promise.resolve('done');
      },
    });
    const { run } = await runLoop([[call(0, 'slow', '{}', 'c0'), finish('tool-calls')], DONE], [tool]);
    late();
    expect(run.events.filter((event) => event.object === 'activity')).toEqual([
      {
        object: 'activity',
        kind: 'snapshot',
        id: 'progress_c0',
        activity_type: 'tool_progress',
        content: { call_id: 'c0', name: 'slow', progress: 1, total: 2, message: 'half' },
      },
    ]);
    run.expectLegalStream();
  });

  it('unknown tools, invalid arguments and failing tools are answered and the run continues', async () => {
    const strict = serverTool('strict', {
      parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    });
    const broken = serverTool('broken', { invoke: () => Promise.reject(new Error('secret')) });
    const calls = [
      call(0, 'none', '{}', 'c0'),
      call(1, 'strict', '{"n":"x"}', 'c1'),
      call(2, 'strict', '{"n"', 'c2'),
      call(3, 'broken', '', 'c3'),
    ];
    const { outcome, client, run } = await runLoop([[...calls, finish('tool-calls')], DONE], [strict, broken]);
    expect(outcome.kind).toBe('completed');
    const answers = client.requests[1]?.messages.slice(-4).map(({ content }) => content as string) ?? [];
    expect(answers[0]).toContain('There is no tool named "none"');
    expect(answers[1]).toContain('"n" must be integer');
    expect(answers[2]).toContain('not valid JSON');
    expect(answers[3]).not.toContain('secret');
    expect(client.requests[1]?.messages.at(-5)).toMatchObject({
      toolCalls: [{}, {}, { arguments: '{"invalid_json":"{\\"n\\""}' }, { arguments: '{}' }],
    });
    expect(run.messages.filter((message) => message.metadata?.['is_error'])).toHaveLength(4);
    run.expectLegalStream();
  });

  it('a run ends if its model repeats invalid arguments', async () => {
    const tool = serverTool('strict', { parameters: { type: 'object', required: ['n'] } });
    const script = Array.from({ length: 9 }, () => [call(0, 'strict', '{}'), finish('tool-calls')]);
    const settings = loopSettings({ TOOL_MAX_INVALID_CALLS: '2' });
    const client = new ScriptedModelClient(script);
    expect(await rejectionCode(new TestRun().drive(loopAgent(client, [tool], settings)))).toBe('TOOL_EXECUTION_FAILED');
    expect(client.requests).toHaveLength(3);
  });

  it('call ids are unique in the run and the history', async () => {
    const history = [
      dataMessage('plugin_call', { call_id: 'c0', name: 'a', arguments: '{}' }),
      dataMessage('plugin_call_output', { call_id: 'c0', output: 'x' }, 'tool'),
    ];
    const again = [call(0, 'a', '{}', 'c0'), finish('tool-calls')];
    const nameless = [call(0, 'a', '{}'), finish('tool-calls')];
    const { run } = await runLoop([again, again, nameless, DONE], [serverTool('a')], new TestRun({ history }));
    const ids = run.messages
      .filter((message) => message.type === 'plugin_call')
      .map((message) => (data(message) as { call_id: string }).call_id);
    expect(ids).toEqual(['c0_0_0', 'c0_1_0', 'call_23456789_2_0']);
  });

  it('server calls are made first, then the client’s result is awaited and used in the next request', async () => {
    const run = new TestRun({ clientTools: [browse] });
    const both = [call(0, 'browse', '{"url":"x"}', 'c0'), call(1, 'look', '{}', 'c1'), finish('tool-calls')];
    const { outcome } = await runLoop([both], [serverTool('look')], run);
    expect(outcome).toMatchObject({ kind: 'interrupted', reason: 'client_tool', callIds: ['c0'] });
    expect(shapes(run)).toEqual(['assistant:function_call', 'assistant:plugin_call', 'tool:plugin_call_output']);

    const input = [dataMessage('function_call_output', { call_id: 'c0', output: 'the page' }, 'tool')];
    const history = [userMessage('Open x'), ...run.messages];
    const next = await runLoop([DONE], [], new TestRun({ input, history, clientTools: [browse] }));
    expect(next.client.requests[0]?.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'c0', name: 'browse', arguments: '{"url":"x"}' },
          { id: 'c1', name: 'look', arguments: '{}' },
        ],
      },
      { role: 'tool', callId: 'c0', name: 'browse', content: 'the page' },
      { role: 'tool', callId: 'c1', name: 'look', content: 'look done' },
    ]);
  });

  it.each([
    ['length', 'max_output_tokens'],
    ['content-filter', 'content_filter'],
  ] as const)('the run ends as incomplete if the model stops for %s', async (reason, shown) => {
    const { outcome, run } = await runLoop([[text('Half'), finish(reason)]]);
    expect(outcome).toEqual({ kind: 'incomplete', reason: shown });
    expect(run.messages).toHaveLength(1);
  });

  it('a filtered answer without text gets a refusal text', async () => {
    const { run } = await runLoop([[reasoning('Hm'), finish('content-filter')]]);
    expect(run.messages.at(-1)?.content?.[0]).toMatchObject({ type: 'refusal' });
    run.expectLegalStream();
  });

  it('an empty answer is written as an empty message', async () => {
    const { run } = await runLoop([[finish()]]);
    expect(run.messages[0]?.content?.[0]).toMatchObject({ type: 'text', text: '' });
    run.expectLegalStream();
  });

  it('the run stops at the step limit after the last round', async () => {
    const step = [call(0, 'a', '{}'), finish('tool-calls')];
    const { outcome, client } = await runLoop(
      [step, step],
      [serverTool('a')],
      new TestRun(),
      loopSettings({ AGENT_MAX_STEPS: '2' }),
    );
    expect(outcome).toEqual({ kind: 'incomplete', reason: 'max_steps' });
    expect(client.requests).toHaveLength(2);
  });

  it('model errors are passed on, and a stream without an end is refused', async () => {
    const failing = new ScriptedModelClient([[text('a'), { type: 'throw', error: new Error('boom') }]]);
    await expect(new TestRun().drive(loopAgent(failing))).rejects.toThrow('boom');
    const endless = new ScriptedModelClient([[text('a')]]);
    expect(await rejectionCode(new TestRun().drive(loopAgent(endless)))).toBe('MODEL_EXECUTION_FAILED');
  });

  it('nothing is written after an abort, also if the model ignores it', async () => {
    const run = new TestRun();
    const stop = (): void => run.abort.abort(new Error('stopped'));
    const client = new ScriptedModelClient([[text('a'), { type: 'do', action: stop }, text('b'), text('c'), finish()]]);
    await expect(run.drive(loopAgent(client))).rejects.toThrow('stopped');
    expect(run.events.filter((event) => event.object === 'content')).toHaveLength(1);
    expect(run.journal.finishedKeys).toEqual([]);
    const { usage } = run.context.response.canceled();
    expect(usage).toMatchObject({ output_tokens: 1, input_tokens: expect.any(Number) as number });
    expect(usage?.input_tokens).toBeGreaterThan(1);
  });

  it('an abort ends a model call that hangs', async () => {
    const run = new TestRun();
    const client = new ScriptedModelClient([[text('a'), { type: 'hang' }]]);
    const driven = run.drive(loopAgent(client));
    setImmediate(() => run.abort.abort(new Error('stopped')));
    await expect(driven).rejects.toThrow('stopped');
  });

  it('the result of a tool that runs during an abort is not written', async () => {
    const run = new TestRun();
    const stubborn = serverTool('stubborn', {
      invoke: () => {
        run.abort.abort(new Error('stopped'));
        return Promise.resolve('late');
      },
    });
    const client = new ScriptedModelClient([[call(0, 'stubborn', '{}', 'c0'), finish('tool-calls')]]);
    await expect(run.drive(loopAgent(client, [stubborn]))).rejects.toThrow('stopped');
    expect(run.journal.finishedKeys).toEqual(['model:0']);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStream, stream, UpstreamDouble } from '../../src/agent/adapters/testing/responses-double.js';
import { dataOf, textOf } from '../../src/events/index.js';
import { outputs, shapes } from '../support/approval-driver.js';
import { ALICE, describeOnLedgers } from '../support/ledger.js';
import { type EndedRun, RunDriver } from '../support/run-driver.js';

const FOLDER = join(__dirname, '../fixtures/remote-streams');
const RUN = { threadId: 't', runId: 'r' };
const EVENT = JSON.stringify({ type: 'mastra_suspend', toolCallId: 'call_dredge', runId: 'run-of-mastra' });

/** What an agent of AG-UI asks with, besides the outcome of its run: the custom event `on_interrupt`. */
describeOnLedgers('a remote agent that suspends', (ledger) => {
  let upstream: UpstreamDouble;
  let gateway: RunDriver;
  /** The events of the first answer, recorded or not, and of the second one. */
  let asks: string | readonly object[] = [];
  let answers: readonly object[] = [];

  beforeAll(async () => {
    upstream = await UpstreamDouble.start((response) => {
      if (upstream.seen.length > 1) return stream(response, [{ type: 'RUN_STARTED', ...RUN }, ...answers, FINISHED]);
      if (typeof asks !== 'string') return stream(response, asks);
      openStream(response);
      response.end(readFileSync(join(FOLDER, asks)));
    });
    const agents = { harbour: { type: 'ag-ui', url: upstream.url } };
    gateway = await RunDriver.start(ledger(), { env: { REMOTE_AGENTS: JSON.stringify({ agents }) } });
  });
  beforeEach(() => {
    upstream.seen.length = 0;
    answers = TEXT('Moored.');
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const FINISHED = { type: 'RUN_FINISHED', ...RUN };
  const TEXT = (delta: string): object[] => [
    { type: 'TEXT_MESSAGE_START', messageId: 'n', role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'n', delta },
    { type: 'TEXT_MESSAGE_END', messageId: 'n' },
  ];
  const RESULT = { type: 'TOOL_CALL_RESULT', messageId: 'x', toolCallId: 'call_dredge', content: '"done"' };

  /** Runs until the agent asks. */
  async function asked(what: typeof asks): Promise<EndedRun> {
    asks = what;
    const run = await gateway.run({ agentType: 'harbour' });
    expect(run.view.state).toBe('interrupted');
    return run;
  }
  /** The only open interrupt. */
  async function open(run: EndedRun) {
    const pending = await gateway.interrupts.pending(ALICE, run.view.sessionId);
    expect(pending).toHaveLength(1);
    return pending[0] as NonNullable<(typeof pending)[0]>;
  }
  async function answered(interruptId: string, answer: object): Promise<EndedRun> {
    const given = { interruptId, status: 'resolved', ...answer } as never;
    const accepted = await gateway.runs.answer(ALICE, null, [given]);
    const run = await gateway.ended(accepted.run.runId);
    expect(run.view).toMatchObject({ state: 'completed', error: null });
    return run;
  }
  const told = (): Record<string, unknown> | undefined => upstream.seen[1]?.body;

  it.each([
    [true, { resume: { approved: true }, interruptEvent: EVENT }],
    [false, { resume: { approved: false, reason: 'Too dear.' }, interruptEvent: EVENT }],
  ])('a tool of Mastra that asks yes or no waits for an approval (%s)', async (approve, command) => {
    const run = await asked('mastra-ag-ui-suspended.sse');
    expect(shapes(run)).toEqual(['assistant:message', 'assistant:plugin_call', 'assistant:mcp_approval_request']);
    const interrupt = await open(run);
    expect(interrupt).toMatchObject({
      kind: 'approval',
      toolName: 'dredge',
      arguments: { metres: 2 },
      message: 'Dredge the bar?',
    });
    answers = [...(approve ? [RESULT] : []), ...TEXT('Moored.')];
    const next = await answered(interrupt.id, { approve, ...(!approve && { reason: 'Too dear.' }) });
    expect(told()).toMatchObject({ forwardedProps: { command } });
    expect(told()).not.toHaveProperty('resume');
    expect(shapes(next)).toEqual(['tool:plugin_call_output', 'assistant:message']);
    if (approve) expect(outputs(next).map((one) => dataOf(one)?.['output'])).toEqual(['"done"']);
  });

  it('a tool of Mastra that asks for something else is a question with its schema', async () => {
    const resumeSchema = JSON.stringify({ type: 'object', properties: { berth: { type: 'integer' } } });
    const value = {
      ...{ type: 'mastra_suspend', toolCallId: 'call_1', toolName: 'moor', args: {} },
      ...{ suspendPayload: { free: [4, 7] }, resumeSchema, runId: 'run-1' },
    };
    const run = await asked([
      { type: 'RUN_STARTED', ...RUN },
      { type: 'CUSTOM', name: 'on_interrupt', value: JSON.stringify(value) },
      FINISHED,
    ]);
    const interrupt = await open(run);
    expect(interrupt).toMatchObject({
      kind: 'input',
      message: '{"free":[4,7]}',
      responseSchema: { properties: { berth: { type: 'integer' } } },
    });
    expect((await answered(interrupt.id, { payload: { berth: 7 } })).last.output?.map(textOf)).toEqual(['Moored.']);
    const interruptEvent = JSON.stringify({ type: 'mastra_suspend', toolCallId: 'call_1', runId: 'run-1' });
    expect(told()?.['forwardedProps']).toEqual({ command: { resume: { berth: 7 }, interruptEvent } });
  });

  it('a node of LangGraph that stops is a question, and its answer is the command to resume', async () => {
    const run = await asked('langgraph-ag-ui-older-interrupt.sse');
    const interrupt = await open(run);
    expect(interrupt).toMatchObject({ kind: 'input', message: 'Which berth, 4 or 7?' });
    expect((await answered(interrupt.id, { payload: 'berth 7' })).last.output?.map(textOf)).toEqual(['Moored.']);
    expect(told()).toMatchObject({ forwardedProps: { command: { resume: 'berth 7' } } });
    expect(told()).not.toHaveProperty('resume');
  });

  it('an answer that is declined is told in the words that the server has', async () => {
    const run = await asked('langgraph-ag-ui-older-interrupt.sse');
    await answered((await open(run)).id, { status: 'cancelled' });
    expect(told()).toMatchObject({ forwardedProps: { command: { resume: 'No answer.' } } });
  });

  it('an outcome of the run counts, not the custom event that says the same', async () => {
    const interrupts = [{ id: 'i1', reason: 'langgraph:interrupt', message: 'Which berth?' }];
    const run = await asked([
      { type: 'RUN_STARTED', ...RUN },
      { type: 'CUSTOM', name: 'on_interrupt', value: 'Which berth?' },
      { ...FINISHED, outcome: { type: 'interrupt', interrupts } },
    ]);
    const interrupt = await open(run);
    expect(interrupt).toMatchObject({ kind: 'input', message: 'Which berth?' });
    await answered(interrupt.id, { payload: 4 });
    expect(told()).toMatchObject({
      forwardedProps: {},
      resume: [{ interruptId: 'i1', status: 'resolved', payload: 4 }],
    });
  });

  it.each([
    ['approve', { type: 'object', properties: { approve: { type: 'boolean' } } }, { approve: true }],
    ['a boolean', { type: 'boolean' }, true],
    ['approved', {}, { approved: true }],
  ])('a decision has the form of its schema: %s', async (_, responseSchema, payload) => {
    const interrupts = [{ id: 'i1', reason: 'tool_call', toolCallId: 'call_dredge', responseSchema }];
    const run = await asked([
      { type: 'RUN_STARTED', ...RUN },
      { type: 'TOOL_CALL_START', toolCallId: 'call_dredge', toolCallName: 'dredge' },
      { type: 'TOOL_CALL_END', toolCallId: 'call_dredge' },
      { ...FINISHED, outcome: { type: 'interrupt', interrupts } },
    ]);
    const interrupt = await open(run);
    expect(interrupt).toMatchObject({ kind: 'approval', toolName: 'dredge' });
    answers = [RESULT];
    await answered(interrupt.id, { approve: true });
    expect(told()).toMatchObject({ resume: [{ interruptId: 'i1', status: 'resolved', payload }] });
  });
});

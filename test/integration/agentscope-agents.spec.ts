import { AgentScopeDouble, replyOf, textEvents } from '../../src/agent/adapters/testing/agentscope-double.js';
import { dataMessage, dataOf, textOf } from '../../src/events/index.js';
import { outputs, shapes } from '../support/approval-driver.js';
import { ALICE, describeOnLedgers, nextId } from '../support/ledger.js';
import { type EndedRun, RunDriver } from '../support/run-driver.js';

const PAY = '{"to":"Ana"}';
const WINDOW = { name: 'open_window', description: 'Opens a window.', parameters: { type: 'object' } };
const of = { reply_id: 'r1' };
const call = (name: string): Record<string, unknown>[] => [
  { type: 'TOOL_CALL_START', ...of, tool_call_id: 'c1', tool_call_name: name },
  { type: 'TOOL_CALL_DELTA', ...of, tool_call_id: 'c1', delta: PAY },
  { type: 'TOOL_CALL_END', ...of, tool_call_id: 'c1' },
];
const asking = (type: string, name: string): Record<string, unknown>[] => [
  { type: 'REPLY_START', ...of, name: 'friend' },
  ...call(name),
  { type, ...of, tool_calls: [{ type: 'tool_call', id: 'c1', name, input: PAY }] },
];
const result = (name: string, output: string, state: string): Record<string, unknown>[] => [
  { type: 'TOOL_RESULT_START', ...of, tool_call_id: 'c1', tool_call_name: name },
  { type: 'TOOL_RESULT_TEXT_DELTA', ...of, tool_call_id: 'c1', delta: output },
  { type: 'TOOL_RESULT_END', ...of, tool_call_id: 'c1', state },
];

describeOnLedgers('an agent of AgentScope 2.0', (ledger) => {
  let upstream: AgentScopeDouble;
  let gateway: RunDriver;

  beforeAll(async () => {
    upstream = await AgentScopeDouble.start();
    const friend = { type: 'agentscope-2', url: upstream.url, agentId: 'friend' };
    gateway = await RunDriver.start(ledger(), { env: { REMOTE_AGENTS: JSON.stringify({ agents: { friend } }) } });
  });
  beforeEach(() => {
    upstream.inputs.length = 0;
    upstream.sessions.clear();
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const ask = (overrides: object = {}): Promise<EndedRun> => gateway.run({ agentType: 'friend', ...overrides });
  const texts = ({ last }: EndedRun): string[] => (last.output ?? []).map(textOf);
  const rest = (name: string, output: string, state: string): Record<string, unknown>[] => {
    const [, ...events] = replyOf('r1', [...result(name, output, state), ...textEvents('r1', 'end', ['Done.'])]);
    return events;
  };

  it.each([
    [true, 'paid', 'success'],
    [false, 'denied', 'denied'],
  ])('a call waits for our approval, and the agent goes on with the decision (%s)', async (approve, output, state) => {
    upstream.script = (input) =>
      Array.isArray(input) ? asking('REQUIRE_USER_CONFIRM', 'pay') : rest('pay', output, state);
    const run = await ask();
    expect(run.view).toMatchObject({ state: 'interrupted', error: null });
    expect(shapes(run)).toEqual(['assistant:plugin_call', 'assistant:mcp_approval_request']);
    const [open] = await gateway.interrupts.pending(ALICE, run.view.sessionId);
    expect(open).toMatchObject({ kind: 'approval', toolName: 'pay', arguments: { to: 'Ana' } });
    const answer = { interruptId: open?.id ?? '', status: 'resolved', approve } as const;
    const next = await gateway.ended((await gateway.runs.answer(ALICE, null, [answer])).run.runId);
    expect(next.view).toMatchObject({ state: 'completed', error: null });
    expect(shapes(next)).toEqual(['tool:plugin_call_output', 'assistant:message']);
    expect(texts(next).at(-1)).toBe('Done.');
    expect(upstream.inputs[1]).toMatchObject({
      type: 'USER_CONFIRM_RESULT',
      reply_id: 'r1',
      confirm_results: [{ confirmed: approve, tool_call: { id: 'c1', name: 'pay', input: PAY } }],
    });
    expect(outputs(next)[0]?.metadata).toMatchObject({ approval_request_id: open?.id });
  });

  it('a tool of the client is called by the client, and the agent gets the result', async () => {
    upstream.script = (input) =>
      Array.isArray(input)
        ? asking('REQUIRE_EXTERNAL_EXECUTION', 'open_window')
        : rest('open_window', 'opened', 'success');
    const sessionId = nextId('session');
    const first = await ask({ sessionId, clientTools: [WINDOW] });
    expect(first.view).toMatchObject({ state: 'interrupted', error: null });
    expect(shapes(first)).toEqual(['assistant:function_call']);
    const { call_id: callId } = dataOf(first.last.output?.[0] as never) ?? {};
    const data = { call_id: callId as string, output: 'opened' };
    const given = dataMessage({ id: nextId('msg'), role: 'tool', type: 'function_call_output', data });
    const second = await ask({ sessionId, clientTools: [WINDOW], input: [given] });
    expect(second.view.error).toBeNull();
    expect(texts(second)).toEqual(['Done.']);
    expect(upstream.inputs[1]).toMatchObject({
      type: 'EXTERNAL_EXECUTION_RESULT',
      reply_id: 'r1',
      execution_results: [{ type: 'tool_result', id: 'c1', name: 'open_window', output: 'opened', state: 'success' }],
    });
  });

  it('a call that nobody knows is asked of a person, and the agent gets the answer', async () => {
    upstream.script = (input) =>
      Array.isArray(input) ? asking('REQUIRE_EXTERNAL_EXECUTION', 'weigh') : rest('weigh', '5 kg', 'success');
    const run = await ask();
    expect(run.view).toMatchObject({ state: 'interrupted', error: null });
    const [open] = await gateway.interrupts.pending(ALICE, run.view.sessionId);
    expect(open).toMatchObject({ kind: 'input', reason: 'tool_result' });
    const answer = { interruptId: open?.id ?? '', status: 'resolved', payload: '5 kg' } as const;
    const next = await gateway.ended((await gateway.runs.answer(ALICE, null, [answer])).run.runId);
    expect(next.view.error).toBeNull();
    expect(texts(next).at(-1)).toBe('Done.');
    expect(upstream.inputs[1]).toMatchObject({
      execution_results: [{ id: 'c1', name: 'weigh', output: '5 kg', state: 'success' }],
    });
  });
});

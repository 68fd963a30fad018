import { type Answer, stream, UpstreamDouble } from '../../src/agent/adapters/testing/responses-double.js';
import { outputs } from '../support/approval-driver.js';
import { describeOnLedgers } from '../support/ledger.js';
import { askedIn, Person } from '../support/remote-person.js';
import { RunDriver } from '../support/run-driver.js';

const completed = { state: 'completed', error: null };

/** Servers that ask more than one thing: one after the other, together, or what was answered elsewhere meanwhile. */
describeOnLedgers('questions of remote agents of AG-UI', (ledger) => {
  let upstream: UpstreamDouble;
  let gateway: RunDriver;
  let answer: Answer;

  beforeAll(async () => {
    upstream = await UpstreamDouble.start((response, request) => answer(response, request));
    const { url } = upstream;
    const agents = {
      'ag-ui': { type: 'ag-ui', url: `${url}/ag-ui` },
    };
    gateway = await RunDriver.start(ledger(), { env: { REMOTE_AGENTS: JSON.stringify({ agents }) } });
  });
  beforeEach(() => {
    upstream.seen.length = 0;
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const person = async (agentType: string): Promise<Person> => new Person(gateway, await gateway.run({ agentType }));

  const RUN = { threadId: 't', runId: 'r' };
  const FINISHED = { type: 'RUN_FINISHED', ...RUN };
  const call = (toolCallId: string): object[] => [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: 'dredge' },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: '{"metres":2}' },
    { type: 'TOOL_CALL_END', toolCallId },
  ];
  const result = (toolCallId: string): object => ({
    ...{ type: 'TOOL_CALL_RESULT', messageId: `of-${toolCallId}`, toolCallId, content: 'done' },
  });
  const asks = (...interrupts: object[]): object => ({ ...FINISHED, outcome: { type: 'interrupt', interrupts } });
  const approval = (id: string, toolCallId: string): object => {
    const responseSchema = { type: 'object', properties: { approved: { type: 'boolean' } } };
    return { id, reason: 'tool_call', toolCallId, responseSchema, message: `${id}?` };
  };
  const suspended = (toolCallId: string, more: object): object => {
    const value = { type: 'mastra_suspend', toolCallId, toolName: 'dredge', args: {}, runId: 'run-1', ...more };
    return { type: 'CUSTOM', name: 'on_interrupt', value: JSON.stringify(value) };
  };
  const told = (index: number): Record<string, unknown> => upstream.seen[index]?.body ?? {};

  /** Answers each run with its next events. */
  function server(...runs: (readonly object[])[]): void {
    answer = (response) => {
      stream(response, [{ type: 'RUN_STARTED', ...RUN }, ...(runs[upstream.seen.length - 1] ?? [])]);
    };
  }

  it('are answered by their ids, of any length', async () => {
    const id = 'q'.repeat(300);
    server([asks({ id, reason: 'input_required', message: 'Which berth?' })], [FINISHED]);
    const alice = await person('ag-ui');
    expect((await alice.answer({ payload: 4 })).view).toMatchObject(completed);
    expect(told(1)).toMatchObject({ resume: [{ interruptId: id, status: 'resolved', payload: 4 }] });
  });

  it('do not bring decisions along that were told before', async () => {
    const berth = asks({ id: 'q1', reason: 'input_required', message: 'Which berth?' });
    server([...call('call_1'), asks(approval('p1', 'call_1'))], [result('call_1'), berth], [FINISHED]);
    const alice = await person('ag-ui');
    await alice.answer({ approve: true });
    expect((await alice.answer({ payload: 4 })).view).toMatchObject(completed);
    expect(told(1)['resume']).toEqual([{ interruptId: 'p1', status: 'resolved', payload: { approved: true } }]);
    expect(told(2)['resume']).toEqual([{ interruptId: 'q1', status: 'resolved', payload: 4 }]);
  });

  it('do not resume a tool a second time that was approved before', async () => {
    const resumeSchema = JSON.stringify({ type: 'object', properties: { berth: { type: 'integer' } } });
    server([suspended('call_1', {}), FINISHED], [suspended('call_2', { resumeSchema }), FINISHED], [FINISHED]);
    const alice = await person('ag-ui');
    await alice.answer({ approve: true });
    expect((await alice.answer({ payload: { berth: 7 } })).view).toMatchObject(completed);
    const event = (toolCallId: string): string =>
      JSON.stringify({ type: 'mastra_suspend', toolCallId, runId: 'run-1' });
    expect(told(1)['forwardedProps']).toEqual({
      command: { resume: { approved: true }, interruptEvent: event('call_1') },
    });
    expect(told(2)['forwardedProps']).toEqual({ command: { resume: { berth: 7 }, interruptEvent: event('call_2') } });
  });

  it('that come with approvals wait for their decisions, and are answered with them', async () => {
    const berth = { id: 'q1', reason: 'input_required', message: 'Which berth?' };
    server(
      [...call('call_1'), ...call('call_2'), asks(approval('p1', 'call_1'), berth, approval('p2', 'call_2'))],
      [result('call_1'), FINISHED],
    );
    const alice = await person('ag-ui');
    expect(askedIn(await alice.open())).toEqual([
      ['approval', 'p1?'],
      ['approval', 'p2?'],
    ]);
    await alice.answer({ approve: true });
    expect(askedIn(await alice.open())).toEqual([['approval', 'p2?']]);
    await alice.answer({ approve: false });
    expect(askedIn(await alice.open())).toEqual([['input', 'Which berth?']]);
    expect(upstream.seen).toHaveLength(1);
    const ended = await alice.answer({ payload: 4 });
    expect(ended.view).toMatchObject(completed);
    expect(outputs(ended)).toHaveLength(1);
    expect(told(1)['resume']).toEqual([
      { interruptId: 'p1', status: 'resolved', payload: { approved: true } },
      { interruptId: 'p2', status: 'resolved', payload: { approved: false } },
      { interruptId: 'q1', status: 'resolved', payload: 4 },
    ]);
  });
});

import { type Answer, stream, UpstreamDouble } from '../../src/agent/adapters/testing/responses-double.js';
import { textOf } from '../../src/events/index.js';
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
      remembers: { type: 'ag-ui', url: `${url}/ag-ui`, history: 'remote' },
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

  it.each([true, false])(
    'that are decided with `accepted` are approvals, and nothing is told beside it (%s)',
    async (approve) => {
      const properties = { accepted: { type: 'boolean' }, metres: { type: 'integer' } };
      const responseSchema = { type: 'object', properties, required: ['accepted'], additionalProperties: false };
      const running = { id: 'call_1', reason: 'tool_call', toolCallId: 'call_1', message: 'Approve running dredge?' };
      server([...call('call_1'), asks({ ...running, responseSchema })], [FINISHED]);
      const alice = await person('ag-ui');
      expect(askedIn(await alice.open())).toEqual([['approval', 'Approve running dredge?']]);
      await alice.answer({ approve, ...(!approve && { reason: 'Too dear.' }) });
      expect(told(1)['resume']).toEqual([
        { interruptId: 'call_1', status: 'resolved', payload: { accepted: approve } },
      ]);
    },
  );

  describe('of LangGraph that wait together', () => {
    const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
    const custom = (id: string, value: string): object => {
      return { type: 'CUSTOM', name: 'on_interrupt', value, rawEvent: { value, id } };
    };
    const outcome = (id: string, message: string): object => {
      return { id, reason: 'langgraph:interrupt', message, metadata: { langgraph: { raw: message } } };
    };

    it.each([
      ['custom events', [custom(first, 'Which berth?'), custom(second, 'Which pilot?'), FINISHED]],
      ['the outcome', [asks(outcome(first, 'Which berth?'), outcome(second, 'Which pilot?'))]],
    ])('are all asked, and answered by their ids: %s', async (_, events) => {
      server(events, [FINISHED]);
      const alice = await person('ag-ui');
      expect(askedIn(await alice.open())).toEqual([['input', 'Which berth?']]);
      await alice.answer({ payload: 'seven' });
      expect(askedIn(await alice.open())).toEqual([['input', 'Which pilot?']]);
      expect((await alice.answer({ payload: { name: 'Ada' } })).view).toMatchObject(completed);
      expect(upstream.seen).toHaveLength(2);
      expect(told(1)['forwardedProps']).toEqual({
        command: { resume: { [first]: 'seven', [second]: { name: 'Ada' } } },
      });
      expect(told(1)).not.toHaveProperty('resume');
    });

    it('are asked one by one if they have no ids', async () => {
      const nameless = (value: string): object => ({ type: 'CUSTOM', name: 'on_interrupt', value });
      server([nameless('Which berth?'), nameless('Which pilot?'), FINISHED], [FINISHED]);
      const alice = await person('ag-ui');
      expect((await alice.answer({ payload: 'seven' })).view).toMatchObject(completed);
      expect(told(1)['forwardedProps']).toEqual({ command: { resume: 'seven' } });
    });
  });

  it('of CrewAI are told in a custom event and answered by their ids', async () => {
    const value = {
      ...{ id: 'flow-1', reason: 'crewai:human_feedback', message: 'Approve the plan?' },
      responseSchema: { type: 'string', enum: ['approved', 'rejected'] },
      metadata: { crewai: { flowId: 'flow-1', methodName: 'plan' } },
    };
    server([{ type: 'CUSTOM', name: 'on_interrupt', value }, FINISHED], [FINISHED]);
    const alice = await person('ag-ui');
    expect(askedIn(await alice.open())).toEqual([['input', 'Approve the plan?']]);
    expect((await alice.answer({ payload: 'approved' })).view).toMatchObject(completed);
    expect(told(1)).toMatchObject({
      forwardedProps: {},
      resume: [{ interruptId: 'flow-1', status: 'resolved', payload: 'approved' }],
    });
  });

  it('do not bring messages back that were told before, though the server keeps the conversation', async () => {
    const look = { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm1', delta: 'Let me look.' };
    const function_ = { name: 'dredge', arguments: '{"metres":2}' };
    const messages = [
      { id: 'u', role: 'user', content: 'Hello' },
      { id: 'm1', role: 'assistant', content: 'Let me look.' },
      { id: 'm2', role: 'assistant', toolCalls: [{ id: 'call_1', type: 'function', function: function_ }] },
      { id: 'm3', role: 'tool', toolCallId: 'call_1', content: 'done' },
      { id: 'm4', role: 'assistant', content: 'Done.' },
    ];
    server(
      [look, ...call('call_1'), asks(approval('p1', 'call_1'))],
      [{ type: 'MESSAGES_SNAPSHOT', messages }, FINISHED],
    );
    const alice = await person('remembers');
    const ended = await alice.answer({ approve: true });
    expect(ended.view).toMatchObject(completed);
    expect(outputs(ended)).toHaveLength(1);
    expect((ended.last.output ?? []).map(textOf).filter(Boolean)).toEqual(['Done.']);
  });
});

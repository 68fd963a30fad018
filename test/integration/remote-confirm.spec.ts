import { responseEvents, stream, UpstreamDouble } from '../../src/agent/adapters/testing/responses-double.js';
import { dataOf, textOf } from '../../src/events/index.js';
import { clientResult, outputs, shapes } from '../support/approval-driver.js';
import { ALICE, describeOnLedgers, nextId, userText } from '../support/ledger.js';
import { type EndedRun, RunDriver } from '../support/run-driver.js';

const WINDOW = { name: 'open_window', description: 'Opens a window.', parameters: { type: 'object' } };
const REFUSED = 'The message was not sent to the agent: it was not approved.';

/** A remote agent that may only be asked when a person has approved the message (contract gateway, section A1). */
describeOnLedgers('a remote agent with confirm', (ledger) => {
  let upstream: UpstreamDouble;
  let gateway: RunDriver;
  let answer: object[];

  beforeAll(async () => {
    upstream = await UpstreamDouble.start((response) => stream(response, answer));
    const entry = { type: 'responses', url: upstream.url, background: false, confirm: true };
    const agents = {
      asks: entry,
      continues: { ...entry, history: 'remote' },
      open: { type: 'responses', url: upstream.url, background: false },
    };
    gateway = await RunDriver.start(ledger(), {
      env: { REMOTE_AGENTS: JSON.stringify({ agents }) },
    });
  });
  beforeEach(() => {
    upstream.seen.length = 0;
    answer = responseEvents('resp_1', [['Hello.']]);
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const ask = (words: string, more: object = {}): Promise<EndedRun> =>
    gateway.run({ agentType: 'asks', input: [userText(words)], ...more });
  const decide = async (run: EndedRun, approve: boolean, reason?: string): Promise<EndedRun> => {
    const [open, ...others] = await gateway.interrupts.pending(ALICE, run.view.sessionId);
    expect(others).toEqual([]);
    const given = { interruptId: open?.id ?? '', status: 'resolved', approve, ...(reason && { reason }) } as const;
    return gateway.ended((await gateway.runs.answer(ALICE, null, [given])).run.runId);
  };
  const texts = ({ last }: EndedRun): string[] => (last.output ?? []).map(textOf).filter(Boolean);
  /** What the upstream was told, request by request. */
  const told = (): string[] =>
    upstream.seen.map(({ body }) => {
      const items = body['input'] as { type: string; role?: string; content?: string | { text?: string }[] }[];
      const wordsOf = (content: (typeof items)[0]['content'] = []): string =>
        typeof content === 'string' ? content : content.map(({ text }) => text).join('');
      return items.map(({ role, type, content }) => `${role ?? type}:${wordsOf(content)}`).join('|');
    });

  it('asks a person with the message, and the agent once it is approved', async () => {
    const run = await ask('Pay Ana');
    expect(run.view).toMatchObject({ state: 'interrupted', error: null });
    expect(shapes(run)).toEqual(['assistant:plugin_call', 'assistant:mcp_approval_request']);
    expect(upstream.seen).toEqual([]);
    const [open] = await gateway.interrupts.pending(ALICE, run.view.sessionId);
    expect(open).toMatchObject({
      kind: 'approval',
      toolName: 'asks',
      arguments: { message: 'Pay Ana' },
      message: 'The message goes to the remote agent asks, with the conversation so far. Is that allowed?',
      mayEdit: false,
    });
    const next = await decide(run, true);
    expect(next.view).toMatchObject({ state: 'completed', error: null });
    expect(shapes(next)).toEqual(['tool:plugin_call_output', 'assistant:message']);
    expect(outputs(next)[0]?.metadata).toMatchObject({ approval_request_id: open?.id });
    expect(texts(next)).toEqual(['Hello.']);
    expect(told()).toEqual(['user:Pay Ana']);
  });

  it('does not ask the agent if it is denied, says so, and never sends that message', async () => {
    const run = await ask('My secret');
    const next = await decide(run, false, 'Too private');
    expect(next.view).toMatchObject({ state: 'completed', error: null });
    expect(shapes(next)).toEqual(['tool:plugin_call_output', 'assistant:message']);
    expect(dataOf(outputs(next)[0] as never)?.['output']).toBe(
      'The call was not made: the user denied it. The reason: Too private',
    );
    expect(texts(next)).toEqual([`${REFUSED} The reason: Too private`]);
    expect(upstream.seen).toEqual([]);
    const { sessionId } = run.view;
    await decide(await ask('Good morning', { sessionId }), true);
    expect(told()).toEqual(['user:Good morning']);
  });

  it.each(['asks', 'continues'])('each message is asked about, and what was approved stays (%s)', async (agentType) => {
    const first = await ask('One', { agentType });
    await decide(first, true);
    const { sessionId } = first.view;
    const second = await ask('Two', { agentType, sessionId });
    expect(second.view.state).toBe('interrupted');
    const [open] = await gateway.interrupts.pending(ALICE, sessionId);
    expect(open?.arguments).toEqual({ message: 'Two' });
    await decide(second, true);
    expect(told()).toEqual(['user:One', agentType === 'asks' ? 'user:One|assistant:Hello.|user:Two' : 'user:Two']);
  });

  it('a new message takes the place of one that waits, which is never sent', async () => {
    const first = await ask('Forget this');
    const second = await ask('Do that', { sessionId: first.view.sessionId });
    expect(second.view.state).toBe('interrupted');
    await decide(second, true);
    expect(told()).toEqual(['user:Do that']);
  });

  it('one that has expired is not sent, with the next message neither', async () => {
    const run = await ask('Too late');
    const { sessionId } = run.view;
    await ledger().database.write((tx) => tx.run("UPDATE interrupts SET expires_at = 1 WHERE status = 'pending'", []));
    expect(await gateway.interrupts.pending(ALICE, sessionId)).toEqual([]);
    const next = await ask('Once more', { sessionId });
    expect(shapes(next)).toEqual(['assistant:plugin_call', 'assistant:mcp_approval_request']);
    await decide(next, true);
    expect(told()).toEqual(['user:Once more']);
  });

  it('results of a tool of the client need no approval of their own', async () => {
    const call = { id: 'fc', type: 'function_call', call_id: 'c1', name: 'open_window', arguments: '{}' };
    answer = callEvents(call);
    const waiting = await decide(await ask('Open it', { clientTools: [WINDOW] }), true);
    expect(waiting.view.state).toBe('interrupted');
    expect(shapes(waiting)).toEqual(['tool:plugin_call_output', 'assistant:function_call']);
    const { call_id: callId } = dataOf(waiting.last.output?.[1] as never) ?? {};
    answer = responseEvents('resp_2', [['Opened.']]);
    const { sessionId } = waiting.view;
    const input = [clientResult(callId as string, 'opened')];
    const done = await gateway.run({ agentType: 'asks', sessionId, input, clientTools: [WINDOW] });
    expect(texts(done)).toEqual(['Opened.']);
    expect(upstream.seen).toHaveLength(2);
  });

  it('a decision of an upstream is told without another question', async () => {
    const request = { id: 'mcpr_1', type: 'mcp_approval_request', name: 'pay', arguments: '{}', server_label: 'bank' };
    answer = callEvents(request);
    const waiting = await decide(await ask('Pay'), true);
    expect(waiting.view.state).toBe('interrupted');
    answer = responseEvents('resp_2', [['Paid.']]);
    const done = await decide(waiting, true);
    expect(texts(done)).toEqual(['Paid.']);
    expect(JSON.stringify(upstream.seen.at(-1)?.body)).toContain('mcp_approval_response');
    expect(upstream.seen).toHaveLength(2);
  });

  it.each([
    [true, undefined],
    [false, 'Too dear.'],
  ])('an upstream that keeps nothing gets its request with the decision (%s)', async (approve, reason) => {
    const asked = { id: 'mcpr_1', type: 'mcp_approval_request', name: 'pay', arguments: '{"to":"Ana"}' };
    const request = { ...asked, server_label: 'bank' };
    answer = callEvents(request);
    const waiting = await gateway.run({ agentType: 'open', input: [userText('Pay Ana')] });
    answer = responseEvents('resp_2', [['Done.']]);
    const done = await decide(waiting, approve, reason);
    expect(texts(done)).toContain('Done.');
    expect(upstream.seen.at(-1)?.body['input']).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Pay Ana' }] },
      request,
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve, ...(reason && { reason }) },
    ]);
  });

  it('files are counted, and other agents of the session keep their own rules', async () => {
    const sessionId = nextId('session');
    const opening = await gateway.run({ agentType: 'open', sessionId, input: [userText('To the open one')] });
    expect(opening.view.state).toBe('completed');
    const image = { type: 'image', image_url: 'https://images.example/cat.png' };
    const words = userText('Look');
    const run = await ask('', { sessionId, input: [{ ...words, content: [...(words.content ?? []), image] }] });
    const [open] = await gateway.interrupts.pending(ALICE, sessionId);
    expect(open?.arguments).toEqual({ message: 'To the open one\n\nLook', files: 1 });
    await decide(run, false);
    await gateway.run({ agentType: 'open', sessionId, input: [userText('Again')] });
    expect(told().at(-1)).toBe('user:To the open one|assistant:Hello.|user:LookAgain');
  });

  function callEvents(item: object): object[] {
    const base = { id: 'resp_1', object: 'response', model: 'm' };
    return [
      { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...base, status: 'completed', output: [item] } },
    ].map((event, index) => ({ ...event, sequence_number: index }));
  }
});

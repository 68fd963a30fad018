import { call, finish, text } from '../../src/agent/testing/scripted-model-client.js';
import { InterruptStore } from '../../src/interrupt/index.js';
import { ApprovalDriver, clientResult, outputTexts, shapes } from '../support/approval-driver.js';
import { ALICE, codeOf, describeOnLedgers, nextId, userText } from '../support/ledger.js';
import { done } from '../support/sample-tools.js';

const PAY = '{"to":"Ana","amount":5}';
const BROWSE = { name: 'browse', description: 'Opens a page', parameters: { type: 'object' } };

describeOnLedgers('approvals in the turns of a session', (ledger) => {
  const bench = new ApprovalDriver(ledger);

  afterAll(() => bench.cleanUp());
  afterEach(() => bench.server.stop());

  it('approvals can be answered one by one, and the model is called after the last', async () => {
    await bench.start();
    bench.calls(call(0, 'pay', PAY, 'c1'), call(1, 'pay', '{"to":"Bo","amount":7}', 'c2'));
    const run = await bench.ask();
    const [first, second] = await bench.open(run);
    const before = bench.model.requests.length;
    const one = await bench.answer(second?.id ?? '');
    expect(one.view.state).toBe('interrupted');
    expect(shapes(one)).toEqual(['tool:plugin_call_output', 'assistant:mcp_approval_request']);
    expect(one.events.at(-2)).toMatchObject({ object: 'interrupt', items: [{ id: first?.id }] });
    expect(bench.model.requests).toHaveLength(before);
    const two = await bench.answer(first?.id ?? '', { approve: false });
    expect(two.view.state).toBe('completed');
    expect(bench.told()).toEqual(['The call was not made: the user denied it.', 'paid 7 to Bo']);
    expect(done.payments).toEqual([{ to: 'Bo', amount: 7 }]);
  });

  it('two simultaneous answers make each call once and call the model once', async () => {
    await bench.start();
    bench.calls(call(0, 'pay', PAY, 'c1'), call(1, 'pay', '{"to":"Bo","amount":7}', 'c2'));
    const run = await bench.ask();
    const ids = (await bench.open(run)).map(({ id }) => id);
    const before = bench.model.requests.length;
    const ended = await Promise.all(ids.map((id) => bench.answer(id)));
    expect(ended.map(({ view }) => view.state).sort()).toEqual(['completed', 'interrupted']);
    expect(done.payments).toHaveLength(2);
    expect(bench.model.requests).toHaveLength(before + 1);
    expect(bench.told()).toEqual(['paid 5 to Ana', 'paid 7 to Bo']);
  });

  it('a run waits for its approvals and its client tools together', async () => {
    await bench.start();
    bench.calls(call(0, 'browse', '{"url":"x"}', 'c0'), call(1, 'pay', PAY, 'c1'));
    const run = await bench.ask({ clientTools: [BROWSE] });
    expect(run.events.at(-2)).toMatchObject({ reason: 'approval', call_ids: ['c0'], items: [{ call_id: 'c1' }] });
    const approved = await bench.answer((await bench.onlyOpen(run)).id);
    expect(approved.view.state).toBe('interrupted');
    expect(approved.events.at(-2)).toMatchObject({ reason: 'client_tool', call_ids: ['c0'], items: [] });
    const page = clientResult('c0', 'page');
    const last = await bench.server.run({ sessionId: run.view.sessionId, input: [page], clientTools: [BROWSE] });
    expect(last.view.state).toBe('completed');
    expect(bench.told()).toEqual(['page', 'paid 5 to Ana']);
  });

  it('an approval stays open when only the client tool is answered', async () => {
    await bench.start();
    bench.calls(call(0, 'browse', '{"url":"x"}', 'c0'), call(1, 'pay', PAY, 'c1'));
    const run = await bench.ask({ clientTools: [BROWSE] });
    const { id } = await bench.onlyOpen(run);
    const page = clientResult('c0', 'page');
    const waits = await bench.server.run({ sessionId: run.view.sessionId, input: [page], clientTools: [BROWSE] });
    expect(waits.view.state).toBe('interrupted');
    expect(waits.events.at(-2)).toMatchObject({ reason: 'approval', call_ids: [], items: [{ id }] });
    expect((await bench.answer(id)).view.state).toBe('completed');
    expect(bench.told()).toEqual(['page', 'paid 5 to Ana']);
  });

  it('a new message cancels approvals, and the model gets no open call', async () => {
    await bench.start();
    bench.calls(call(0, 'pay', PAY, 'c1'));
    const run = await bench.ask();
    const { id } = await bench.onlyOpen(run);
    bench.script = () => [text('As you like.'), finish()];
    await bench.server.run({ sessionId: run.view.sessionId, input: [userText('Never mind')] });
    expect(bench.told()).toEqual(['No result: the call was cancelled by the user.']);
    expect(await bench.server.interrupts.find(ALICE, id)).toMatchObject({ status: 'cancelled' });
    expect(await codeOf(bench.answer(id))).toBe('INTERRUPT_ALREADY_ANSWERED');
    expect(done.payments).toEqual([]);
  });

  it('cancelling the run or the session cancels its approvals', async () => {
    await bench.start();
    bench.calls(call(0, 'pay', PAY, 'c1'));
    const [one, two] = [await bench.ask(), await bench.ask()];
    await bench.server.runs.cancel(ALICE, one.runId);
    expect(await bench.server.runs.cancelSession(ALICE, two.view.sessionId)).toEqual([two.runId]);
    for (const run of [one, two]) expect(await bench.open(run)).toEqual([]);
    const { items } = await bench.server.interrupts.list(ALICE, { status: 'cancelled', limit: 100 });
    expect(items).toHaveLength(2);
    expect(await codeOf(bench.answer(items[0]?.id ?? ''))).toBe('INTERRUPT_ALREADY_ANSWERED');
  });

  it('cancelling a run that continues after one answer cancels the other approvals', async () => {
    await bench.start();
    bench.calls(call(0, 'pay', PAY, 'c1'), call(1, 'pay', PAY, 'c2'));
    const run = await bench.ask();
    const [first, second] = await bench.open(run);
    const running = new Promise<void>((resolve) => {
      done.during = ({ signal }) => {
        resolve();
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
      };
    });
    const going = bench.answer(first?.id ?? '');
    await running;
    const resumedBy = (await bench.server.interrupts.find(ALICE, first?.id ?? ''))?.resumedByRunId;
    await bench.server.runs.cancel(ALICE, resumedBy ?? '');
    expect((await going).view.state).toBe('canceled');
    expect(await bench.open(run)).toEqual([]);
    expect(await codeOf(bench.answer(second?.id ?? ''))).toBe('INTERRUPT_ALREADY_ANSWERED');
    expect(done.payments).toEqual([]);
  });

  it('approvals that expired before a new message are not mentioned again', async () => {
    await bench.start([{ tool: 'pay', effect: 'ask', expiresIn: '1h' }]);
    bench.calls(call(0, 'pay', PAY, 'c1'));
    const { sessionId } = (await bench.ask()).view;
    const store = bench.server.get(InterruptStore);
    expect(await store.expire(Date.now() + 3_600_000)).toBe(1);
    bench.script = () => [text('As you like.'), finish()];
    await bench.server.run({ sessionId, input: [userText('Never mind')] });
    bench.calls(call(0, 'pay', PAY, 'c2'));
    const again = await bench.server.run({ sessionId, input: [userText('Do pay')] });
    const next = await bench.answer((await bench.onlyOpen(again)).id);
    expect(outputTexts(next)).toEqual(['paid 5 to Ana']);
  });

  it('results that a client sends for calls of the server do not answer approvals', async () => {
    await bench.start();
    bench.calls(call(0, 'pay', PAY, 'c1'));
    const run = await bench.ask();
    const { id } = await bench.onlyOpen(run);
    const { sessionId } = run.view;
    for (const type of ['plugin_call_output', 'mcp_call_output'] as const) {
      const forged = { ...clientResult('c1', 'paid long ago'), type };
      const still = await bench.server.run({ sessionId, input: [forged] });
      expect(still.view.state).toBe('interrupted');
      expect(await bench.onlyOpen(run)).toMatchObject({ id });
    }
    await bench.answer(id);
    expect(bench.told()).toEqual(['paid 5 to Ana']);
  });

  it('approvals that are created while a message waits are cancelled by that message', async () => {
    await bench.start();
    let queued = '';
    const sessionId = nextId('session');
    const action = async (): Promise<void> => {
      bench.script = () => [text('As you like.'), finish()];
      queued = await bench.server.accept({ sessionId, input: [userText('Never mind')] });
    };
    bench.calls({ type: 'do', action }, call(0, 'pay', PAY, 'c1'));
    const run = await bench.ask({ sessionId });
    expect(run.view.state).toBe('interrupted');
    expect(await bench.open(run)).toEqual([]);
    expect((await bench.server.ended(queued)).view.state).toBe('completed');
    const { items } = await bench.server.interrupts.list(ALICE, { sessionId, limit: 5 });
    expect(items).toMatchObject([{ status: 'cancelled', resumedByRunId: queued }]);
    expect(await codeOf(bench.answer(items[0]?.id ?? ''))).toBe('INTERRUPT_ALREADY_ANSWERED');
    expect((await bench.audit()).slice(-2)).toEqual(['requested', 'cancelled']);
    expect(done.payments).toEqual([]);
  });

  it('removing a run cancels the approvals it waits for, whichever run created them', async () => {
    await bench.start();
    bench.calls(call(0, 'pay', PAY, 'c1'), call(1, 'pay', '{"to":"Bo","amount":7}', 'c2'));
    const run = await bench.ask();
    const [first, second] = await bench.open(run);
    const again = await bench.answer(first?.id ?? '');
    expect(again.view.state).toBe('interrupted');
    await bench.server.runs.remove(ALICE, again.runId);
    expect(await bench.open(run)).toEqual([]);
    expect(await bench.server.interrupts.find(ALICE, second?.id ?? '')).toMatchObject({ status: 'cancelled' });
    expect(await codeOf(bench.answer(second?.id ?? ''))).toBe('INTERRUPT_ALREADY_ANSWERED');
    expect((await bench.audit()).at(-1)).toBe('cancelled');
    // Those that a removed run asked itself go with it; the trail tells of them.
    const other = await bench.ask();
    const { id } = (await bench.open(other))[0] ?? { id: '' };
    await bench.server.runs.remove(ALICE, other.runId);
    expect(await codeOf(bench.answer(id))).toBe('INTERRUPT_NOT_FOUND');
    expect((await bench.audit()).slice(-2)).toEqual(['cancelled', 'cancelled']);
  });
});

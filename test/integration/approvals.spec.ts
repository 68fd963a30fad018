import { call } from '../../src/agent/testing/scripted-model-client.js';
import { tenantReach } from '../../src/common/index.js';
import { dataOf, type Message } from '../../src/events/index.js';
import type { InterruptAnswer } from '../../src/run/index.js';
import { ApprovalDriver, outputs, outputTexts, shapes } from '../support/approval-driver.js';
import { preventChore } from '../support/chores.js';
import { ALICE, codeOf, describeOnLedgers, nextId } from '../support/ledger.js';
import { done } from '../support/sample-tools.js';

const BOB = { ...ALICE, userId: 'bob' };
const PAY = '{"to":"Ana","amount":5}';

describeOnLedgers('approvals', (ledger) => {
  const driver = new ApprovalDriver(ledger);

  afterAll(() => driver.cleanUp());
  afterEach(() => driver.server.stop());

  it('an unsafe call waits for its approval and is made once it is approved', async () => {
    await driver.start();
    driver.calls(call(0, 'look', '{}', 'c0'), call(1, 'pay', PAY, 'c1'));
    const run = await driver.ask();
    expect(run.view.state).toBe('interrupted');
    expect(shapes(run)).toEqual([
      'assistant:plugin_call',
      'assistant:plugin_call',
      'tool:plugin_call_output',
      'assistant:mcp_approval_request',
    ]);
    const view = await driver.onlyOpen(run);
    expect(view).toMatchObject({
      kind: 'approval',
      runId: run.runId,
      callId: 'c1',
      toolName: 'pay',
      serverLabel: 'local',
    });
    expect(view.arguments).toEqual({ to: 'Ana', amount: 5 });
    expect(run.last.output?.at(-1)).toMatchObject({ metadata: { call_id: 'c1' } });
    expect(dataOf(run.last.output?.at(-1) as Message)).toEqual({
      id: view.id,
      name: 'pay',
      arguments: PAY,
      server_label: 'local',
    });
    expect(run.events.at(-2)).toMatchObject({
      object: 'interrupt',
      reason: 'approval',
      call_ids: [],
      items: [{ id: view.id }],
    });
    expect(done.payments).toEqual([]);

    const next = await driver.answer(view.id);
    expect(next.view).toMatchObject({ state: 'completed', sessionId: run.view.sessionId });
    expect(shapes(next)).toEqual(['tool:plugin_call_output', 'assistant:message']);
    expect(outputs(next)[0]?.metadata).toEqual({ approval_request_id: view.id });
    expect(done.payments).toEqual([{ to: 'Ana', amount: 5 }]);
    expect(driver.told()).toEqual(['seen', 'paid 5 to Ana']);
    expect(await driver.server.interrupts.find(ALICE, view.id)).toMatchObject({
      status: 'approved',
      resumedByRunId: next.runId,
    });
    expect((await driver.audit()).slice(-2)).toEqual(['approval.requested', 'approval.approved']);
  });

  it('the model is told of a denial and its reason', async () => {
    await driver.start();
    driver.calls(call(0, 'pay', PAY, 'c1'));
    const view = await driver.onlyOpen(await driver.ask());
    const next = await driver.answer(view.id, { approve: false, reason: 'too much' });
    expect(next.view.state).toBe('completed');
    expect(outputs(next)[0]?.metadata).toEqual({ approval_request_id: view.id, is_error: true, denied: true });
    expect(driver.told()).toEqual(['The call was not made: the user denied it. The reason: too much']);
    expect(done.payments).toEqual([]);
    expect((await driver.audit()).at(-1)).toBe('approval.denied');
  });

  it('an approval is answered once, by its owner, with a valid answer', async () => {
    await driver.start();
    driver.calls(call(0, 'pay', PAY, 'c1'));
    const run = await driver.ask();
    const { id } = await driver.onlyOpen(run);
    const good: InterruptAnswer = { interruptId: id, status: 'resolved', approve: true };
    const refused = (answers: InterruptAnswer[], principal = ALICE): Promise<unknown> =>
      codeOf(driver.server.runs.answer(principal, null, answers));
    expect(await refused([good], BOB)).toBe('INTERRUPT_NOT_FOUND');
    expect(await refused([good], { ...ALICE, tenantId: 'other' })).toBe('INTERRUPT_NOT_FOUND');
    expect(await refused([{ ...good, interruptId: 'apr_forged' }])).toBe('INTERRUPT_NOT_FOUND');
    expect(await refused([{ ...good, interruptId: 'apr_\0' }])).toBe('INTERRUPT_NOT_FOUND');
    expect(await refused([{ interruptId: id, status: 'resolved' }])).toBe('INVALID_PARAMETER');
    expect(await refused([{ ...good, editedArguments: { to: 'Eve', amount: 5 } }])).toBe('INVALID_PARAMETER');
    expect(await refused([good, good])).toBe('INVALID_PARAMETER');
    const elsewhere = driver.server.accept({ sessionId: nextId('session'), input: [], answers: [good] });
    expect(await codeOf(elsewhere)).toBe('INTERRUPT_NOT_FOUND');
    expect((await driver.open(run)).map((one) => one.status)).toEqual(['pending']);

    const both = await Promise.all([codeOf(driver.answer(id)), codeOf(driver.answer(id))]);
    expect(both.sort()).toEqual(['INTERRUPT_ALREADY_ANSWERED', 'resolved']);
    expect(await refused([good])).toBe('INTERRUPT_ALREADY_ANSWERED');
    expect(done.payments).toHaveLength(1);
  });

  it('edited arguments are accepted if the rule allows them and they fit the tool', async () => {
    await driver.start([
      { tool: 'pay', effect: 'deny', when: { path: '$.amount', op: '>', value: 100 }, reason: 'Too much.' },
      { tool: 'pay', effect: 'ask', allowEdit: true, reason: 'Money leaves.' },
    ]);
    driver.calls(call(0, 'pay', PAY, 'c1'));
    const first = await driver.onlyOpen(await driver.ask());
    expect(first).toMatchObject({ mayEdit: true, reason: 'Money leaves.' });
    expect(await codeOf(driver.answer(first.id, { editedArguments: { to: 'Ana', amount: 'all' } }))).toBe(
      'INVALID_PARAMETER',
    );
    for (const editedArguments of ['Ana', [], 0]) {
      expect(await codeOf(driver.answer(first.id, { editedArguments }))).toBe('INVALID_PARAMETER');
    }
    // Too large to be validated.
    const large = { to: 'Ana', amount: 3, more: Array.from({ length: 10_001 }, (_, n) => n) };
    await expect(driver.answer(first.id, { editedArguments: large })).rejects.toThrow(
      'arguments must not have more than 10000 values',
    );
    await driver.answer(first.id, { editedArguments: { to: 'Ana', amount: 3 } });
    expect(done.payments).toEqual([{ to: 'Ana', amount: 3 }]);
    expect(await driver.server.interrupts.find(ALICE, first.id)).toMatchObject({
      arguments: { to: 'Ana', amount: 5 },
      decision: { approve: true, arguments: { to: 'Ana', amount: 3 } },
    });
    // A person's permission does not overrule a denial.
    const second = await driver.onlyOpen(await driver.ask());
    const next = await driver.answer(second.id, { editedArguments: { to: 'Ana', amount: 500 } });
    expect(outputTexts(next)).toEqual([expect.stringContaining('does not allow this call. Too much.')]);
    expect(done.payments).toHaveLength(1);
  });

  it('a call that a rule denies needs no approval: the model is told, and it is audited', async () => {
    await driver.start([{ tool: 'pay', effect: 'deny' }]);
    driver.calls(call(0, 'pay', PAY, 'c1'));
    const run = await driver.ask();
    expect(run.view.state).toBe('completed');
    expect(outputs(run)[0]?.metadata).toEqual({ is_error: true, denied: true });
    expect((await driver.audit()).at(-1)).toBe('policy.denied');
    expect(done.payments).toEqual([]);
  });

  it('a call that a rule allows needs no approval, and neither does an invalid or unknown one', async () => {
    await driver.start([{ tool: 'p*', effect: 'allow', when: { path: '$.amount', op: '<', value: 10 } }]);
    driver.calls(call(0, 'pay', PAY, 'c1'), call(1, 'pay', '{"to":1}', 'c2'), call(2, 'steal', '{}', 'c3'));
    const run = await driver.ask();
    expect(run.view.state).toBe('completed');
    expect(done.payments).toHaveLength(1);
    expect(driver.told().map((one) => one.slice(0, 22))).toEqual([
      'paid 5 to Ana',
      'The arguments of pay a',
      'There is no tool named',
    ]);
  });

  it('an approval expires, and the model is told', async () => {
    await preventChore(ledger().database, 'interrupt-expiry');
    await driver.start([{ tool: 'pay', effect: 'ask', expiresIn: '1ms' }]);
    driver.calls(call(0, 'pay', PAY, 'c1'));
    const run = await driver.ask();
    const { items } = await driver.server.interrupts.list(ALICE, { sessionId: run.view.sessionId, limit: 5 });
    const id = items[0]?.id ?? '';
    expect(items[0]?.status).toBe('expired');
    expect(await codeOf(driver.answer(id))).toBe('INTERRUPT_EXPIRED');
    expect(await driver.open(run)).toEqual([]);
    const next = await driver.answer(id, { status: 'cancelled' });
    expect(driver.told()).toEqual(['The call was not made: it was cancelled by the user.']);
    expect(next.view.state).toBe('completed');
    expect(done.payments).toEqual([]);
  });

  it('an approval survives a restart of the server', async () => {
    await driver.start();
    driver.calls(call(0, 'pay', PAY, 'c1'));
    const { id } = await driver.onlyOpen(await driver.ask());
    await driver.server.stop();
    await driver.start();
    expect((await driver.answer(id)).view.state).toBe('completed');
    expect(done.payments).toHaveLength(1);
  });

  it('each user lists own approvals in pages, newest first', async () => {
    await driver.start();
    driver.calls(call(0, 'pay', PAY, 'c1'));
    const runs = [await driver.ask(), await driver.ask(), await driver.ask()];
    await driver.server.run({ principal: BOB });
    const first = await driver.server.interrupts.list(ALICE, { statuses: ['pending'], limit: 2 });
    const second = await driver.server.interrupts.list(ALICE, {
      statuses: ['pending'],
      limit: 2,
      cursor: first.nextCursor ?? '',
    });
    expect([...first.items, ...second.items].map(({ runId }) => runId)).toEqual(
      runs.map(({ runId }) => runId).reverse(),
    );
    expect(second.nextCursor).toBeUndefined();
    expect((await driver.server.interrupts.list(tenantReach(ALICE.tenantId), { limit: 100 })).items).toHaveLength(4);
    const forged = driver.server.interrupts.list(ALICE, { limit: 1, cursor: '1; DROP' });
    expect(await codeOf(forged)).toBe('INVALID_PARAMETER');
  });

  it('the audit log cannot be changed or deleted', async () => {
    await driver.start();
    driver.calls(call(0, 'pay', PAY, 'c1'));
    await driver.ask();
    const refused = (sql: string): Promise<string> =>
      ledger()
        .database.write((tx) => tx.run(sql))
        .then(String, (error: { message: string }) => error.message);
    expect(await refused(`UPDATE audit_lines SET action = 'approved'`)).toContain('only grows');
    expect(await refused('DELETE FROM audit_lines')).toContain('only grows');
  });
});

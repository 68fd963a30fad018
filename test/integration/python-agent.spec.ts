import { messageOf, textOf } from '../../src/events/index.js';
import { outputTexts, shapes } from '../support/approval-driver.js';
import { ALICE, describeOnLedgers, nextId } from '../support/ledger.js';
import { PythonAgent } from '../support/python-agent.js';
import { type EndedRun, RunDriver } from '../support/run-driver.js';

describeOnLedgers('the example in Python', (ledger) => {
  let agent: PythonAgent;
  let gateway: RunDriver;

  beforeAll(async () => {
    agent = await PythonAgent.start();
    gateway = await RunDriver.start(ledger(), { env: agent.env });
  });
  afterAll(async () => {
    await gateway.stop();
    agent.stop();
  });

  const ask = (text: string): Promise<EndedRun> => {
    const message = messageOf({ id: nextId('msg'), role: 'user' }, [{ type: 'text', text }]);
    return gateway.run({ agentType: 'refunds', input: [message] });
  };

  it('answers', async () => {
    const run = await ask('Hello there');
    expect(run.view).toMatchObject({ state: 'completed', error: null });
    expect((run.last.output ?? []).map(textOf)).toEqual(['You said: Hello there']);
  });

  it.each([
    [true, '20 euros were paid back for A-1001.'],
    [false, 'Nothing was paid.'],
  ])('waits for an approval and goes on with the decision (%s)', async (approve, said) => {
    const run = await ask('Refund 20 euros for A-1001');
    expect(run.view.state).toBe('interrupted');
    expect(shapes(run)).toEqual(['assistant:message', 'assistant:plugin_call', 'assistant:mcp_approval_request']);
    const [open] = await gateway.interrupts.pending(ALICE, run.view.sessionId);
    expect(open).toMatchObject({
      toolName: 'refund',
      arguments: { order: 'A-1001', amount: 20 },
      message: 'Pay 20 euros back for A-1001?',
    });
    const answer = { interruptId: open?.id ?? '', status: 'resolved', approve } as const;
    const next = await gateway.ended((await gateway.runs.answer(ALICE, null, [answer])).run.runId);
    expect(next.view).toMatchObject({ state: 'completed', error: null });
    expect((next.last.output ?? []).map(textOf).at(-1)).toBe(said);
    expect(outputTexts(next)).toEqual([approve ? said : 'The call was not made: the user denied it.']);
  });
});

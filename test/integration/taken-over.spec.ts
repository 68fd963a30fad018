import { HELD } from '../../src/run/ports/run-leases.js';
import { behaviour, say, stopped } from '../support/code-agents.js';
import { RunDriver } from '../support/run-driver.js';
import { ALICE, describeOnLedgers, runRequest } from '../support/ledger.js';
import { until } from '../support/until.js';

describeOnLedgers('a run that its own process takes over', (ledger) => {
  let server: RunDriver;
  afterEach(() => server.stop());

  const leaseUntil = async (): Promise<number> => {
    const [row] = await ledger().database.read.all<{ lease: number }>('SELECT lease_until AS lease FROM runs');
    return row?.lease ?? 0;
  };

  it('the old execution stops at once, and the new one keeps the lease', async () => {
    const begun: number[] = [];
    const left: number[] = [];
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    behaviour.current = async function* (context) {
      begun.push(context.attempt);
      yield say(context, `attempt ${context.attempt}`);
      await Promise.race([stopped(context), ...(context.attempt === 1 ? [] : [gate])]);
      left.push(context.attempt);
    };
    server = await RunDriver.start(ledger(), { env: { LEASE_MS: '10000', SWEEP_INTERVAL_MS: '20' } });
    const { run } = await server.runs.accept(runRequest({ agentType: 'code-restart' }));
    await until(() => expect(begun).toEqual([1]));
    // As after a pause of the whole process: the lease is over before it could be renewed.
    await until(async () => {
      await ledger().database.write((tx) => tx.run('UPDATE runs SET lease_until = 1 WHERE attempt = 1'));
      expect([begun, left]).toEqual([[1, 2], [1]]);
    });
    expect(await leaseUntil()).toBe(HELD);
    goOn();
    const events = await server.read(run.runId);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)?.event).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'attempt 2' }] }] });
    expect(await server.runs.view(ALICE, run.runId)).toMatchObject({ attempt: 2 });
    expect(begun).toEqual([1, 2]);
  });
});

import { HELD } from '../../src/run/ports/run-leases.js';
import { behaviour, say } from '../support/code-agents.js';
import { ALICE, describeOnLedgers } from '../support/ledger.js';
import { RunDriver } from '../support/run-driver.js';
import { until } from '../support/until.js';

describeOnLedgers('a run that its worker holds and does not execute', (ledger) => {
  let server: RunDriver;
  afterEach(() => server.stop());

  it('is executed after LEASE_MS, as when the answer to its accepting commit was lost', async () => {
    behaviour.current = async function* (context) {
      await Promise.resolve();
      yield say(context, `attempt ${context.attempt}`);
    };
    server = await RunDriver.start(ledger(), { env: { LEASE_MS: '3000', SWEEP_INTERVAL_MS: '20' } });
    const [worker] = await ledger().database.read.all<{ id: string }>('SELECT id FROM workers');
    const lease = { owner: worker?.id ?? '', until: HELD };
    const { run } = await ledger().accept({ agentType: 'code-restart' }, { lease, now: Date.now() });
    await until(async () => expect((await server.runs.view(ALICE, run.id)).state).toBe('completed'));
    expect((await ledger().find(run)).attempt).toBe(2);
  });
});

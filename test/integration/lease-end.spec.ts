import { Dispatcher } from '../../src/run/index.js';
import { HELD } from '../../src/run/ports/run-leases.js';
import { behaviour, say } from '../support/code-agents.js';
import { ALICE, describeOnLedgers } from '../support/ledger.js';
import { RunDriver } from '../support/run-driver.js';
import { until } from '../support/until.js';

/** How long the lease of the lost worker lasts, in milliseconds. */
const LEFT_MS = 500;

describeOnLedgers('a worker that is not heard of any more', (ledger) => {
  let server: RunDriver;
  afterEach(() => server.stop());

  it('its runs are taken over when its lease ends, however rarely processes sweep', async () => {
    behaviour.current = async function* (context) {
      await Promise.resolve();
      yield say(context, `attempt ${context.attempt}`);
    };
    server = await RunDriver.start(ledger(), { env: { LEASE_MS: '3600000', SWEEP_INTERVAL_MS: '3600000' } });
    const lost = { name: 'lost', role: 'all', version: '0', schemaVersion: '0', fingerprints: {}, id: 'lost-worker' };
    const host = { hostId: null, pid: 1, processStart: null };
    const load = { slots: 1, busy: 1, draining: false };
    await ledger().workers.register({ ...lost, ...host }, load, LEFT_MS, () => undefined);
    const { run } = await ledger().accept(
      { agentType: 'code-restart' },
      { lease: { owner: lost.id, until: HELD }, now: Date.now() },
    );
    // The last sweep for an hour.
    server.get(Dispatcher).check();
    await until(async () => expect((await server.runs.view(ALICE, run.id)).state).toBe('completed'));
    expect((await ledger().find(run)).attempt).toBe(2);
  });
});

import { Chores } from '../../src/chores/index.js';
import { userReach } from '../../src/common/index.js';
import type { LoggedEvent } from '../../src/events/index.js';
import { behaviour, say } from '../support/code-agents.js';
import { ALICE, describeOnLedgers, nextId, runRequest } from '../support/ledger.js';
import { RunDriver } from '../support/run-driver.js';
import { countStatements, type StatementCount } from '../support/statements.js';
import { until } from '../support/until.js';

/**
 * What a short run may cost: a new session, one message, one journaled model step, one text. The figures are those of
 * docs/performance.md; a greater one is a regression, a smaller one is written down there and here.
 */
const COST = {
  sqlite: { commits: 2, statements: 15 },
  postgres: { commits: 2, roundTrips: 7 },
};

describeOnLedgers('the database work of a short run', (ledger) => {
  let server: RunDriver;

  beforeEach(async () => {
    // Nothing but the run uses the database.
    server = await RunDriver.start(ledger(), { env: { SWEEP_INTERVAL_MS: '20000', LEASE_MS: '120000' } });
    await server.get(Chores).onModuleDestroy();
    behaviour.current = async function* (context) {
      const event = say(context, 'Hello');
      const messageIds = (context.response.getResponseData().output ?? []).map(({ id }) => id);
      context.journal.finish('model:0', 'hash', { text: 'Hello' }, messageIds);
      yield await Promise.resolve(event);
    };
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await server.stop();
  });

  /** What a run needs until its executor is done, after one that has prepared everything. */
  async function counted(): Promise<StatementCount> {
    const count = countStatements(ledger().database.dialect);
    // The executor looks for other runs of the session when it is done.
    const isDone = (): boolean =>
      count.sent.some((sql) => sql.includes('SELECT no, fence, tenant_id, place, status FROM runs'));
    await short();
    await until(isDone);
    count.sent.length = 0;
    count.roundTrips = 0;
    await short();
    await until(isDone);
    return count;
  }

  async function short(): Promise<void> {
    const request = runRequest({ agentType: 'code-journal', sessionId: nextId('session') });
    const { run } = await server.runs.accept(request);
    const events: LoggedEvent[] = [];
    for await (const batch of server.runs.tail(userReach(ALICE), run.runId, { accepted: true, run })) {
      events.push(...batch);
    }
    expect(events.at(-1)?.event).toMatchObject({ object: 'response', status: 'completed' });
  }

  it('is as small as the documentation says', async () => {
    const { sent, roundTrips } = await counted();
    const commits = sent.filter((sql) => sql === 'COMMIT').length;
    const { dialect } = ledger().database;
    const cost = dialect === 'sqlite' ? { commits, statements: sent.length } : { commits, roundTrips };
    expect([cost, sent]).toEqual([COST[dialect], sent]);
  });
});

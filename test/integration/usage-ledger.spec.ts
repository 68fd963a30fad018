import { Chores } from '../../src/chores/index.js';
import { ALL_TENANTS, tenantReach, SERVER_ORIGIN } from '../../src/common/index.js';
import { Budgets, Prices, UsageCheck, UsageReport } from '../../src/usage/index.js';
import { AbandonedReservations, UsageChore } from '../../src/usage/usage-chores.js';
import { UsageLedger } from '../../src/usage/ports/usage-ledger.js';
import { beginSubagent } from '../../src/agent/index.js';
import { BillingModelServer } from '../support/billing-model-server.js';
import { behaviour, say } from '../support/code-agents.js';
import { describeOnLedgers, nextId } from '../support/ledger.js';
import { RunDriver } from '../support/run-driver.js';
import { until } from '../support/until.js';

const TENANT = tenantReach('default');
const PRICE = { model: '*', validFrom: '2020-01-01', input: 2, output: 5 };
const NEVER = new AbortController().signal;

describeOnLedgers('the ledger of spending', (ledger) => {
  let server: RunDriver;
  let model: BillingModelServer;

  beforeEach(async () => {
    model = await BillingModelServer.start({ output: 30 });
    server = await RunDriver.start(ledger(), { env: model.env });
    await server.get(Chores).onModuleDestroy();
    await server.get(Prices).add('default', PRICE, SERVER_ORIGIN);
  });
  afterEach(async () => {
    await server.stop();
    await model.close();
  });

  const rows = <Row>(sql: string): Promise<Row[]> => ledger().database.read.all<Row>(sql);
  const agrees = async (): Promise<void> =>
    expect(await server.get(UsageCheck).tenant('default', false)).toMatchObject({ differences: [] });

  it('books the calls of an agent with a model of its own, once although it is repeated', async () => {
    await server
      .get(Budgets)
      .put('default', { subject: 'agent', name: 'code-journal', window: 'run', tokens: 1000 }, SERVER_ORIGIN);
    let limit: number | undefined;
    behaviour.current = async function* (context) {
      const call = await context.usage.begin({
        step: 'own:0',
        model: 'remote',
        inputTokens: () => 100,
        maxOutputTokens: 5000,
      });
      limit = call.maxOutputTokens;
      const event = say(context, 'Hello');
      call.settle({ input_tokens: 120, output_tokens: 10 }, () => ({ input_tokens: 1, output_tokens: 1 }));
      call.settle({ input_tokens: 999, output_tokens: 999 }, () => ({ input_tokens: 1, output_tokens: 1 }));
      call.release();
      yield await Promise.resolve(event);
    };
    const run = await server.run({ agentType: 'code-journal' });
    expect([run.view.state, limit]).toEqual(['completed', 900]);
    const found = await server.get(UsageReport).ofRun(TENANT, run.runId);
    expect(found).toMatchObject([
      { step: 'own:0', model: 'remote', state: 'settled', tokens: { input: 120, output: 10 }, cost: 120 * 2 + 10 * 5 },
    ]);
    await agrees();
  });

  it('a call that its agent forgets is booked as it was reserved when the run ends', async () => {
    await server.get(Budgets).put('default', { subject: 'tenant', window: 'total', tokens: 100_000 }, SERVER_ORIGIN);
    behaviour.current = async function* (context) {
      await context.usage.begin({ step: 'own:0', model: 'remote', inputTokens: () => 7, maxOutputTokens: 300 });
      yield await Promise.resolve(say(context, 'Hello'));
    };
    const run = await server.run({ agentType: 'code-journal' });
    const found = await server.get(UsageReport).ofRun(TENANT, run.runId);
    expect(found).toMatchObject([{ state: 'estimated', tokens: { input: 7, output: 300 } }]);
    await agrees();
  });

  it('calls of a subagent count for its own agent type', async () => {
    await server.get(Budgets).put('default', { subject: 'agent', window: 'day', tokens: 100_000 }, SERVER_ORIGIN);
    behaviour.current = async function* (context) {
      const { context: inner, finish } = beginSubagent(context, { name: 'helper', agentType: 'worker' });
      for (const one of [context, inner]) {
        const call = await one.usage.begin({ step: 'model:0', model: 'm', inputTokens: () => 5, maxOutputTokens: 300 });
        call.settle({ input_tokens: 5, output_tokens: 5 }, () => ({ input_tokens: 1, output_tokens: 1 }));
      }
      finish();
      yield await Promise.resolve(say(context, 'Hello'));
    };
    await server.run({ agentType: 'code-journal' });
    const report = await server.get(UsageReport).page(TENANT, { groupBy: 'agent' });
    expect(report.data.map(({ group, calls }) => [...group, calls])).toEqual([
      ['code-journal', 1],
      ['worker', 1],
    ]);
    expect((await server.get(Budgets).states('default')).map(({ name, settled }) => [name, settled.tokens])).toEqual([
      ['code-journal', 10],
      ['worker', 10],
    ]);
    await agrees();
  });

  it('a run that is canceled in a call is booked with the input that was sent', async () => {
    model.options.pauseMs = 60_000;
    await server.get(Budgets).put('default', { subject: 'tenant', window: 'day', cost: 1_000_000 }, SERVER_ORIGIN);
    const runId = await server.accept();
    await until(() => model.open === 1, 'the call');
    await server.runs.cancel(TENANT, runId);
    expect((await server.ended(runId)).view.state).toBe('canceled');
    const [entry] = await server.get(UsageReport).ofRun(TENANT, runId);
    expect(entry).toMatchObject({ state: 'estimated', tokens: { output: 0 } });
    expect(entry?.tokens.input).toBeGreaterThan(0);
    await agrees();
  });

  it('a budget that is set later counts what was used before, and one of a name takes the place of one for each', async () => {
    await server.run();
    await server.get(Budgets).put('default', { subject: 'user', window: 'total', tokens: 100_000 }, SERVER_ORIGIN);
    await server.run();
    const [each] = await server.get(Budgets).states('default');
    expect([each?.name, each?.settled.tokens]).toEqual(['alice', model.bill.input + model.bill.output]);
    const own = await server
      .get(Budgets)
      .put('default', { subject: 'user', name: 'alice', window: 'total', tokens: 1 }, SERVER_ORIGIN);
    await expect(server.run())
      .rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
      .catch(() => undefined);
    await server.get(Budgets).remove('default', own.id, SERVER_ORIGIN);
    await server.run();
    const [again] = await server.get(Budgets).states('default');
    expect([again?.name, again?.settled.tokens]).toEqual(['alice', model.bill.input + model.bill.output]);
    await agrees();
  });

  it('the chores close what was left behind, make young counters again, and keep sums of old entries', async () => {
    await server.get(Budgets).put('default', { subject: 'tenant', window: 'total', tokens: 100_000 }, SERVER_ORIGIN);
    const { runId } = await server.run({ sessionId: nextId('session') });
    const before = await server.get(UsageReport).page(TENANT, { groupBy: 'user,agent,model' });
    const { database } = ledger();
    await database.write(async (tx) => {
      await tx.run(`UPDATE usage_entries SET state = 'reserved', at = ?, settled_at = NULL`, [Date.now() - 120_000]);
      await tx.run('UPDATE budget_counters SET recount_at = 1, settled_tokens = 0, settled_cost = 0');
    });
    await server.get(AbandonedReservations).close();
    await server.get(UsageChore).work(NEVER);
    expect(await rows(`SELECT 1 AS yes FROM usage_entries WHERE state = 'reserved'`)).toEqual([]);
    await agrees();
    await database.write((tx) => tx.run('UPDATE usage_entries SET at = ?', [Date.parse('2026-11-20T12:00:00Z')]));
    await database.write((tx) => tx.run(`UPDATE usage_entries SET day = '2026-11-20'`));
    expect(await server.get(UsageLedger).compact(Date.parse('2026-11-21'), 100, ALL_TENANTS)).toBe(1);
    expect(await server.get(UsageReport).ofRun(TENANT, runId)).toEqual([]);
    const after = await server
      .get(UsageReport)
      .page(TENANT, { groupBy: 'user,agent,model', from: '2026-11-01', to: '2026-11-30' });
    expect(after.data).toMatchObject(before.data.map(({ group, runs, calls, cost }) => ({ group, runs, calls, cost })));
    const byDay = await server.get(UsageReport).page(TENANT, { from: '2026-11-01', to: '2026-11-30' });
    expect(byDay.data.map(({ group }) => group)).toEqual([['2026-11-20']]);
    await agrees();
  });
});

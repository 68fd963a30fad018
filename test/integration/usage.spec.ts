import { Chores } from '../../src/chores/index.js';
import { type Database } from '../../src/database/index.js';
import { tenantReach, userReach, SERVER_ORIGIN } from '../../src/common/index.js';
import { BudgetEvents, Budgets, type BudgetEvent, Prices, UsageCheck, UsageReport } from '../../src/usage/index.js';
import { BillingModelServer } from '../support/billing-model-server.js';
import { ALICE, describeOnLedgers, nextId, person, runRequest } from '../support/ledger.js';
import { RunDriver } from '../support/run-driver.js';
import { countStatements } from '../support/statements.js';
import { until } from '../support/until.js';

const PRICE = {
  model: 'billed-*',
  validFrom: '2020-01-01',
  input: 3000,
  cachedInput: 300,
  output: 15_000,
  reasoning: 20_000,
  perCall: 7,
};
const TENANT = tenantReach('default');

interface EntryRow {
  readonly state: string;
  readonly step: string;
  readonly cost: number | string;
}

function entries(database: Database): Promise<EntryRow[]> {
  return database.read.all<EntryRow>('SELECT state, step, cost FROM usage_entries ORDER BY run_no, step, fence');
}

describeOnLedgers('the usage of runs', (ledger) => {
  let server: RunDriver;
  let model: BillingModelServer;

  async function start(options = { output: 40 }, env: Record<string, string> = {}): Promise<void> {
    model = await BillingModelServer.start(options);
    server = await RunDriver.start(ledger(), { env: { ...model.env, ...env } });
    await server.get(Chores).onModuleDestroy();
  }

  afterEach(async () => {
    jest.restoreAllMocks();
    await server.stop();
    await model.close();
  });

  it('the report equals the bill of the model server', async () => {
    await start();
    await server.get(Prices).add('default', PRICE, SERVER_ORIGIN);
    await Promise.all(
      ['alice', 'bob', 'alice', 'carol', 'alice'].map((user) =>
        server.run({ principal: person(user), reach: userReach(person(user)) }),
      ),
    );
    const { bill } = model;
    const report = await server.get(UsageReport).page(TENANT, { groupBy: 'model' });
    const cost =
      (bill.input - bill.cached) * 3000 +
      bill.cached * 300 +
      (bill.output - bill.reasoning) * 15_000 +
      bill.reasoning * 20_000 +
      bill.calls * 7;
    expect(bill.calls).toBe(5);
    expect(report.data).toEqual([
      {
        group: ['billed-model'],
        runs: 5,
        calls: 5,
        inputTokens: bill.input,
        cachedInputTokens: bill.cached,
        outputTokens: bill.output,
        reasoningTokens: bill.reasoning,
        cost,
        estimatedTokens: 0,
      },
    ]);
    const byUser = await server.get(UsageReport).page(TENANT, { groupBy: 'user,agent' });
    expect(byUser.data.map(({ group, runs }) => [...group, runs])).toEqual([
      ['alice', 'worker', 3],
      ['bob', 'worker', 1],
      ['carol', 'worker', 1],
    ]);
    const own = await server.get(UsageReport).page(userReach(person('bob')), { groupBy: 'day' });
    expect(own.data).toMatchObject([{ runs: 1, calls: 1 }]);
  });

  it('a run without prices and budgets has no more statements than before, one with prices has one more', async () => {
    await start();
    const { dialect } = ledger().database;
    const count = countStatements(dialect);
    const isDone = (): boolean =>
      count.sent.some((sql) => sql.includes('SELECT no, fence, tenant_id, place, status FROM runs'));
    const counted = async (): Promise<string[]> => {
      for (let round = 0; round < 2; round += 1) {
        count.sent.length = 0;
        await server.run({ sessionId: nextId('session') });
        await until(isDone);
      }
      return count.sent.filter((sql) => /usage_|budget|prices/.test(sql));
    };
    expect(await counted()).toEqual([]);
    await server.get(Prices).add('default', PRICE, SERVER_ORIGIN);
    expect((await counted()).map((sql) => sql.trim().slice(0, 25))).toEqual(['INSERT INTO usage_entries']);
    expect(await entries(ledger().database)).toHaveLength(2);
  });

  it('calls are estimated if the model server reports nothing, and free if it refuses them', async () => {
    await start({ output: 40 });
    model.options.reports = false;
    await server.get(Prices).add('default', PRICE, SERVER_ORIGIN);
    await server.get(Budgets).put('default', { subject: 'tenant', window: 'total', tokens: 1_000_000 }, SERVER_ORIGIN);
    await server.run();
    const failed = await server.run({
      input: runRequest().input.map((message) => ({
        ...message,
        content: [{ ...message.content?.[0], text: 'please fail' }],
      })) as never,
    });
    expect(failed.view.state).toBe('failed');
    const rows = await entries(ledger().database);
    expect(rows.map(({ state }) => state)).toEqual(['estimated', 'released']);
    expect(Number(rows[0]?.cost)).toBeGreaterThan(40 * 15_000);
    expect(Number(rows[1]?.cost)).toBe(0);
    const report = await server.get(UsageReport).page(TENANT, {});
    expect(report.data).toMatchObject([{ calls: 1 }]);
    expect(report.data[0]?.estimatedTokens).toBe(
      (report.data[0]?.inputTokens ?? 0) + (report.data[0]?.outputTokens ?? 0),
    );
    expect(await server.get(UsageCheck).tenant('default', false)).toMatchObject({ counters: 1, differences: [] });
  });

  it('fifty runs at once never make an eleventh call of ten', async () => {
    await start({ output: 100 });
    await server.get(Prices).add('default', { model: '*', input: 0, output: 2, perCall: 800 }, SERVER_ORIGIN);
    await server
      .get(Budgets)
      .put('default', { subject: 'tenant', window: 'day', cost: 10 * (800 + 2 * 100) }, SERVER_ORIGIN);
    const states = await Promise.all(
      Array.from({ length: 50 }, async () => {
        try {
          return (await server.run({ modelOptions: { maxTokens: 100 } })).view;
        } catch (error) {
          return error as { readonly code: string };
        }
      }),
    );
    expect(model.bill.calls).toBe(10);
    for (const state of states) {
      if ('code' in state) expect(state.code).toBe('BUDGET_EXCEEDED');
      else if (state.state !== 'completed') expect(state.error?.code).toBe('BUDGET_EXCEEDED');
    }
    const { differences, counters } = await server.get(UsageCheck).tenant('default', false);
    expect([counters, differences]).toEqual([1, []]);
    const left = await ledger().database.read.all(`SELECT * FROM usage_entries WHERE state = 'reserved'`);
    expect(left).toEqual([]);
  });

  it('an answer gets less room when little is left, and the run fails when it ends there', async () => {
    await start({ output: 2000 });
    await server.get(Budgets).put('default', { subject: 'user', window: 'total', tokens: 1500 }, SERVER_ORIGIN);
    const run = await server.run({ modelOptions: { maxTokens: 4000 } });
    expect(model.limits[0]).toBeGreaterThan(256);
    expect(model.limits[0]).toBeLessThan(1500);
    expect(run.view.error).toMatchObject({ code: 'BUDGET_EXCEEDED' });
    expect(run.last.output?.some(({ type }) => type === 'message')).toBe(true);
    // The rest is too small for a call.
    await expect(
      server.run({ modelOptions: { maxTokens: 4000 } }).then(({ view }) => {
        throw Object.assign(new Error(), view.error);
      }),
    ).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
    expect(model.limits).toHaveLength(1);
    // Another user has a budget of its own.
    const other = await server.run({
      principal: person('zoe'),
      reach: userReach(person('zoe')),
      modelOptions: { maxTokens: 300 },
    });
    expect(model.limits[1]).toBe(300);
    expect(other.view.state).toBe('incomplete');
    expect(await server.get(UsageCheck).tenant('default', false)).toMatchObject({ counters: 2, differences: [] });
  });

  it('a model without a price is refused where costs are limited', async () => {
    await start();
    await server
      .get(Budgets)
      .put('default', { subject: 'agent', name: 'worker', window: 'month', cost: 1_000_000_000 }, SERVER_ORIGIN);
    const { view } = await server.run();
    expect(view.error).toEqual({
      code: 'BUDGET_EXCEEDED',
      message: 'The budget of the agent per month limits the cost, but there are no prices',
    });
    await server.get(Prices).add('default', PRICE, SERVER_ORIGIN);
    expect((await server.run()).view.state).toBe('completed');
    expect(await server.get(UsageCheck).tenant('default', false)).toMatchObject({ counters: 1, differences: [] });
  });

  it('thresholds are told once, and a budget that is used up too', async () => {
    await start({ output: 100 });
    const told: BudgetEvent[] = [];
    server.get(BudgetEvents).register((_, event) => Promise.resolve(void told.push(event)));
    await server
      .get(Budgets)
      .put(
        'default',
        { subject: 'user', name: 'alice', window: 'day', tokens: 600, action: 'warn', warnAt: [10, 50] },
        SERVER_ORIGIN,
      );
    for (let round = 0; round < 5; round += 1) expect((await server.run()).view.state).toBe('completed');
    expect(told.map(({ type, percent, name }) => [type, percent, name])).toEqual([
      ['budget.threshold', 10, 'alice'],
      ['budget.threshold', 50, 'alice'],
      ['budget.exceeded', 100, 'alice'],
    ]);
  });

  it('a repeated request is answered although the budget is used up', async () => {
    await start({ output: 100 });
    const request = runRequest({ runId: nextId('run'), sessionId: nextId('session') });
    const { run } = await server.runs.accept(request);
    await server.ended(run.runId);
    await server.get(Budgets).put('default', { subject: 'tenant', window: 'total', tokens: 1 }, SERVER_ORIGIN);
    await server.run({ principal: ALICE }).catch(() => undefined);
    const again = await server.runs.accept(request);
    expect([again.created, again.run.runId]).toEqual([false, run.runId]);
  });
});

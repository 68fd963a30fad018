import { AuditSealing } from '../../src/audit/index.js';
import { Chores } from '../../src/chores/index.js';
import { SERVER_ORIGIN, userReach } from '../../src/common/index.js';
import { Database, WebhookDeliveryEntity } from '../../src/database/index.js';
import { ErasureRunner } from '../../src/data-protection/index.js';
import type { LoggedEvent } from '../../src/events/index.js';
import { ScheduleRunner } from '../../src/schedules/index.js';
import { Budgets } from '../../src/usage/index.js';
import { WebhookDirectory, Webhooks } from '../../src/webhooks/index.js';
import { WebhookSender } from '../../src/webhooks/webhook-sender.js';
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
  sqlite: { commits: 2, statements: 16 },
  postgres: { commits: 2, roundTrips: 7 },
};

/**
 * What a run costs beside under a budget and with an endpoint: the reservation of its one call, a transaction of its own;
 * then, in the commit of its step, the end of that call; and the delivery.
 */
const EXTRA = {
  sqlite: { commits: 1, statements: 9 },
  postgres: { commits: 1, statements: 10 },
};

function statementsOf(sent: readonly string[]): { readonly commits: number; readonly statements: number } {
  return { commits: sent.filter((sql) => sql === 'COMMIT').length, statements: sent.length };
}

describeOnLedgers('the database work of a short run', (ledger) => {
  let server: RunDriver;

  beforeEach(async () => {
    // Nothing but the run uses the database.
    server = await RunDriver.start(ledger(), { env: { SWEEP_INTERVAL_MS: '20000', LEASE_MS: '120000' } });
    await server.get(Chores).onModuleDestroy();
    for (const other of [WebhookDirectory, WebhookSender, ScheduleRunner, AuditSealing, ErasureRunner])
      await server.get<{ beforeApplicationShutdown(): Promise<void> }>(other).beforeApplicationShutdown();
    // With what has waited for it.
    await server.get<Database>(Database).looks.now('SELECT 1 AS one');
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
    // Statements of two turns may leave together.
    const trips = Math.max(roundTrips, COST.postgres.roundTrips);
    const cost = dialect === 'sqlite' ? { commits, statements: sent.length } : { commits, roundTrips: trips };
    expect([cost, sent]).toEqual([COST[dialect], sent]);
  });

  it('is one statement more where an endpoint is told of its end, and none where none is', async () => {
    const { tenantId } = ALICE;
    const endpoint = {
      url: 'https://example.org/',
      description: null,
      format: 'parley',
      include: [],
      enabled: true,
    } as const;
    const webhooks = server.get(Webhooks);
    const others = await webhooks.create(
      tenantId,
      { ...endpoint, events: ['run.*'], agents: ['support-*'] },
      SERVER_ORIGIN,
    );
    const plain = await counted();
    jest.restoreAllMocks();
    const told = await webhooks.create(tenantId, { ...endpoint, events: ['run.*'], agents: null }, SERVER_ORIGIN);
    const { sent } = await counted();
    jest.restoreAllMocks();
    expect(plain.sent.filter((sql) => sql.includes('webhook'))).toEqual([]);
    // What TypeORM sends to SQLite is not counted: there the rows tell of it, one for each of the two runs.
    const { database } = ledger();
    expect(await database.read.manager.countBy(WebhookDeliveryEntity, { tenantId })).toBe(2);
    const extra = database.dialect === 'sqlite' ? 0 : 1;
    expect(sent.filter((sql) => sql.includes('webhook'))).toHaveLength(extra);
    expect(sent.length).toBe(plain.sent.length + extra);
    for (const { webhook } of [others, told]) await webhooks.remove(tenantId, webhook.id, SERVER_ORIGIN);
  });

  it('is two rows more under a budget of the tenant and with an endpoint, and none without', async () => {
    const { tenantId } = ALICE;
    behaviour.current = async function* (context) {
      const call = await context.usage.begin({ step: 'm:0', model: 'm', inputTokens: () => 10, maxOutputTokens: 90 });
      const event = say(context, 'Hello');
      const messageIds = (context.response.getResponseData().output ?? []).map(({ id }) => id);
      context.journal.finish('model:0', 'hash', { text: 'Hello' }, messageIds);
      call.settle({ input_tokens: 10, output_tokens: 5 }, () => ({ input_tokens: 1, output_tokens: 1 }));
      yield await Promise.resolve(event);
    };
    const plain = await grown();
    const budget = { subject: 'tenant', window: 'total', tokens: 1_000_000 } as const;
    await server.get(Budgets).put(tenantId, budget, SERVER_ORIGIN);
    const endpoint = { url: 'https://example.org/', description: null, format: 'parley', include: [] } as const;
    const webhooks = server.get(Webhooks);
    const { webhook } = await webhooks.create(
      tenantId,
      { ...endpoint, events: ['run.*'], agents: null, enabled: true },
      SERVER_ORIGIN,
    );
    // The first run of a period makes its counter.
    await grown();
    const counted = await grown();
    await webhooks.remove(tenantId, webhook.id, SERVER_ORIGIN);
    expect(plain.sent.filter((sql) => /usage_|budget|prices|webhook/.test(sql))).toEqual([]);
    expect(counted.rows - plain.rows).toBe(2);
    const extra = EXTRA[ledger().database.dialect];
    const { commits, statements } = statementsOf(counted.sent);
    const without = statementsOf(plain.sent);
    expect([{ commits: commits - without.commits, statements: statements - without.statements }, counted.sent]).toEqual(
      [extra, counted.sent],
    );
  });

  /** What one run sends, and by how many rows all tables grow for it. */
  async function grown(): Promise<{ readonly sent: readonly string[]; readonly rows: number }> {
    const before = await rowCount();
    const { sent } = await counted();
    const copy = [...sent];
    jest.restoreAllMocks();
    return { sent: copy, rows: ((await rowCount()) - before) / 2 };
  }

  async function rowCount(): Promise<number> {
    const { read } = ledger().database;
    const tables = [...new Set(read.manager.connection.entityMetadatas.map(({ tableName }) => tableName))];
    const parts = tables.map((table) => `(SELECT COUNT(*) FROM ${table})`);
    const [row] = await read.all<{ n: number | string }>(`SELECT ${parts.join(' + ')} AS n`);
    return Number(row?.n);
  }
});

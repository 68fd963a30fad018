import { randomInt } from 'node:crypto';
import { runCli } from '../../src/cli/index.js';
import { readSettings } from '../../src/config/index.js';
import { type Database, DatabaseSettings, openDatabase } from '../../src/database/index.js';
import { BillingModelServer } from '../support/billing-model-server.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

/** How often a process is killed: `BUDGET_KILLS=200` is what the contract asks for. */
const KILLS = Number(process.env['BUDGET_KILLS'] ?? 12);
const CLIENTS = 6;
const OUTPUT = 60;
/** What a call may use more than it has reserved: its input is estimated. */
const MISSED_INPUT = 2000;

jest.setTimeout(600_000 + KILLS * 30_000);

describeOnDatabases('two processes that are killed at random, with tight budgets', (open) => {
  let database: TestDatabase;
  let model: BillingModelServer;
  let servers: readonly ServerProcess[];
  let sql: Database;

  beforeAll(async () => {
    model = await BillingModelServer.start({ output: OUTPUT, pauseMs: 300 });
    database = await open();
    const env = { ...model.env, LEASE_MS: '1000', SWEEP_INTERVAL_MS: '200', RUN_MAX_ATTEMPTS: '20' };
    servers = [await ServerProcess.start(database, env), await ServerProcess.start(database, env)];
    sql = await openDatabase(readSettings(DatabaseSettings, { ...database.env }));
  });
  afterAll(async () => {
    await sql.close();
    for (const server of servers) await server.stop();
    await model.close();
    await database.drop();
  });

  async function usage(args: readonly string[], input = ''): Promise<{ code: number; output: string }> {
    const lines: string[] = [];
    const terminal = { out: (line: string) => lines.push(line), note: (line: string) => lines.push(line) };
    const code = await runCli(
      ['usage', ...args],
      { ...process.env, ...database.env },
      {
        ...terminal,
        input: () => Promise.resolve(input),
      },
    );
    return { code, output: lines.join('\n') };
  }

  it('counters equal their entries, nothing stays reserved, and no budget is passed', async () => {
    const limit = 7000 * KILLS * CLIENTS;
    await usage(
      ['add-price', '--tenant', '*'],
      JSON.stringify({ model: '*', validFrom: '2020-01-01', input: 3, output: 9 }),
    );
    for (const budget of [
      { subject: 'tenant', window: 'total', tokens: limit },
      { subject: 'user', window: 'day', cost: 30_000 * KILLS },
      { subject: 'agent', window: 'run', tokens: 100_000 },
    ]) {
      expect((await usage(['set-budget'], JSON.stringify(budget))).code).toBe(0);
    }
    let isOver = false;
    const client = async (number: number): Promise<void> => {
      while (!isOver) {
        const server = servers[randomInt(servers.length)] as ServerProcess;
        const body = {
          user_id: `user-${number}`,
          input: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
          max_tokens: 80,
        };
        const headers = { 'content-type': 'application/json' };
        const request = { method: 'POST', headers, body: JSON.stringify(body) };
        await fetch(`${server.url}/process`, request)
          .then((response) => response.text())
          .catch(() => undefined);
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
    for (let kill = 0; kill < KILLS; kill += 1) {
      await new Promise((resolve) => setTimeout(resolve, randomInt(50, 600)));
      const server = servers[kill % servers.length] as ServerProcess;
      await server.kill();
      await server.restart();
    }
    isOver = true;
    await Promise.all(clients);
    await until(
      async () => (await sql.read.all(`SELECT 1 AS yes FROM runs WHERE finished_at IS NULL LIMIT 1`)).length === 0,
      'all runs to end',
      120_000,
    );
    expect(await sql.read.all(`SELECT run_no, step FROM usage_entries WHERE state = 'reserved'`)).toEqual([]);
    expect(await usage(['verify'])).toMatchObject({ code: 0, output: expect.stringContaining('all agree') as string });
    const [sums] = await sql.read.all<{ used: number | string; calls: number | string }>(
      `SELECT SUM(input_tokens + output_tokens) AS used, COUNT(*) AS calls FROM usage_entries`,
    );
    expect(Number(sums?.calls)).toBeGreaterThan(KILLS);
    expect(Number(sums?.used)).toBeLessThanOrEqual(limit + CLIENTS * MISSED_INPUT);
    const [estimated] = await sql.read.all<{ n: number | string }>(
      `SELECT COUNT(*) AS n FROM usage_entries WHERE state = 'estimated'`,
    );
    expect(Number(estimated?.n)).toBeGreaterThan(0);
  });
});

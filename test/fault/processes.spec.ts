import { Client } from 'pg';
import { postgresDatabase, sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { freePort } from '../support/free-port.js';
import { runInput, RunsClient } from '../support/runs-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

jest.setTimeout(180_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';

it('several processes on SQLite are refused', async () => {
  const database = await sqliteDatabase();
  await expect(ServerProcess.start(database, { WORKERS: '2', ROLE: 'web' })).rejects.toThrow(
    /ROLE must be all, because DATABASE_URL is not PostgreSQL[^]*WORKERS must be 1, because DATABASE_URL is not/,
  );
  await database.drop();
});

(POSTGRES ? describe : describe.skip)(
  `two processes on one port${POSTGRES ? '' : ' (skipped: no TEST_DATABASE_URL)'}`,
  () => {
    let database: TestDatabase;
    let server: ServerProcess;
    let metricsPort: number;

    beforeAll(async () => {
      database = await postgresDatabase(POSTGRES);
      metricsPort = await freePort();
      server = await ServerProcess.start(database, {
        WORKERS: '2',
        LEASE_MS: '5000',
        SWEEP_INTERVAL_MS: '200',
        LOG_LEVEL: 'info',
        METRICS_PORT: String(metricsPort),
      });
    });
    afterAll(async () => {
      await server.stop();
      await database.drop();
    });

    /** The processes that answer. */
    async function workers(): Promise<number> {
      const sql = new Client({ connectionString: database.env.DATABASE_URL });
      await sql.connect();
      const { rows } = await sql.query<{ n: string }>('SELECT COUNT(*) AS n FROM workers WHERE draining = 0');
      await sql.end();
      return Number(rows[0]?.n);
    }

    it('both execute runs, are replaced without losing one, and stop with code 0', async () => {
      await until(async () => (await workers()) === 2, 'both processes', 90_000);
      // The first one speaks for both.
      expect(server.output.match(/AUDIT_KEYS is not set/g)).toHaveLength(1);
      for (const port of [metricsPort, metricsPort + 1]) {
        const page = await until(() => fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined), 'its metrics');
        expect(await page?.text()).toContain('process_cpu_seconds_total');
      }
      const client = new RunsClient(server.url);
      const submit = async (text: string): Promise<string> => (await client.submit(runInput(text))).body.threadId;
      const threads = await Promise.all(Array.from({ length: 6 }, () => submit('count to 60 slowly')));
      server.signal('SIGHUP');
      for (const threadId of threads) {
        // The connection of a process that has stopped is closed, so that the client opens another one.
        const { body } = await until(
          async () => {
            const view = await client.view(threadId, 'run-1');
            return view.body.status === 'succeeded' && view;
          },
          'the run to end',
          60_000,
        );
        expect(body.attempt).toBe(1);
      }
      await until(() => server.output.includes('replaced'), 'both to be replaced', 60_000);
      const later = await until(() => submit('hello'), 'a run to be accepted');
      expect((await client.ended(later, 'run-1')).status).toBe('succeeded');
      expect(await server.terminate()).toBe(0);
    });
  },
);

(POSTGRES ? describe : describe.skip)(
  `a web process and a worker${POSTGRES ? '' : ' (skipped: no TEST_DATABASE_URL)'}`,
  () => {
    it('the web process accepts and streams what the worker executes, and the worker has no wires', async () => {
      const database = await postgresDatabase(POSTGRES);
      const env = { LEASE_MS: '5000', SWEEP_INTERVAL_MS: '200' };
      const [web, worker] = await Promise.all([
        ServerProcess.start(database, { ...env, ROLE: 'web', TENANT_QUEUE_LIMIT: '2' }),
        ServerProcess.start(database, { ...env, ROLE: 'worker', RUN_CONCURRENCY: '1' }),
      ]);
      const client = new RunsClient(web.url);
      const stream = await client.stream(runInput('count to 5'));
      await stream.all();
      expect(stream.text).toContain('1 2 3 4 5');
      expect((await fetch(`${worker.url}/readiness`)).status).toBe(200);
      expect((await fetch(`${worker.url}/process`, { method: 'POST' })).status).toBe(404);
      const sql = await rolesOf(database);
      expect(sql).toEqual(['web', 'worker']);
      await worker.stop();
      const answers = [];
      for (let run = 0; run < 3; run += 1) answers.push(await client.submit(runInput('count to 5')));
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 429]);
      expect(answers[2]?.headers.get('retry-after')).toBe('5');
      await Promise.all([web.stop(), worker.stop()]);
      await database.drop();
    });
  },
);

async function rolesOf(database: TestDatabase): Promise<string[]> {
  const sql = new Client({ connectionString: database.env.DATABASE_URL });
  await sql.connect();
  const { rows } = await sql.query<{ role: string }>('SELECT role FROM workers ORDER BY role');
  await sql.end();
  return rows.map(({ role }) => role);
}

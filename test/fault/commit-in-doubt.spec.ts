import { Client } from 'pg';
import { CommitProxy, type Cut } from '../support/commit-proxy.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { answerText, counted, expectWhole, ProcessClient } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

jest.setTimeout(120_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const COUNT = 60;
const CUTS: readonly Cut[] = ['before the commit', 'before the answer', 'during the commit'];

(POSTGRES ? describe : describe.skip)(
  `connections to PostgreSQL that break in a commit${POSTGRES ? '' : ' (skipped: no TEST_DATABASE_URL)'}`,
  () => {
    let database: TestDatabase;
    let proxy: CommitProxy;
    let server: ServerProcess;

    beforeAll(async () => {
      database = await postgresDatabase(POSTGRES);
      proxy = await CommitProxy.start(database.env.DATABASE_URL ?? '');
      const env = { ...database.env, DATABASE_URL: proxy.url };
      server = await ServerProcess.start({ ...database, env }, { LEASE_MS: '5000', SWEEP_INTERVAL_MS: '200' });
    });
    afterAll(async () => {
      await server?.stop();
      await proxy?.stop();
      await database?.drop();
    });

    it.each(CUTS)('every event is written and sent once, and the run is not begun again (%s)', async (how) => {
      const client = new ProcessClient(server.url);
      const before = proxy.cuts;
      const streams = await Promise.all([1, 2, 3].map(() => client.say(`count to ${COUNT} slowly`)));
      await Promise.all(streams.map((stream) => stream.until(({ frames }) => frames.length > 3)));
      // Not the retries of one write after the other: those are cut by chance only.
      proxy.cut(how, 7);
      await Promise.all(streams.map((stream) => stream.all()));
      proxy.cut(undefined);
      expect(proxy.cuts - before).toBeGreaterThan(3);
      for (const stream of streams) {
        const end = expectWhole(stream.frames);
        expect([end.status, answerText(end), stream.done]).toEqual(['completed', counted(COUNT), true]);
        const again = await (await client.resume(end.id ?? '', -1)).all();
        expect(again.frames).toEqual(stream.frames);
      }
      expect(await attempts(database)).toEqual([1]);
    });

    it('a run whose acceptance got no answer is executed at once, and its first attempt counts once', async () => {
      await server.stop();
      const env = { ...database.env, DATABASE_URL: proxy.url };
      // Nobody has to wait for a lease to end.
      server = await ServerProcess.start({ ...database, env }, { LEASE_MS: '600000', SWEEP_INTERVAL_MS: '200' });
      proxy.cut('before the answer');
      const answer = await new ProcessClient(server.url).say('hello', { id: 'unanswered', session_id: 'unanswered' });
      proxy.cut(undefined);
      expect(answer.status).toBe(503);
      const sql = await connected(database);
      await until(async () => {
        const { rows } = await sql.query("SELECT status, attempt FROM runs WHERE id = 'unanswered'");
        expect(rows).toEqual([{ status: 'completed', attempt: 1 }]);
      });
      await sql.end();
    });

    it('a request whose answer was lost is accepted once', async () => {
      const client = new ProcessClient(server.url);
      const body = { id: 'in-doubt', session_id: 'in-doubt' };
      proxy.cut('before the answer');
      const { status } = await client.say('hello', body);
      proxy.cut(undefined);
      expect([200, 503]).toContain(status);
      const stream = await client.ask('hello', body);
      expect(expectWhole(stream.frames).status).toBe('completed');
      const sql = await connected(database);
      const { rows } = await sql.query("SELECT status FROM runs WHERE id = 'in-doubt'");
      await sql.end();
      expect(rows).toEqual([{ status: 'completed' }]);
    });
  },
);

async function attempts(database: TestDatabase): Promise<readonly number[]> {
  const sql = await connected(database);
  const { rows } = await sql.query<{ attempt: number }>('SELECT DISTINCT attempt FROM runs');
  await sql.end();
  return rows.map(({ attempt }) => attempt);
}

async function connected({ env }: TestDatabase): Promise<Client> {
  const sql = new Client({ connectionString: env.DATABASE_URL });
  await sql.connect();
  return sql;
}

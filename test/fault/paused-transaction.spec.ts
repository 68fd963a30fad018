import { Client } from 'pg';
import { CommitProxy } from '../support/commit-proxy.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { answerText, counted, expectWhole, ProcessClient } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

jest.setTimeout(120_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const ENV = {
  LEASE_MS: '3000',
  SWEEP_INTERVAL_MS: '200',
  DATABASE_IDLE_TRANSACTION_MS: '2000',
  RUN_CONCURRENCY: '8',
  CONSOLE: 'off',
};
const COUNT = 60;
const LONG = `count to ${COUNT} slowly`;

(POSTGRES ? describe : describe.skip)(
  `a server that is paused within a transaction${POSTGRES ? '' : ' (skipped: no TEST_DATABASE_URL)'}`,
  () => {
    let database: TestDatabase;
    let proxy: CommitProxy;
    let servers: ServerProcess[] = [];

    beforeEach(async () => {
      database = await postgresDatabase(POSTGRES);
      proxy = await CommitProxy.start(database.env.DATABASE_URL ?? '');
    });
    afterEach(async () => {
      for (const server of servers) server.signal('SIGCONT');
      await Promise.all(servers.map((server) => server.stop()));
      servers = [];
      await proxy.stop();
      await database.drop();
    });

    async function start(env: TestDatabase['env'] = database.env): Promise<ServerProcess> {
      const server = await ServerProcess.start({ ...database, env }, ENV);
      servers.push(server);
      return server;
    }

    it('others continue its runs, also the one whose row is locked, and a server that starts meanwhile is not delayed', async () => {
      const a = await start({ ...database.env, DATABASE_URL: proxy.url });
      const client = new ProcessClient(a.url);
      const streams = await Promise.all([1, 2, 3].map(() => client.say(LONG)));
      await Promise.all(streams.map((stream) => stream.until(({ frames }) => frames.length > 3)));
      await proxy.hold();
      a.signal('SIGSTOP');
      expect(await transactionsOpen()).toBeGreaterThan(0);
      const b = await start();
      for (const stream of streams) {
        const end = await new ProcessClient(b.url).ended(stream.frames[0]?.id ?? '');
        expect([end.status, answerText(end)]).toEqual(['completed', counted(COUNT)]);
      }
      expect(await transactionsOpen()).toBe(0);
      // What the paused server has sent is what was committed; it sends nothing more when it wakes up.
      for (const stream of streams) stream.leave();
      for (const { frames } of streams) {
        const whole = (await (await new ProcessClient(b.url).resume(frames[0]?.id ?? '', -1)).all()).frames;
        expectWhole(whole);
        expect(whole.slice(0, frames.length)).toEqual(frames);
      }
    });

    /** Transactions of servers that wait for their next statement. */
    async function transactionsOpen(): Promise<number> {
      const sql = new Client({ connectionString: database.env.DATABASE_URL });
      await sql.connect();
      const { rows } = await sql.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'idle in transaction' AND now() - state_change > interval '1 ms'`,
      );
      await sql.end();
      return rows[0]?.n ?? 0;
    }
  },
);

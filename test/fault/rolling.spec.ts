import { Client } from 'pg';
import { COUNTING_SERVER, countingEnv, unsafeCalls } from '../support/counting-fleet.js';
import { CountingModelServer } from '../support/counting-model-server.js';
import { CursorReader } from '../support/cursor-reader.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { NO_REDIS_SERVER, RedisServer } from '../support/redis-server.js';
import { ROLLING_CLIENTS, type RollingClient, type Seen } from '../support/rolling-clients.js';
import { ServerProcess } from '../support/server-process.js';
import { TcpBalancer } from '../support/tcp-balancer.js';
import { until } from '../support/until.js';

jest.setTimeout(400_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
/** Clients of each kind: with 14 kinds about a hundred streams at any time. */
const CLIENTS_OF_A_KIND = 7;
const ROUNDS = 3;
/** Nobody is to be cut: longer than any run. Nobody is to be refused because the machine does other work. */
const ENV = {
  SWEEP_INTERVAL_MS: '200',
  DRAIN_RUN_MS: '60000',
  DRAIN_STREAM_MS: '45000',
  DATABASE_WAIT_MS: '60000',
  CONSOLE: 'off',
};

/** What one client has read of one run. */
interface Job {
  readonly client: RollingClient;
  readonly number: number;
  readonly seen: Seen;
}

(POSTGRES ? describe : describe.skip)(
  `two servers that are replaced one after the other${POSTGRES ? '' : ' (skipped: no TEST_DATABASE_URL)'}`,
  () => {
    let database: TestDatabase;
    let model: CountingModelServer;
    let redis: RedisServer | undefined;
    let balancer: TcpBalancer;
    let servers: ServerProcess[] = [];

    beforeAll(async () => {
      database = await postgresDatabase(POSTGRES);
      model = await CountingModelServer.start({ tool: 'count_unsafe', pieces: 4, pauseMs: 400 });
      if (!NO_REDIS_SERVER) redis = await RedisServer.start();
      const env = { ...ENV, ...countingEnv(database, model, redis) };
      servers = [
        await ServerProcess.start(database, env, COUNTING_SERVER),
        await ServerProcess.start(database, env, COUNTING_SERVER),
      ];
      balancer = await TcpBalancer.start(servers.map(({ port }) => port));
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await balancer?.stop();
      await redis?.stop();
      await model?.close();
      await database?.drop();
    });

    /** Stops each server when it gets no new connections any more, and starts it again. */
    async function replaceAll(): Promise<void> {
      for (const server of servers) {
        balancer.takeOut(server.port);
        expect(await server.terminate()).toBe(0);
        await server.restart();
        balancer.putBack(server.port);
      }
    }

    it('no stream has a gap or a repeated frame, no run fails, and no model or tool is called twice', async () => {
      const jobs: Job[] = [];
      let number = 0;
      let isOver = false;
      const work = async (client: RollingClient): Promise<void> => {
        while (!isOver) {
          const job = (number += 1);
          jobs.push({ client, number: job, seen: await client.run(balancer.url, `job ${job}`) });
        }
      };
      const clients = Array.from({ length: CLIENTS_OF_A_KIND }, () => ROLLING_CLIENTS.map(work)).flat();
      const all = Promise.all(clients);
      const replaced = (async () => {
        await until(() => model.calls.size >= clients.length, 'all clients to have a run', 60_000);
        for (let round = 0; round < ROUNDS; round += 1) await replaceAll();
      })();
      // Whoever fails first, ends the test.
      await Promise.race([replaced, all]).finally(() => (isOver = true));
      await all;
      expect(jobs.length).toBeGreaterThan(2 * clients.length);
      for (const { client, number: job, seen } of jobs) expectAnswer(client, seen, model.textOf(job));
      await expectSameAgain(jobs.slice(-200), servers[0]?.url ?? '');
      expect(await outcomes(database)).toEqual([{ status: 'completed', attempt: 1, count: jobs.length }]);
      expect([...model.calls].filter(([, count]) => count !== 1)).toEqual([]);
      expect(model.calls.size).toBe(2 * jobs.length);
      const calls = unsafeCalls(database);
      expect([calls.length, new Set(calls).size]).toEqual([jobs.length, jobs.length]);
    });
  },
);

/** The pieces of the answer, once each and in order, whatever the wire writes around them. */
function expectAnswer({ name }: RollingClient, { text }: Seen, answer: string): void {
  expect([name, text]).not.toContain('SHUTTING_DOWN');
  const pieces = answer.trim().split(' ');
  let at = 0;
  for (const piece of pieces) {
    at = text.indexOf(`${piece} `, at) + 1;
    if (at === 0) throw new Error(`${name} lacks ${piece}: ${text.slice(-1000)}`);
  }
}

/** Whoever reads the runs now, from their beginning, gets the frames that the clients have got. */
async function expectSameAgain(jobs: readonly Job[], server: string): Promise<void> {
  for (const { client, seen } of jobs) {
    if (!seen.again) continue;
    const { route, frames } = seen.again;
    expect([client.name, frames]).toEqual([client.name, await new CursorReader(route).whole(server)]);
  }
}

async function outcomes({ env }: TestDatabase): Promise<readonly object[]> {
  const sql = new Client({ connectionString: env.DATABASE_URL });
  await sql.connect();
  const { rows } = await sql.query<object>(
    'SELECT status, attempt, COUNT(*)::int AS count FROM runs GROUP BY status, attempt ORDER BY status, attempt',
  );
  await sql.end();
  return rows;
}

import { Client } from 'pg';
import { chaosClients, type ChaosClient, type ChaosSeen } from '../support/chaos-clients.js';
import { COUNTING_SERVER, countingEnv, unsafeCalls } from '../support/counting-fleet.js';
import { CountingModelServer } from '../support/counting-model-server.js';
import { CursorReader } from '../support/cursor-reader.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { randomOf } from '../support/random.js';
import { NO_REDIS_SERVER, RedisServer } from '../support/redis-server.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

jest.setTimeout(600_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
/** How many faults there are, one after the other. */
const FAULTS = Number(process.env.CHAOS_FAULTS ?? 4);
const SERVERS = 3;
const CLIENTS_OF_A_KIND = 2;
const LEASE_MS = 3000;
const ENV = {
  LEASE_MS: String(LEASE_MS),
  SWEEP_INTERVAL_MS: '200',
  RUN_MAX_ATTEMPTS: '20',
  DRAIN_RUN_MS: '2000',
  DRAIN_STREAM_MS: '2000',
  SHUTDOWN_GRACE_MS: '2000',
  CONSOLE: 'off',
};

/** One run that a client has read to its end. */
interface Job {
  readonly number: number;
  readonly seen: ChaosSeen;
}

const WAYS = [...(NO_REDIS_SERVER ? [] : ['with Redis']), 'without Redis'] as const;

(POSTGRES ? describe : describe.skip).each(WAYS)(
  `three servers of which any may be lost, %s (CHAOS_SEED=${SEED})`,
  (way) => {
    const random = randomOf(SEED);
    let database: TestDatabase;
    let model: CountingModelServer;
    let redis: RedisServer | undefined;
    let servers: ServerProcess[] = [];

    beforeAll(async () => {
      database = await postgresDatabase(POSTGRES);
      model = await CountingModelServer.start({ tool: 'count_unsafe', pieces: 5, pauseMs: 250 });
      redis = way === 'with Redis' ? await RedisServer.start() : undefined;
      const env = { ...ENV, ...countingEnv(database, model, redis) };
      for (let count = 0; count < SERVERS; count += 1)
        servers.push(await ServerProcess.start(database, env, COUNTING_SERVER));
    });
    afterAll(async () => {
      for (const server of servers) server.signal('SIGCONT');
      await Promise.all(servers.map((server) => server.stop()));
      servers = [];
      await redis?.stop();
      await model?.close();
      await database?.drop();
    });

    /** A server is killed, stopped, or paused beyond its lease; a new one takes its place. */
    async function fault(): Promise<void> {
      const server = servers[Math.floor(random() * servers.length)];
      const kind = ['kill', 'stop', 'pause'][Math.floor(random() * 3)];
      if (kind === 'pause') {
        server?.signal('SIGSTOP');
        await new Promise((resolve) => setTimeout(resolve, LEASE_MS * (0.5 + random() * 1.5)));
        server?.signal('SIGCONT');
        return;
      }
      if (kind === 'kill') await server?.kill();
      else await server?.terminate();
      await server?.restart();
    }

    it('every run ends once, no reader has a gap or a repeat, no unsafe tool is called twice', async () => {
      const jobs: Job[] = [];
      let number = 0;
      let isOver = false;
      const work = async (client: ChaosClient): Promise<void> => {
        while (!isOver) {
          const job = (number += 1);
          const seen = await client.run(`job ${job}`);
          if (seen) jobs.push({ number: job, seen });
        }
      };
      const urls = servers.map(({ url }) => url);
      const clients = Array.from({ length: CLIENTS_OF_A_KIND }, () => chaosClients(urls)).flat();
      const all = Promise.all(clients.map(work));
      const faults = (async () => {
        for (let count = 0; count < FAULTS; count += 1) {
          const before = jobs.length;
          await fault();
          await until(() => jobs.length > before + clients.length / 4, 'runs to end after a fault', 90_000);
        }
      })();
      await Promise.race([faults, all]).finally(() => (isOver = true));
      await all;
      await until(async () => (await unfinished(database)).length === 0, 'every accepted run to end', 60_000);
      for (const { number: job, seen } of jobs) {
        expectAnswer(seen, model.textOf(job));
        expect([seen.name, seen.frames]).toEqual([seen.name, await new CursorReader(seen.route).whole(urls[0] ?? '')]);
      }
      expect(await failures(database)).toEqual([]);
      const effects = unsafeCalls(database);
      expect(new Set(effects).size).toBe(effects.length);
    });
  },
);

/** The pieces of the last answer, in order and at the end: what an attempt wrote before it was lost may precede them. */
function expectAnswer({ name, runId, frames }: ChaosSeen, answer: string): void {
  const text = frames.join('\n\n');
  let at = 0;
  for (const piece of answer.trim().split(' ')) {
    at = text.indexOf(`${piece} `, at) + 1;
    if (at === 0) throw new Error(`${name}, ${runId}: ${piece} is missing in ${text.slice(-1500)}`);
  }
}

async function unfinished(database: TestDatabase): Promise<readonly object[]> {
  return select(database, `SELECT id, status FROM runs WHERE status IN ('queued', 'running')`);
}

async function failures(database: TestDatabase): Promise<readonly object[]> {
  return select(database, `SELECT id, status, attempt, error FROM runs WHERE status <> 'completed'`);
}

async function select({ env }: TestDatabase, sql: string): Promise<readonly object[]> {
  const client = new Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

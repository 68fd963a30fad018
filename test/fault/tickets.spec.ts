import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { NO_REDIS_SERVER, RedisServer } from '../support/redis-server.js';
import { runInput, RunsClient } from '../support/runs-client.js';
import { ServerProcess } from '../support/server-process.js';
import { SlowProxy } from '../support/slow-proxy.js';
import { until } from '../support/until.js';

jest.setTimeout(120_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const WHY = POSTGRES ? NO_REDIS_SERVER : 'no TEST_DATABASE_URL';
/** No sweep comes while a test lasts: what starts elsewhere was brought by a ticket. */
const NO_SWEEPS = { LEASE_MS: '900000', SWEEP_INTERVAL_MS: '900000' };
const SWEEPS = { LEASE_MS: '5000', SWEEP_INTERVAL_MS: '200' };
const LONG = 'count to 300 slowly';
/** Takes about three seconds. */
const LONGER = 'count to 100 slowly';
const SHORT = 'count to 3 slowly';

(WHY ? describe.skip : describe)(`two servers that share a Redis${WHY ? ` (skipped: ${WHY})` : ''}`, () => {
  let database: TestDatabase;
  let redis: RedisServer;
  let servers: ServerProcess[] = [];

  async function start(env: Record<string, string>): Promise<[RunsClient, RunsClient]> {
    const one = () =>
      ServerProcess.start(database, { REDIS_URL: redis.url, RUN_CONCURRENCY: '1', LOG_LEVEL: 'info', ...env });
    servers = [await one(), await one()];
    return servers.map(({ url }) => new RunsClient(url)) as [RunsClient, RunsClient];
  }

  async function submit(client: RunsClient, text: string, changes: object = {}): Promise<string> {
    const { status, body } = await client.submit(runInput(text, { ...changes }));
    expect(status).toBe(202);
    return body.threadId;
  }

  async function running(client: RunsClient, threadId: string): Promise<void> {
    await until(async () => (await client.view(threadId, 'run-1')).body.status === 'running', 'the run to start');
  }

  beforeEach(async () => {
    database = await postgresDatabase(POSTGRES);
    redis = await RedisServer.start();
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await redis.stop();
    await database.drop();
  });

  it('a run that is accepted at a full one starts at the other', async () => {
    const [atA] = await start(NO_SWEEPS);
    await running(atA, await submit(atA, LONG));
    for (let run = 0; run < 3; run += 1) {
      const ended = await atA.ended(await submit(atA, SHORT), 'run-1');
      expect([ended.status, ended.attempt]).toEqual(['succeeded', 1]);
    }
  });

  it('runs that wait start when either has a free slot, and the next one of a thread after the one before', async () => {
    const [atA, atB] = await start(NO_SWEEPS);
    const threads = await Promise.all([atA, atB, atA, atB, atA, atB].map((client) => submit(client, SHORT)));
    const behind = { runId: 'run-2', messages: [{ id: 'msg-2', role: 'user', content: SHORT }] };
    for (const threadId of threads) await submit(atB, SHORT, { threadId, ...behind });
    for (const threadId of threads) {
      expect((await atA.ended(threadId, 'run-1')).status).toBe('succeeded');
      expect((await atB.ended(threadId, 'run-2')).status).toBe('succeeded');
    }
  });

  it('runs that wait start although their tickets were flushed', async () => {
    const [atA, atB] = await start(SWEEPS);
    for (const client of [atA, atB]) await running(client, await submit(client, LONGER));
    const waiting = await Promise.all([atA, atB, atA].map((client) => submit(client, SHORT)));
    await redis.command('FLUSHALL');
    for (const threadId of waiting) {
      const ended = await atB.ended(threadId, 'run-1');
      expect([ended.status, ended.attempt]).toEqual(['succeeded', 1]);
    }
    expect((await atA.ended(await submit(atA, SHORT), 'run-1')).status).toBe('succeeded');
  });

  it('runs start while Redis takes two seconds for each answer', async () => {
    const proxy = await SlowProxy.start(redis.port);
    const [atA, atB] = await start({ ...SWEEPS, REDIS_URL: proxy.url });
    proxy.delayMs = 2000;
    await running(atA, await submit(atA, LONGER));
    const ended = await Promise.all(
      [atA, atB].map(async (client) => client.ended(await submit(client, SHORT), 'run-1')),
    );
    expect(ended.map(({ status, attempt }) => [status, attempt])).toEqual(ended.map(() => ['succeeded', 1]));
    proxy.delayMs = 0;
    await Promise.all(servers.map((server) => server.stop()));
    await proxy.stop();
  });

  it.each(['stopped', 'paused'])(
    'nothing fails or waits while Redis is %s, and tickets work again after it',
    async (how) => {
      const [atA, atB] = await start(SWEEPS);
      if (how === 'stopped') await redis.stop();
      else redis.signal('SIGSTOP');
      await running(atA, await submit(atA, LONG));
      expect((await atA.ended(await submit(atA, SHORT), 'run-1')).status).toBe('succeeded');
      expect((await atB.ended(await submit(atB, SHORT), 'run-1')).status).toBe('succeeded');
      if (how === 'stopped') await redis.restart();
      else redis.signal('SIGCONT');
      await until(() => servers.every(({ output }) => output.includes('Redis is available again')), 'Redis to be used');
      expect((await atA.ended(await submit(atA, SHORT), 'run-1')).status).toBe('succeeded');
    },
  );
});

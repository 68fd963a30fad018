import { agentApi, CursorReader, WATCHED, watching } from '../support/cursor-reader.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { answerText, counted, expectWhole, ProcessClient } from '../support/process-client.js';
import { NO_REDIS_SERVER, RedisServer } from '../support/redis-server.js';
import { runInput, RunsClient } from '../support/runs-client.js';
import { ServerProcess } from '../support/server-process.js';
import { SlowProxy } from '../support/slow-proxy.js';

jest.setTimeout(120_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const WHY = POSTGRES ? NO_REDIS_SERVER : 'no TEST_DATABASE_URL';
const ENV = { LEASE_MS: '3000', SWEEP_INTERVAL_MS: '200', CONSOLE: 'off' };
const COUNT = 80;
const LONG = `count to ${COUNT} slowly`;

(WHY ? describe.skip : describe)(`several servers on one PostgreSQL${WHY ? ` (skipped: ${WHY})` : ''}`, () => {
  let database: TestDatabase;
  let redises: RedisServer[] = [];
  let servers: ServerProcess[] = [];

  beforeEach(async () => {
    database = await postgresDatabase(POSTGRES);
    redises = [await RedisServer.start(), await RedisServer.start()];
  });
  afterEach(async () => {
    for (const server of servers) server.signal('SIGCONT');
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all(redises.map((redis) => redis.stop()));
    await database.drop();
  });

  async function start(...envs: readonly Record<string, string>[]): Promise<readonly ServerProcess[]> {
    servers = await Promise.all(envs.map((env) => ServerProcess.start(database, { ...ENV, ...env })));
    return servers;
  }

  it('readers at a third server miss nothing when the one that executes the run is killed', async () => {
    const REDIS_URL = redises[0]?.url ?? '';
    const [a, b, web] = await start({ REDIS_URL }, { REDIS_URL }, { REDIS_URL, ROLE: 'web' });
    const own = await new ProcessClient(a?.url ?? '').say(LONG);
    await own.until(({ frames }) => frames.length > 3);
    const runId = own.frames[0]?.id ?? '';
    const readers = [agentApi(runId), ...WATCHED.map((protocol) => watching(runId, protocol))].map(
      (route) => new CursorReader(route),
    );
    const endings = Promise.all(readers.map((reader) => reader.read(web?.url ?? '')));
    await own.until(({ frames }) => frames.length > 20);
    await a?.kill();
    expect(await endings).toEqual(readers.map(() => 'ended'));
    const end = await new ProcessClient(b?.url ?? '').ended(runId);
    expect([end.status, answerText(end)]).toEqual(['completed', counted(COUNT)]);
    for (const { route, frames } of readers) {
      expect([route.name, frames]).toEqual([route.name, await new CursorReader(route).whole(b?.url ?? '')]);
    }
  });

  it('servers with two different Redis lose nothing: runs are found, read and canceled at both', async () => {
    const [redisA, redisB] = redises.map(({ url }) => url);
    const env = { RUN_CONCURRENCY: '1' };
    const [a, b] = await start({ ...env, REDIS_URL: redisA ?? '' }, { ...env, REDIS_URL: redisB ?? '' });
    const [atA, atB] = [a, b].map((server) => new RunsClient(server?.url ?? '')) as [RunsClient, RunsClient];
    const long = (await atA.submit(runInput('count to 1000 slowly'))).body.threadId;
    const stream = await atB.events(long);
    await stream.until(({ frames }) => frames.length > 8);
    // The only slot here is taken: no ticket reaches the other one.
    const short = (await atA.submit(runInput('count to 5'))).body.threadId;
    const ended = await atB.ended(short, 'run-1');
    expect([ended.status, ended.attempt]).toEqual(['succeeded', 1]);
    expect((await atB.json('POST', `/runs/${long}/run-1/cancel`)).status).toBeLessThan(300);
    await stream.all();
    expect((await atA.ended(long, 'run-1')).status).toBe('cancelled');
    expect(stream.frames.map(({ raw }) => raw)).toEqual(
      (await (await atA.events(long)).all()).frames.map(({ raw }) => raw),
    );
  });

  it('a server that is cut off from PostgreSQL writes nothing more, and another one continues its runs', async () => {
    const target = new URL(database.env.DATABASE_URL ?? '');
    const way = await SlowProxy.start(Number(target.port || 5432));
    target.port = String(way.port);
    const [b] = await start({});
    const cutOff = { ...database, env: { ...database.env, DATABASE_URL: target.toString() } };
    const a = await ServerProcess.start(cutOff, ENV);
    servers.push(a);
    const stream = await new ProcessClient(a.url).say(LONG);
    await stream.until(({ frames }) => frames.length > 20);
    const runId = stream.frames[0]?.id ?? '';
    const elsewhere = await new ProcessClient(b?.url ?? '').resume(runId, -1);
    await way.stop();
    const end = expectWhole((await elsewhere.all()).frames);
    expect([end.status, answerText(end)]).toEqual(['completed', counted(COUNT)]);
    // What the cut-off server has sent is what was committed.
    stream.leave();
    expect(elsewhere.frames.slice(0, stream.frames.length)).toEqual(stream.frames);
  });

  it('a pool of two connections is enough for many runs and readers at once', async () => {
    const pair = await start({ DATABASE_POOL_SIZE: '2' }, { DATABASE_POOL_SIZE: '2' });
    const clientOf = (index: number) => new ProcessClient(pair[index % 2]?.url ?? '');
    const streams = await Promise.all(
      Array.from({ length: 40 }, (_, index) => clientOf(index).say('count to 30 slowly')),
    );
    await Promise.all(streams.map((stream) => stream.until(({ frames }) => frames.length > 0)));
    const others = await Promise.all(
      streams.map(({ frames }, index) => clientOf(index + 1).resume(frames[0]?.id ?? '', -1)),
    );
    await Promise.all([...streams, ...others].map((stream) => stream.all()));
    streams.forEach(({ frames }, index) => {
      expect(answerText(expectWhole(frames))).toBe(counted(30));
      expect(others[index]?.frames).toEqual(frames);
    });
  });
});

import { Client } from 'pg';
import { DEFAULT_TENANT, tenantReach } from '../../src/common/index.js';
import { Runs } from '../../src/run/index.js';
import { RunWatch } from '../../src/run/log/run-watch.js';
import { RunRelay } from '../../src/run/ports/run-relay.js';
import { behaviour, JournalingCodeAgent, mutter, say, stopped } from '../support/code-agents.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { runRequest } from '../support/ledger.js';
import { type RawAnswer, rawRequest } from '../support/raw-http.js';
import { NO_REDIS_SERVER, RedisServer } from '../support/redis-server.js';
import { startServer, type TestServer } from '../support/server.js';
import { SlowProxy } from '../support/slow-proxy.js';
import { until } from '../support/until.js';

jest.setTimeout(240_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const WIRES = [
  'agent-api',
  'responses',
  'ag-ui',
  'ag-kit',
  'ag-kit-ag-ui',
  'ag-kit-bot',
  'runs',
  'chat-completions',
  'ai-sdk',
  'a2a',
  'a2a-0.3',
  'mcp',
];
const WHY = POSTGRES ? NO_REDIS_SERVER : 'TEST_DATABASE_URL is not set';
/** How many windows are measured at most until one is idle. */
const WINDOWS = 3;
/** Nothing but a signal or the watch is fast. */
const SLOW_SWEEPS = { LEASE_MS: '600000', SWEEP_INTERVAL_MS: '600000' };

/** What the run of a test says, piece by piece. */
class Story {
  private readonly pieces: (string | undefined)[] = [];
  private wake: () => void = () => undefined;

  /** Says the next piece; undefined ends the story. */
  tell(piece: string | undefined): void {
    this.pieces.push(piece);
    this.wake();
  }

  /** Makes it what agents do. */
  begin(): void {
    const next = async (): Promise<string | undefined> => {
      while (this.pieces.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
      return this.pieces.shift();
    };
    behaviour.current = async function* (context) {
      for (let piece = await next(); piece !== undefined; piece = await next()) {
        yield say(context, piece);
        await context.flush();
      }
    };
  }
}

/** A stream without its comments. */
function frames(answer: RawAnswer): string {
  return answer.chunks
    .join('')
    .replaceAll(/^:.*\n\n/gm, '')
    .trim();
}

(WHY ? describe.skip : describe)(`two servers on one PostgreSQL${WHY ? ` (skipped: ${WHY})` : ''}`, () => {
  let database: TestDatabase;
  let redis: RedisServer;
  let proxy: SlowProxy;
  let servers: TestServer[] = [];

  beforeEach(async () => {
    database = await postgresDatabase(POSTGRES);
    redis = await RedisServer.start();
    proxy = await SlowProxy.start(redis.port);
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await proxy.stop();
    await redis.stop();
    await database.drop();
  });

  /** @param redisUrls of the owner and of the other server; none without Redis */
  async function start(redisUrls: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<[TestServer, TestServer]> {
    const one = (url: string | undefined) => {
      const redisEnv = url === undefined ? {} : { REDIS_URL: url };
      const settings = { DEFAULT_AGENT: 'code-journal', SHUTDOWN_GRACE_MS: '100', ...redisEnv, ...env };
      return startServer({ database, env: settings, providers: [JournalingCodeAgent] });
    };
    const pair: [TestServer, TestServer] = [await one(redisUrls[0]), await one(redisUrls[1])];
    servers = pair;
    const isLive = () => pair.every((server) => server.get(RunRelay).state === 'live');
    if (redisUrls.length > 0) await until(isLive, 'both relays');
    return pair;
  }

  /** Starts a run. Returns its id. */
  async function submit(owner: TestServer): Promise<string> {
    const body = { input: [{ role: 'user', content: [{ type: 'text', text: 'a story' }] }] };
    const own = rawRequest(owner.port, 'POST', '/process', JSON.stringify(body));
    const runId = () => /"id":"([^"]+)"/.exec(own.chunks.join(''))?.[1] ?? false;
    return until(runId, 'the run');
  }

  interface Disturbance {
    readonly title: string;
    readonly redisUrls: () => readonly string[];
    /** Called before each tenth of the story. */
    readonly disturb?: (part: number) => Promise<unknown>;
  }
  const stopAndRestart = async (part: number) => {
    if (part === 3) await redis.stop();
    if (part === 6) await redis.restart();
  };
  const slow = (part: number) => Promise.resolve((proxy.delayMs = part >= 2 && part < 6 ? 2000 : 0));
  const disturbances: readonly Disturbance[] = [
    { title: 'without Redis', redisUrls: () => [] },
    { title: 'with Redis', redisUrls: () => [redis.url, redis.url] },
    { title: 'while Redis stops and starts', redisUrls: () => [redis.url, redis.url], disturb: stopAndRestart },
    {
      title: 'while Redis is flushed',
      redisUrls: () => [redis.url, redis.url],
      disturb: () => redis.command('FLUSHALL'),
    },
    { title: 'while Redis is slow for the reader', redisUrls: () => [redis.url, proxy.url], disturb: slow },
    { title: 'while Redis is slow for the owner', redisUrls: () => [proxy.url, redis.url], disturb: slow },
  ];

  it.each(disturbances)('a reader at the other gets the frames of the log on every wire $title', async (test) => {
    const [owner, other] = await start(test.redisUrls());
    const story = new Story();
    story.begin();
    const runId = await submit(owner);
    const address = (wire: string) => `/runs/${runId}/events?protocol=${wire}`;
    const readers = WIRES.map((wire) => ({ wire, answer: rawRequest(other.port, 'GET', address(wire)) }));
    for (let part = 0; part < 10; part += 1) {
      await test.disturb?.(part);
      for (let piece = 0; piece < 10; piece += 1) story.tell(`piece ${part}.${piece}. `);
      const last = `piece ${part}.9. `;
      // A client of MCP gets the text when it is whole.
      const hearing = readers.filter(({ wire }) => wire !== 'mcp');
      for (const { wire, answer } of hearing) await until(() => frames(answer).includes(last), `${last} on ${wire}`);
    }
    story.tell(undefined);
    for (const { wire, answer } of readers) {
      await until(() => answer.ended, `the end on ${wire}`);
      const replay = rawRequest(owner.port, 'GET', address(wire));
      await until(() => replay.ended, `the replay on ${wire}`);
      expect(frames(answer)).toBe(frames(replay));
    }
  });

  it('a cancel at the other reaches the owner without a sweep', async () => {
    const [owner, other] = await start([redis.url, redis.url], SLOW_SWEEPS);
    behaviour.current = async function* (context) {
      yield mutter(context, 'Once upon');
      await stopped(context);
    };
    const runId = await submit(owner);
    const runs = other.get(Runs);
    await runs.cancel(tenantReach(DEFAULT_TENANT), runId);
    const view = () => runs.view(tenantReach(DEFAULT_TENANT), runId);
    await until(async () => (await view()).state === 'canceled', 'the end of the run');
  });

  it('a reader of a queued run hears at once that it was canceled elsewhere', async () => {
    const [owner, other] = await start([redis.url, redis.url], { ...SLOW_SWEEPS, RUN_CONCURRENCY: '1' });
    behaviour.current = async function* (context) {
      yield mutter(context, 'Once upon');
      await stopped(context);
    };
    const request = (runId: string) => runRequest({ runId, sessionId: 'one', agentType: 'code-journal' });
    await owner.get(Runs).accept(request('running'));
    await owner.get(Runs).accept(request('waiting'));
    const reader = rawRequest(other.port, 'GET', '/runs/waiting/events?protocol=runs');
    await until(() => other.get(RunWatch).size > 0, 'the reader to wait');
    await owner.get(Runs).cancel(tenantReach(DEFAULT_TENANT), 'waiting');
    await until(() => reader.ended, 'the end of the stream');
  });

  it('idle servers with idle readers make at most 1.5 transactions per second each', async () => {
    const [owner, other] = await start([redis.url, redis.url], { RUN_CONCURRENCY: '8' });
    behaviour.current = async function* (context) {
      yield mutter(context, 'Once upon');
      await stopped(context);
    };
    const runIds = await Promise.all(Array.from({ length: 5 }, () => submit(owner)));
    const readers = Array.from({ length: 200 }, (_, index) => {
      return rawRequest(other.port, 'GET', `/runs/${runIds[index % runIds.length] ?? ''}/events?protocol=runs`);
    });
    for (const reader of readers) await until(() => reader.chunks.join('').includes('Once upon'), 'the beginning');
    await until(() => other.get(RunWatch).size === runIds.length, 'the readers to wait');
    const statistics = new Client({ connectionString: POSTGRES });
    await statistics.connect();
    const look = async (): Promise<{ count: number; seconds: number }> => {
      const name = new URL(database.env.DATABASE_URL ?? '').pathname.slice(1);
      const sql = `SELECT xact_commit + xact_rollback AS count, EXTRACT(EPOCH FROM clock_timestamp()) AS seconds
        FROM pg_stat_database WHERE datname = $1`;
      const { rows } = await statistics.query<{ count: string; seconds: string }>(sql, [name]);
      return { count: Number(rows[0]?.count), seconds: Number(rows[0]?.seconds) };
    };
    const settled = await look();
    // A connection that is idle reports its statistics up to ten seconds late.
    await until(async () => whenPassed(await look(), settled.seconds + 12), 'late statistics');
    // Transactions over the most that are allowed. A window in which chores are due, or in which Redis seems slow on a
    // busy machine, so that the database is watched more often, is no idle one: then once more.
    let over = Infinity;
    for (let window = 0; window < WINDOWS && over > 0; window += 1) {
      const first = await look();
      const last = await until(async () => whenPassed(await look(), first.seconds + 12), 'the time of the measurement');
      // The window begins and ends between two reports.
      const most = Math.ceil(1.5 * 2 * (last.seconds - first.seconds)) + 4;
      over = Math.min(over, last.count - first.count - most);
    }
    await statistics.end();
    expect(over).toBeLessThanOrEqual(0);
  });
});

function whenPassed<Look extends { readonly seconds: number }>(look: Look, seconds: number): Look | false {
  return look.seconds >= seconds && look;
}

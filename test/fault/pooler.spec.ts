import { Client } from 'pg';
import { userReach } from '../../src/common/index.js';
import { Database } from '../../src/database/index.js';
import { Runs } from '../../src/run/index.js';
import { behaviour, JournalingCodeAgent, say } from '../support/code-agents.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { runRequest } from '../support/ledger.js';
import { NO_PGBOUNCER, PgBouncer, POOLED } from '../support/pgbouncer.js';
import { answerText, counted, expectWhole, ProcessClient } from '../support/process-client.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const SKIPPED = POSTGRES === '' ? 'TEST_DATABASE_URL is not set' : NO_PGBOUNCER;

(SKIPPED ? describe.skip : describe)(`PgBouncer in transaction mode${SKIPPED ? ` (skipped: ${SKIPPED})` : ''}`, () => {
  let pooler: PgBouncer;
  let database: TestDatabase;
  let servers: TestServer[] = [];

  beforeAll(async () => (pooler = await PgBouncer.start(POSTGRES)));
  beforeEach(async () => (database = await postgresDatabase(POSTGRES)));
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    servers = [];
    await database.drop();
  });
  afterAll(() => pooler?.stop());

  it.each(['strict', 'relaxed'])(
    'two servers start together and stream runs with DURABILITY=%s',
    async (durability) => {
      const url = pooler.urlOf(database.env.DATABASE_URL ?? '');
      const pooled = { ...database, env: { ...database.env, DATABASE_URL: url } };
      const start = () => startServer({ database: pooled, env: { DURABILITY: durability } });
      servers = await Promise.all([start(), start()]);
      const [a, b] = servers as [TestServer, TestServer];
      const accepted = await new ProcessClient(a.url).say('count to 20 slowly');
      await accepted.until(({ frames }) => frames.length > 0);
      const other = await new ProcessClient(b.url).resume(accepted.frames[0]?.id as string, -1);
      const [own, others] = await Promise.all([accepted.all(), other.all()]);
      expect(answerText(expectWhole(own.frames))).toBe(counted(20));
      expect(others.frames).toEqual(own.frames);
      const stored = a.get(Database);
      const level = 'SHOW synchronous_commit';
      const inside = await stored.write((tx) => tx.all(level));
      expect(inside).toEqual([{ synchronous_commit: durability === 'strict' ? 'on' : 'off' }]);
      // A connection goes to others with its settings.
      for (let reads = 0; reads < 8; reads += 1)
        expect(await stored.read.all(level)).toEqual([{ synchronous_commit: 'on' }]);
      const locks = `SELECT COUNT(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      expect(await stored.read.all(locks)).toEqual([{ n: 0 }]);
    },
  );

  it('while all its server connections are in use, requests are refused and runs survive', async () => {
    const url = pooler.urlOf(database.env.DATABASE_URL ?? '');
    const env = { DEFAULT_AGENT: 'code-journal', DATABASE_WAIT_MS: '1000', LEASE_MS: '60000' };
    const pooled = { ...database, env: { ...database.env, DATABASE_URL: url } };
    const server = await startServer({ database: pooled, env, providers: [JournalingCodeAgent] });
    servers = [server];
    let goOn: () => void = () => undefined;
    const told = new Promise<void>((resolve) => (goOn = resolve));
    behaviour.current = async function* (context) {
      yield say(context, 'Before.');
      await context.flush();
      await told;
      yield say(context, 'After.');
      await context.flush();
    };
    const { run } = await server.get(Runs).accept(runRequest({ agentType: 'code-journal' }));
    const view = () => server.get(Runs).view(userReach(run), run.runId);
    await until(async () => (await view()).lastSeq >= 2, 'the first words');
    const ready = async (): Promise<number> => (await fetch(`${server.url}/readiness`)).status;
    const holders = Array.from({ length: POOLED }, () => new Client({ connectionString: url }));
    try {
      for (const holder of holders) {
        await holder.connect();
        await holder.query('BEGIN');
      }
      goOn();
      // Several refusals: connections of requests are cut meanwhile, and that of the run is not.
      for (let count = 0; count < 3; count += 1) expect(await ready()).toBe(503);
    } finally {
      await Promise.all(holders.map((holder) => holder.end()));
    }
    await until(async () => (await ready()) === 200, 'the server to be ready');
    const ended = await until(async () => {
      const found = await view();
      return found.finishedAt !== null && found;
    }, 'the end of the run');
    expect(ended).toMatchObject({ state: 'completed', attempt: 1 });
  });
});

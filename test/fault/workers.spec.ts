import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describeOnDatabases, postgresDatabase, type TestDatabase } from '../support/databases.js';
import { runInput, RunsClient, type RunState } from '../support/runs-client.js';
import { ServerProcess } from '../support/server-process.js';

jest.setTimeout(120_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const ENV = { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100' };
/** A process that becomes the first of a process namespace, as in a container. */
const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const NO_CONTAINER = spawnSync('unshare', [...CONTAINER.slice(1), 'true']).status === 0 ? '' : ' (skipped: no unshare)';
const FAKETIME = libfaketime();
const SKEWED = POSTGRES && FAKETIME ? '' : ` (skipped: no ${FAKETIME ? 'TEST_DATABASE_URL' : 'libfaketime'})`;

/** Runs that take about five seconds, one accepted at each server. */
async function longRuns(servers: readonly ServerProcess[]): Promise<RunState[]> {
  return Promise.all(
    servers.map(async ({ url }) => {
      const client = new RunsClient(url);
      return client.ended((await client.submit(runInput('count to 150 slowly'))).body.threadId, 'run-1');
    }),
  );
}

(NO_CONTAINER ? describe.skip : describe)(`two containers with one NODE_NAME${NO_CONTAINER}`, () => {
  describeOnDatabases('their servers', (openDatabase) => {
    let database: TestDatabase;
    let servers: ServerProcess[] = [];

    beforeAll(async () => {
      database = await openDatabase();
      const start = () =>
        ServerProcess.start(database, { ...ENV, NODE_NAME: 'agent' }, undefined, [...CONTAINER, process.execPath]);
      servers = [await start(), await start()];
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await database.drop();
    });

    it('neither takes over a run of the other, and each takes over those of the dead one', async () => {
      const ended = await longRuns([...servers, ...servers]);
      expect(ended.map(({ status, attempt }) => [status, attempt])).toEqual(ended.map(() => ['succeeded', 1]));
      const [a, b] = servers as [ServerProcess, ServerProcess];
      const { threadId } = (await new RunsClient(a.url).submit(runInput('count to 150 slowly'))).body;
      await a.kill();
      const taken = await new RunsClient(b.url).ended(threadId, 'run-1');
      expect([taken.status, taken.attempt]).toEqual(['succeeded', 2]);
    });
  });
});

(SKEWED ? describe.skip : describe)(`servers whose clocks differ by a minute${SKEWED}`, () => {
  it.each(['+60s', '-60s'])('no run is taken over: %s', async (offset) => {
    const database = await postgresDatabase(POSTGRES);
    const skewed = { LD_PRELOAD: FAKETIME ?? '', FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
    const servers = [
      await ServerProcess.start(database, ENV),
      await ServerProcess.start(database, { ...ENV, ...skewed, NO_FAKE_STAT: '1' }),
    ];
    const times = await Promise.all(servers.map(async ({ url }) => (await fetch(url)).headers.get('date') ?? ''));
    const ended = await longRuns(servers);
    await Promise.all(servers.map((server) => server.stop()));
    await database.drop();
    expect(Math.abs(Date.parse(times[1] ?? '') - Date.parse(times[0] ?? ''))).toBeGreaterThan(55_000);
    expect(ended.map(({ status, attempt }) => [status, attempt])).toEqual(ended.map(() => ['succeeded', 1]));
  });
});

(POSTGRES ? describe : describe.skip)(
  `a worker on PostgreSQL${POSTGRES ? '' : ' (skipped: no TEST_DATABASE_URL)'}`,
  () => {
    let database: TestDatabase;
    let server: ServerProcess;
    let other: TestDatabase | undefined;

    beforeEach(async () => {
      database = await postgresDatabase(POSTGRES);
      server = await ServerProcess.start(database, { ...ENV, NODE_NAME: 'first' });
    });
    afterEach(async () => {
      await server.stop();
      if (other) await rm(other.env.DATA_DIR, { recursive: true, force: true });
      await database.drop();
    });

    it('it stops its runs and joins again when its row is gone', async () => {
      const client = new RunsClient(server.url);
      const { threadId } = (await client.submit(runInput('count to 150 slowly'))).body;
      const stream = await client.events(threadId);
      await stream.until(({ frames }) => frames.length > 5);
      const sql = new Client({ connectionString: database.env.DATABASE_URL });
      await sql.connect();
      const before = await sql.query<{ id: string }>('DELETE FROM workers RETURNING id');
      const ended = await client.ended(threadId, 'run-1');
      const after = await sql.query<{ id: string }>('SELECT id FROM workers');
      await sql.end();
      expect([ended.status, ended.attempt]).toEqual(['succeeded', 2]);
      expect(after.rows).toHaveLength(1);
      expect(after.rows[0]?.id).not.toBe(before.rows[0]?.id);
    });

    /** The same database, and another data folder. */
    async function elsewhere(): Promise<TestDatabase> {
      return (other = {
        ...database,
        env: { ...database.env, DATA_DIR: await mkdtemp(join(tmpdir(), 'parley-test-')) },
      });
    }

    it('another server with keys and uploads of its own refuses to start, and names them', async () => {
      await expect(ServerProcess.start(await elsewhere(), ENV)).rejects.toThrow(
        /Parley cannot start: (?=.*ATTACHMENT_SIGNING_KEYS)(?=.*RESPONSES_SEALING_KEYS)(?=.*ATTACHMENT_STORE).* must be the same.* the running server first \(/,
      );
    });

    it('another server that shares the data folder starts, and one on other data once the first has stopped', async () => {
      const second = await ServerProcess.start(database, ENV);
      await second.terminate();
      expect(await server.terminate()).toBe(0);
      const later = await ServerProcess.start(await elsewhere(), ENV);
      await later.stop();
    });
  },
);

function libfaketime(): string | undefined {
  const folders = existsSync('/usr/lib') ? readdirSync('/usr/lib') : [];
  return folders.map((folder) => join('/usr/lib', folder, 'faketime/libfaketime.so.1')).find(existsSync);
}

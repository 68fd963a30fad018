import { CursorReader, runsApi } from '../support/cursor-reader.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { NO_POSTGRES_SERVER, PostgresServer } from '../support/postgres-server.js';
import { runInput, RunsClient } from '../support/runs-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

jest.setTimeout(180_000);

const ENV = { LEASE_MS: '3000', SWEEP_INTERVAL_MS: '200', RUN_MAX_ATTEMPTS: '10', CONSOLE: 'off' };
const RUNS = 10;

(NO_POSTGRES_SERVER ? describe.skip : describe)(
  `two servers whose PostgreSQL crashes${NO_POSTGRES_SERVER ? ` (skipped: ${NO_POSTGRES_SERVER})` : ''}`,
  () => {
    let postgres: PostgresServer;
    let database: TestDatabase;
    let servers: readonly ServerProcess[] = [];

    beforeAll(async () => {
      postgres = await PostgresServer.start();
      database = await postgresDatabase(postgres.url);
      servers = await Promise.all([1, 2].map(() => ServerProcess.start(database, ENV)));
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await database?.drop();
      await postgres?.stop();
    });

    it('no event that a client has received is lost, and every run is continued', async () => {
      const urls = servers.map(({ url }) => url);
      const urlOf = (index: number): string => urls[index % 2] ?? '';
      const accepted = await Promise.all(
        Array.from({ length: RUNS }, (_, index) => new RunsClient(urlOf(index)).submit(runInput('count to 60 slowly'))),
      );
      const threads = accepted.map(({ body }) => body.threadId);
      const readers = threads.map((threadId) => new CursorReader(runsApi(threadId, 'run-1')));
      await Promise.all(readers.map((reader, index) => reader.read(urlOf(index), 12)));
      const cut = readers.map((reader, index) => reader.read(urlOf(index + 1)));
      await until(() => readers.every(({ frames }) => frames.length > 20), 'the readers to follow');
      await postgres.crash();
      await postgres.restart();
      await Promise.all(cut);
      for (const [index, reader] of readers.entries()) {
        const ended = await new RunsClient(urlOf(index)).ended(threads[index], 'run-1');
        expect(ended.status).toBe('succeeded');
        await reader.read(urlOf(index));
        expect(reader.frames).toEqual(await reader.whole(urlOf(index + 1)));
      }
    });
  },
);

import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { answerText, expectWhole, ProcessClient } from '../support/process-client.js';
import { NO_POSTGRES_SERVER, PostgresServer } from '../support/postgres-server.js';
import { ServerProcess } from '../support/server-process.js';
import { TcpBalancer } from '../support/tcp-balancer.js';
import { until } from '../support/until.js';

jest.setTimeout(180_000);

(NO_POSTGRES_SERVER ? describe.skip : describe)(
  `an asynchronous standby that is promoted without the last commits${NO_POSTGRES_SERVER ? ` (skipped: ${NO_POSTGRES_SERVER})` : ''}`,
  () => {
    let primary: PostgresServer;
    let standby: PostgresServer;
    let replication: TcpBalancer;
    let address: TcpBalancer;
    let database: TestDatabase;
    let server: ServerProcess;

    beforeAll(async () => {
      primary = await PostgresServer.start();
      replication = await TcpBalancer.start([primary.port]);
      standby = await PostgresServer.standby(Number(new URL(replication.url).port));
      address = await TcpBalancer.start([primary.port]);
      database = await postgresDatabase(primary.url);
      const url = new URL(database.env.DATABASE_URL ?? '');
      url.port = new URL(address.url).port;
      const env = { ...database.env, DATABASE_URL: url.toString() };
      server = await ServerProcess.start({ ...database, env }, { LEASE_MS: '60000', CONSOLE: 'off' });
    });
    afterAll(async () => {
      await server?.stop();
      await address?.stop();
      await replication?.stop();
      await Promise.all([standby?.stop(), primary?.stop()]);
    });

    it('runs keep the numbers of the events that clients have, and fail visibly', async () => {
      expect(server.output).toContain('standbys of PostgreSQL are asynchronous');
      const client = new ProcessClient(server.url);
      const streams = await Promise.all([1, 2, 3].map(() => client.say('count to 2000 slowly')));
      const reach = (count: number): Promise<unknown> =>
        Promise.all(streams.map((stream) => stream.until(({ frames }) => frames.length > count)));
      await reach(10);
      await replication.stop();
      // What comes now is committed at the primary only.
      await reach(Math.max(...streams.map(({ frames }) => frames.length)) + 20);
      await primary.crash();
      address.takeOut(primary.port);
      await standby.promote();
      address.putBack(standby.port);
      await Promise.all(streams.map((stream) => stream.all()));
      for (const stream of streams) {
        const end = expectWhole(stream.frames);
        expect([end.status, end.error?.code]).toEqual(['failed', 'DATABASE_ERROR']);
        expect(answerText(end)).toMatch(/^1 2 3 /);
        const again = await (await client.resume(end.id ?? '', -1)).all();
        expect(again.frames).toEqual(stream.frames);
      }
      expect(server.output).toContain('Was an asynchronous standby promoted?');
      await until(async () => (await fetch(`${server.url}/readiness`)).ok, 'the server to be ready');
      expect(expectWhole((await client.ask('count to 3')).frames).status).toBe('completed');
    });
  },
);

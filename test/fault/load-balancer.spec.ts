import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { HaProxy, NO_HAPROXY } from '../support/haproxy.js';
import { PauselessClients } from '../support/pauseless-clients.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

jest.setTimeout(300_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const SKIPPED = POSTGRES ? NO_HAPROXY : 'no TEST_DATABASE_URL';
const CLIENTS_OF_A_KIND = 3;
const ENV = { LEASE_MS: '5000', SWEEP_INTERVAL_MS: '200', CONSOLE: 'off' };

(SKIPPED ? describe.skip : describe)(
  `two servers behind a load balancer that looks at /readiness${SKIPPED ? ` (skipped: ${SKIPPED})` : ''}`,
  () => {
    let database: TestDatabase;
    let servers: readonly [ServerProcess, ServerProcess];
    let balancer: HaProxy;

    beforeAll(async () => {
      database = await postgresDatabase(POSTGRES);
      servers = [await ServerProcess.start(database, ENV), await ServerProcess.start(database, ENV)];
      balancer = await HaProxy.start([servers[0].port, servers[1].port]);
    });
    afterAll(async () => {
      await balancer?.stop();
      await Promise.all(servers.map((server) => server.stop()));
      await database?.drop();
    });

    it('no request fails while each is stopped and started again', async () => {
      const clients = new PauselessClients(balancer.url);
      clients.start(CLIENTS_OF_A_KIND);
      for (const [index, server] of servers.entries()) {
        await until(() => clients.answered > 10 * CLIENTS_OF_A_KIND, 'requests to be answered');
        expect(await server.terminate()).toBe(0);
        const before = clients.answered;
        await until(() => clients.answered > before + 10 * CLIENTS_OF_A_KIND, 'the other to answer');
        await server.restart();
        await until(async () => (await balancer.states())[index]?.startsWith('UP') === true, 'the server to be up');
      }
      await clients.stop();
      expect(clients.failed).toEqual([]);
    });
  },
);

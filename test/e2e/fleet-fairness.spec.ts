import { Runs } from '../../src/run/index.js';
import { RunRelay } from '../../src/run/ports/run-relay.js';
import { RunTickets } from '../../src/run/ports/run-tickets.js';
import { behaviour, JournalingCodeAgent, say } from '../support/code-agents.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { runRequest } from '../support/ledger.js';
import { NO_REDIS_SERVER, RedisServer } from '../support/redis-server.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

jest.setTimeout(120_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
/** Runs of the tenant that came first, and of the others. */
const MANY = 24;
const FEW = 4;
/** Runs that may begin before it is their turn: two slots, and one ticket that each process has in its hand. */
const SLACK = 4;

(POSTGRES ? describe : describe.skip)(
  `two servers, one slot each${POSTGRES ? '' : ' (skipped: no PostgreSQL)'}`,
  () => {
    let database: TestDatabase;
    let redis: RedisServer | undefined;
    let servers: TestServer[] = [];

    beforeEach(async () => {
      database = await postgresDatabase(POSTGRES);
    });
    afterEach(async () => {
      await Promise.all(servers.map((server) => server.close()));
      await redis?.stop();
      redis = undefined;
      await database.drop();
    });

    async function start(isRedisUsed: boolean): Promise<readonly [TestServer, TestServer]> {
      if (isRedisUsed) redis = await RedisServer.start();
      const hints = redis ? { REDIS_URL: redis.url } : { SWEEP_INTERVAL_MS: '100' };
      const one = () => {
        const env = { RUN_CONCURRENCY: '1', DEFAULT_AGENT: 'code-journal', ...hints };
        return startServer({ database, env, providers: [JournalingCodeAgent] });
      };
      const pair = [await one(), await one()] as const;
      servers = [...pair];
      const isLive = () =>
        pair.every((server) => server.get(RunRelay).state === 'live' && server.get(RunTickets).isLive);
      if (isRedisUsed) await until(isLive, 'Redis to be used');
      return pair;
    }

    const cases = [
      { title: 'without Redis', isRedisUsed: false, test: it },
      { title: 'with Redis', isRedisUsed: true, test: NO_REDIS_SERVER ? it.skip : it },
    ];
    for (const { title, isRedisUsed, test } of cases) {
      test(`take turns between tenants ${title}, wherever their runs were accepted`, async () => {
        const [first, second] = await start(isRedisUsed);
        const began: string[] = [];
        let open: () => void = () => undefined;
        const gate = new Promise<void>((resolve) => (open = resolve));
        behaviour.current = async function* (context) {
          began.push(context.principal.tenantId);
          await gate;
          yield say(context, 'Done.');
          await context.flush();
        };
        const accept = async (server: TestServer, tenantId: string, count: number): Promise<void> => {
          for (let run = 0; run < count; run += 1) {
            const id = `${tenantId}-${run}`;
            const principal = { tenantId, userId: 'user' };
            await server
              .get(Runs)
              .accept(runRequest({ runId: id, sessionId: id, agentType: 'code-journal', principal }));
          }
        };
        await accept(first, 'many', MANY);
        await until(() => began.length === 2, 'both slots to be taken');
        await accept(second, 'few', FEW);
        await accept(first, 'others', FEW);
        open();
        await until(() => began.length === MANY + 2 * FEW, 'all runs to begin', 60_000);
        for (const tenant of ['few', 'others']) {
          const before = began.slice(0, began.lastIndexOf(tenant)).filter((one) => one === 'many').length;
          expect(before).toBeLessThanOrEqual(FEW + SLACK);
        }
      });
    }
  },
);

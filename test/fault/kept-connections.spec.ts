import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { Client } from 'pg';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { PauselessClients } from '../support/pauseless-clients.js';
import { RawAnswer } from '../support/raw-http.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

jest.setTimeout(300_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const ROUNDS = 3;
const CLIENTS_OF_A_KIND = 3;
const ENV = { LEASE_MS: '5000', SWEEP_INTERVAL_MS: '200', LOG_LEVEL: 'info', WORKERS: '2', CONSOLE: 'off' };

(POSTGRES ? describe : describe.skip)(
  `kept connections to two processes on one port${POSTGRES ? '' : ' (skipped: no TEST_DATABASE_URL)'}`,
  () => {
    let database: TestDatabase;
    let server: ServerProcess;
    let clients: PauselessClients;

    beforeEach(async () => {
      database = await postgresDatabase(POSTGRES);
      server = await ServerProcess.start(database, ENV);
      await until(async () => (await processIds(database)).length === 2, 'both processes', 90_000);
      clients = new PauselessClients(server.url);
    });
    afterEach(async () => {
      await clients.stop();
      await server.stop();
      await database.drop();
    });

    it('no request fails while the processes are replaced three times', async () => {
      clients.start(CLIENTS_OF_A_KIND);
      for (let round = 1; round <= ROUNDS; round += 1) {
        const before = clients.answered;
        server.signal('SIGHUP');
        await until(() => replacements(server) === round, 'both to be replaced', 90_000);
        await until(() => clients.answered > before + 10 * CLIENTS_OF_A_KIND, 'requests to be answered');
      }
      await clients.stop();
      expect(clients.failed).toEqual([]);
    });

    (process.platform === 'linux' ? it : it.skip)(
      'only requests on connections of a killed process fail; those that it had not accepted go to the other',
      async () => {
        clients.start(CLIENTS_OF_A_KIND);
        await until(() => clients.answered > 10 * CLIENTS_OF_A_KIND, 'requests to be answered');
        const [victim = 0] = await processIds(database);
        process.kill(victim, 'SIGSTOP');
        const own = clientPorts(victim, server.port);
        // Each process gets the next connection when it has accepted the one before.
        const sockets = [1, 2, 3, 4].map(() => connect(server.port, '127.0.0.1'));
        const answers = sockets.map((socket) => new RawAnswer(socket));
        for (const socket of sockets)
          socket.write('GET /liveness HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
        await until(() => answers.filter(({ closed }) => closed).length >= 3, 'the other process to answer');
        process.kill(victim, 'SIGKILL');
        await until(() => answers.every(({ closed }) => closed), 'all connections to be answered');
        expect(answers.map(({ head }) => head.split('\r\n')[0])).toEqual(answers.map(() => 'HTTP/1.1 200 OK'));
        await until(async () => (await processIds(database)).filter((pid) => pid !== victim).length === 2, 'another');
        await clients.stop();
        for (const { localPort = 0 } of clients.failed.filter(({ client }) => client.startsWith('node:http')))
          expect(own).toContain(localPort);
        expect(clients.failed.length).toBeLessThanOrEqual(own.length);
      },
    );
  },
);

function replacements({ output }: ServerProcess): number {
  return output.split('All processes were replaced').length - 1;
}

/** The system's ids of the processes that execute runs. */
async function processIds({ env }: TestDatabase): Promise<readonly number[]> {
  const sql = new Client({ connectionString: env.DATABASE_URL });
  await sql.connect();
  const { rows } = await sql.query<{ pid: number }>('SELECT pid FROM workers WHERE draining = 0 ORDER BY pid');
  await sql.end();
  return rows.map(({ pid }) => pid);
}

/** The ports of the clients whose connections to a port a process holds. */
function clientPorts(pid: number, port: number): readonly number[] {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  const inodes = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const lines = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n').slice(1);
  return lines.flatMap((line) => {
    const [, local = '', remote = '', , , , , , , inode] = line.trim().split(/\s+/);
    return inodes.has(inode) && portOf(local) === port ? [portOf(remote)] : [];
  });
}

function portOf(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '', 16);
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../src/cli/index.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { bearer } from '../support/keys.js';
import { rawRequest } from '../support/raw-http.js';
import { clientFrame, openRawWebSocket } from '../support/raw-web-socket.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

jest.setTimeout(120_000);

const MIB = 1024 * 1024;
const SOCKETS = 40;
/** Messages that may wait on one connection. */
const MESSAGES = 16;
const HOLD = clientFrame(JSON.stringify({ type: 'response.create', model: 'default', input: 'count to 5000 slowly' }));
const LARGE = clientFrame(JSON.stringify({ type: 'response.create', input: 'x'.repeat(7 * MIB) }));
/** The head of a frame, and all of it but the last byte. */
const INCOMPLETE = LARGE.subarray(0, LARGE.length - 1);
/** What the server may hold for its clients, and half as much again for what the collector has not freed. */
const MOST_BYTES = 1.5 * 256 * MIB;

(process.platform === 'linux' ? describe : describe.skip).each(['none', 'keys'])(
  'clients that send more than they may, with AUTH=%s',
  (AUTH) => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-limits-'));
    let database: TestDatabase;
    let server: ServerProcess;
    let credential: readonly string[];
    let open: Socket[] = [];

    beforeAll(async () => {
      database = await sqliteDatabase();
      const file = join(folder, 'limits.json');
      const requests = { perMinute: 100_000, burst: 100_000 };
      const user = { sockets: SOCKETS, requests, runStarts: requests, activeRuns: 10 * SOCKETS };
      writeFileSync(file, JSON.stringify({ user }));
      server = await ServerProcess.start(database, {
        AUTH,
        LIMITS_FILE: file,
        LOG_LEVEL: 'error',
        KEEP_ALIVE_MS: '500',
      });
      credential = AUTH === 'keys' ? [`authorization: ${bearer(await createKey()).authorization}`] : [];
    });
    afterEach(() => {
      for (const socket of open) socket.destroy();
      open = [];
    });
    afterAll(async () => {
      await server.stop();
      await database.drop();
      rmSync(folder, { recursive: true });
    });

    async function createKey(): Promise<string> {
      const lines: string[] = [];
      const terminal = { out: (line: string) => lines.push(line), note: () => undefined, input: async () => '' };
      await runCli(['key', 'create', '--tenant', 'default', '--account', 'ci', '--json'], database.env, terminal);
      return (JSON.parse(lines.join('\n')) as { secret: string }).secret;
    }

    /** Resident bytes of the server. */
    function memory(): number {
      const status = readFileSync(`/proc/${server.pid}/status`, 'latin1');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    }

    /** The server's memory once the clients can send nothing more, in comparison with the one before. */
    async function growth(before: number): Promise<number> {
      const sent = (): number => open.reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0);
      let last = -1;
      let since = performance.now();
      await until(
        () => {
          if (sent() !== last) [last, since] = [sent(), performance.now()];
          return performance.now() - since > 1000;
        },
        'the server to take nothing more',
        60_000,
      );
      const after = memory();
      expect((await fetch(`${server.url}/liveness`)).status).toBe(200);
      return after - before;
    }

    async function sockets(): Promise<readonly Socket[]> {
      // Those of the test before are closed once the server has noticed that their clients are gone.
      const next = (): Promise<Socket> => until(() => openRawWebSocket(server.port, credential), 'a free place');
      for (let count = 0; count < SOCKETS; count += 1) open.push(await next());
      return open;
    }

    it('messages that wait on WebSockets are bounded in bytes', async () => {
      const before = memory();
      for (const socket of await sockets()) {
        socket.resume().write(HOLD);
        for (let message = 0; message < MESSAGES; message += 1) socket.write(LARGE);
      }
      expect(await growth(before)).toBeLessThan(MOST_BYTES);
    });

    it('messages that never end are bounded in bytes', async () => {
      const before = memory();
      for (const socket of await sockets()) socket.resume().write(INCOMPLETE);
      expect(await growth(before)).toBeLessThan(MOST_BYTES);
    });

    it('a client that sends and pings, and takes no answer, is not read', async () => {
      const before = memory();
      const flood = Buffer.concat([
        ...Array.from({ length: 2000 }, () => clientFrame('[]')),
        ...Array.from({ length: 2000 }, () => clientFrame('x'.repeat(125), 9)),
      ]);
      for (const socket of await sockets()) {
        socket.pause();
        for (let round = 0; round < 20; round += 1) socket.write(flood);
      }
      expect(await growth(before)).toBeLessThan(MOST_BYTES);
    });

    it('bodies that arrive at the same time are bounded in bytes', async () => {
      const before = memory();
      const length = 7 * MIB;
      const half = Buffer.alloc(length - 1, ' ');
      for (let count = 0; count < 2 * SOCKETS; count += 1) {
        const headers = ['content-type: application/json', `content-length: ${length}`, ...credential];
        const { socket } = rawRequest(server.port, 'POST', '/process', undefined, headers);
        socket.write(half);
        open.push(socket);
      }
      expect(await growth(before)).toBeLessThan(MOST_BYTES);
    });
  },
);

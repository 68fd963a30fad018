import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { runCli } from '../../src/cli/index.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { freePort } from '../support/free-port.js';
import { FuzzRequests } from '../support/fuzz-requests.js';
import { bearer } from '../support/keys.js';
import { randomOf } from '../support/random.js';
import { ServerProcess } from '../support/server-process.js';

jest.setTimeout(120_000);

const SEED = Number(process.env.FUZZ_SEED ?? 20_250_825);
/** For each way to authenticate, in milliseconds: half a minute in all. */
const FUZZ_MS = Number(process.env.FUZZ_MS ?? 15_000);
const CLIENTS = 32;
/** Milliseconds for which a client waits for an answer at most. */
const PATIENCE_MS = 500;
const LOOK_MS = 500;
/** Milliseconds for which the server may be busy with one thing, in nine of ten looks; on a busy machine up to five times that. */
const MOST_DELAY_MS = 200;
const ONCE_DELAY_MS = 1000;

/** How a client leaves. */
type Leaving = 'reset' | 'close' | 'half-close';

describe.each(['none', 'keys'])(`any requests and upgrades, with AUTH=%s (FUZZ_SEED=${SEED})`, (AUTH) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-limits-'));
  let database: TestDatabase;
  let server: ServerProcess;
  let metrics: string;
  let requests: FuzzRequests;
  /** What was answered though it should not have been, with what was sent. */
  const broken: string[] = [];
  let answered = 0;

  beforeAll(async () => {
    database = await sqliteDatabase();
    const [file, METRICS_PORT] = [join(folder, 'limits.json'), String(await freePort())];
    const many = { perMinute: 1_000_000, burst: 1_000_000 };
    writeFileSync(file, JSON.stringify({ user: { requests: many }, tenant: { requests: many } }));
    server = await ServerProcess.start(database, { AUTH, LIMITS_FILE: file, METRICS_PORT, LOG_LEVEL: 'error' });
    metrics = `http://127.0.0.1:${METRICS_PORT}/metrics`;
    const credential = AUTH === 'keys' ? `authorization: ${bearer(await createKey()).authorization}` : undefined;
    requests = new FuzzRequests(randomOf(SEED), credential);
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

  /** How long the server's event loop was held up at most since the last look, in milliseconds. */
  async function delayOfServer(): Promise<number> {
    const text = await (await fetch(metrics)).text();
    return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1000;
  }

  async function client(end: number): Promise<void> {
    while (performance.now() < end)
      await attack(connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }));
  }

  /** Sends a request or a part of it, reads a while or not at all, and leaves. */
  async function attack(socket: Socket): Promise<void> {
    socket.on('error', () => undefined);
    const request = requests.request();
    const sent = requests.chance(0.3) ? request.subarray(0, requests.below(request.length) + 1) : request;
    let answer = '';
    socket.on('data', (data) => (answer += answer.length < 1000 ? data.toString('latin1') : ''));
    const isReading = requests.chance(0.8);
    if (!isReading) socket.pause();
    socket.write(sent);
    if (requests.chance(0.8)) await leaveOrTimeout(socket, 'data', requests.below(PATIENCE_MS));
    if (answer.startsWith('HTTP/1.1 101 ')) {
      for (let frames = requests.below(40) + 1; frames > 0; frames -= 1) socket.write(requests.frame());
      await leaveOrTimeout(socket, 'data', requests.below(PATIENCE_MS));
    }
    await leave(socket, requests.one<Leaving>(['reset', 'close', 'half-close']));
    if (answer !== '') answered += 1;
    if (/^HTTP\/1.1 5(?!03)/.test(answer)) broken.push(`${sent.toString('latin1').slice(0, 500)}\n=> ${answer}`);
  }

  async function leave(socket: Socket, how: Leaving): Promise<void> {
    if (how === 'half-close') {
      socket.end();
      await leaveOrTimeout(socket, 'end', PATIENCE_MS);
    }
    if (socket.destroyed) return;
    const closed = once(socket, 'close');
    if (how === 'reset') socket.resetAndDestroy();
    else socket.destroy();
    await closed;
  }

  async function leaveOrTimeout(socket: Socket, event: string, milliseconds: number): Promise<void> {
    if (!socket.destroyed)
      await once(socket, event, { signal: AbortSignal.timeout(milliseconds + 1) }).catch(() => undefined);
  }

  it('leave the process alive, answer nothing with an error of the server, and hold nobody up', async () => {
    const { pid } = server;
    const own = monitorEventLoopDelay();
    own.enable();
    await delayOfServer();
    const end = performance.now() + FUZZ_MS;
    const clients = Array.from({ length: CLIENTS }, () => client(end));
    const delays: number[] = [];
    while (performance.now() < end) {
      await delay(LOOK_MS);
      delays.push(await delayOfServer());
    }
    await Promise.all(clients);
    own.disable();
    expect([(await fetch(`${server.url}/liveness`)).status, server.pid]).toEqual([200, pid]);
    expect(answered).toBeGreaterThan(100);
    expect(broken).toEqual([]);
    // What holds up this process too is the machine.
    const machine = own.percentile(99) / 1e6;
    const longest = delays.sort((one, other) => other - one);
    expect((longest[Math.floor(delays.length / 10)] ?? 0) - machine).toBeLessThan(MOST_DELAY_MS);
    expect((longest[0] ?? 0) - machine).toBeLessThan(ONCE_DELAY_MS);
  });
});

import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';
import { WIRES } from '../support/wires.js';

const SERVER = join(__dirname, 'fixtures/retaining-server.mjs');
/** Streams that are open at once. */
const AT_ONCE = 16;
/** Streams of each wire after which the code of the server is compiled and its tables have their size. */
const WARM_UP = 300;
const STREAMS = 300;
/** Measurements of each wire at most. */
const MEASUREMENTS = 3;
/** Bytes of each stream that may be left over: about twice as many as are. A stream makes some 80 KB of garbage. */
const LEFT = 14_000;

describe('streams that have ended', () => {
  let database: TestDatabase;
  let server: ServerProcess;
  let agent: Agent;

  beforeAll(async () => {
    database = await sqliteDatabase();
    const env = {
      COUNT_OBJECTS: 'false',
      RESUME_CACHE_BYTES: '0',
      LOG_LEVEL: 'silent',
      NODE_OPTIONS: '--max-semi-space-size=64',
    };
    // V8 decides by load how large the space of young objects is; in a large one it keeps more of them.
    server = await ServerProcess.start(database, env, SERVER, [process.execPath, '--min-semi-space-size=16']);
    agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  });

  afterAll(async () => {
    agent.destroy();
    await server.stop();
    await database.drop();
  });

  it.each(WIRES.map(({ name }) => name))(
    'are collected as young objects, on %s',
    async (wire) => {
      await streams(wire, WARM_UP);
      // What else the process does may add to one measurement; what streams leave behind is in each.
      const left: number[] = [];
      while (left.length < MEASUREMENTS && left.every((one) => one >= LEFT)) {
        server.signal('SIGUSR2');
        await next('heap');
        await streams(wire, STREAMS);
        server.signal('SIGWINCH');
        left.push(Math.round((await next('left')) / STREAMS));
      }
      expect(Math.min(...left)).toBeLessThan(LEFT);
    },
    60_000,
  );

  async function streams(wire: string, count: number): Promise<void> {
    let open = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (open++ < count) await stream(wire);
      }),
    );
  }

  async function stream(name: string): Promise<void> {
    const wire = WIRES.find((one) => one.name === name);
    if (!wire) throw new Error(`no wire ${name}`);
    const { path, body, headers = [] } = wire.say({ sessionId: randomUUID(), words: 'speak', turn: 1 });
    // Of the Responses API: a conversation would have to exist.
    const { conversation: _unknown, ...rest } = body;
    const given = Object.fromEntries(headers.map((line) => line.split(': ') as [string, string]));
    await new Promise<void>((resolve, reject) => {
      const options = { agent, port: server.port, host: '127.0.0.1', path, method: 'POST' };
      request({ ...options, headers: { 'content-type': 'application/json', ...given } }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path} answers ${response.statusCode}`));
        response.resume().once('end', resolve);
      })
        .once('error', reject)
        .end(JSON.stringify(rest));
    });
  }

  /** The number in the next line of the server that begins with a word. */
  async function next(word: string): Promise<number> {
    const lines = (): readonly string[] => server.output.match(new RegExp(`^${word} .*$`, 'gm')) ?? [];
    const before = lines().length;
    await until(() => lines().length > before, `the server printed a line with ${word}`);
    return Number(lines().at(-1)?.slice(word.length));
  }
});

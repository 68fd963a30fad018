import { connect, createServer, type Server, type Socket } from 'node:net';
import { describeOnDatabases, postgresDatabase, sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { counted } from '../support/process-client.js';
import { expectWhole, runInput, RunsClient } from '../support/runs-client.js';
import { ServerProcess } from '../support/server-process.js';
import { listenOnLoopback } from '../support/loopback-server.js';

jest.setTimeout(300_000);

describeOnDatabases('a worker that is paused', (openDatabase) => {
  let database: TestDatabase;
  let servers: ServerProcess[] = [];

  beforeAll(async () => {
    database = await openDatabase();
    const env = { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100' };
    servers = await Promise.all(['a', 'b'].map((name) => ServerProcess.start(database, { ...env, NODE_NAME: name })));
  });
  afterAll(async () => {
    for (const server of servers) server.signal('SIGCONT');
    await Promise.all(servers.map((server) => server.stop()));
    await database.drop();
  });

  it('it writes nothing when it wakes up after another worker has taken over', async () => {
    const [a, b] = servers as [ServerProcess, ServerProcess];
    const { threadId } = (await new RunsClient(a.url).submit(runInput('count to 60 slowly'))).body;
    const other = new RunsClient(b.url);
    const reader = await other.events(threadId);
    const paused = await new RunsClient(a.url).events(threadId);
    await Promise.all([reader, paused].map((stream) => stream.until(({ frames }) => frames.length > 8)));
    const view = await other.view(threadId, 'run-1');
    const owner = view.body.attempt === 1 ? a : b;
    owner.signal('SIGSTOP');
    await reader.until(({ events }) =>
      events.some((event) => event.type === 'CUSTOM' && event.name === 'run.recovered'),
    );
    owner.signal('SIGCONT');
    await reader.all();
    await paused.all();
    await expectWhole(reader);
    expect(reader.text.endsWith(counted(60))).toBe(true);
    expect(paused.raw === '' || reader.raw.startsWith(paused.raw)).toBe(true);
    expect((await (await other.events(threadId)).all()).raw).toBe(reader.raw);
    expect((await other.ended(threadId, 'run-1')).attempt).toBe(2);
  });
});

describeOnDatabases('a server that is stopped under load', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await openDatabase();
    server = await ServerProcess.start(database, { SHUTDOWN_GRACE_MS: '100' });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it('readers are told to reconnect soon, and no attempt is counted', async () => {
    const client = new RunsClient(server.url);
    const threads = (
      await Promise.all(Array.from({ length: 20 }, () => client.submit(runInput('count to 40 slowly'))))
    ).map(({ body }) => body.threadId);
    const streams = await Promise.all(threads.map((threadId) => client.events(threadId)));
    await Promise.all(streams.map((stream) => stream.until(({ frames }) => frames.length >= 6)));
    const [code] = await Promise.all([server.terminate(), ...streams.map((stream) => stream.all())]);
    expect(code).toBe(0);
    for (const { ended, retries, events } of streams) {
      expect(events.at(-1)?.type === 'RUN_FINISHED' || (ended && retries.includes('retry: 500'))).toBe(true);
    }
    await server.restart();
    await Promise.all(
      threads.map(async (threadId, index) => {
        const before = streams[index]?.frames ?? [];
        const rest = await (await client.events(threadId, '', before.at(-1)?.id)).all();
        await expectWhole({ frames: [...before, ...rest.frames] });
        expect(await client.ended(threadId, 'run-1')).toMatchObject({ status: 'succeeded', attempt: 1 });
      }),
    );
  });
});

describe('a full disk', () => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await sqliteDatabase();
    server = await ServerProcess.start(database, {
      LEASE_MS: '1500',
      SWEEP_INTERVAL_MS: '100',
      RUN_MAX_ATTEMPTS: '10',
    });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it('requests are refused with 503, and accepted runs continue when there is space again', async () => {
    const client = new RunsClient(server.url);
    const { threadId } = (await client.submit(runInput('hello'))).body;
    expect((await client.ended(threadId, 'run-1')).status).toBe('succeeded');
    await server.terminate();
    await server.restart({ fileBytes: 1024 * 1024 });
    const big = (runId: string) => runInput('hello', { runId, state: { pad: 'x'.repeat(200_000) } });
    const accepted: string[] = [];
    let refused: { status: number; body: unknown; threadId: unknown } | undefined;
    for (let number = 1; number <= 40 && !refused; number += 1) {
      const input = big(`big-${number}`);
      const { status, body } = await client.json<{ threadId: string }>('POST', '/runs', input);
      if (status === 202) accepted.push(body.threadId);
      else refused = { status, body, threadId: input['threadId'] };
    }
    expect(refused).toMatchObject({ status: 503, body: { code: 'database_error' } });
    // What is there can be read.
    expect((await (await client.events(threadId)).all()).last.event.type).toBe('RUN_FINISHED');
    await server.kill();
    await server.restart();
    expect((await client.json('GET', `/runs/${String(refused?.threadId)}`)).status).toBe(404);
    for (const [index, thread] of accepted.entries()) {
      expect((await client.ended(thread, `big-${index + 1}`)).status).toBe('succeeded');
      await expectWhole(await (await client.events(thread)).all());
    }
  });
});

/** A way to a database that can be cut, and opened again. */
class Way {
  readonly sockets = new Set<Socket>();
  private open = true;

  private constructor(private readonly server: Server) {}

  static async to(target: URL): Promise<{ way: Way; port: number }> {
    // Taken now: the caller goes on to change the URL.
    const { hostname, port: farPort } = target;
    const server = createServer();
    const way = new Way(server);
    server.on('connection', (near) => {
      if (!way.open) {
        near.destroy();
        return;
      }
      const far = connect(Number(farPort || 5432), hostname);
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        way.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          way.sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
    return { way, port: await listenOnLoopback(server) };
  }

  /** As when the database goes down: all connections break, and no new one is taken. */
  cut(): void {
    this.open = false;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.open = true;
  }

  close(): void {
    this.cut();
    this.server.close();
  }
}

const POSTGRES = process.env.TEST_DATABASE_URL;

(POSTGRES ? describe : describe.skip)('a PostgreSQL that is restarted (skipped without TEST_DATABASE_URL)', () => {
  let database: TestDatabase;
  let server: ServerProcess;
  let way: Way;

  beforeAll(async () => {
    database = await postgresDatabase(POSTGRES ?? '');
    const url = new URL(database.env.DATABASE_URL ?? '');
    const made = await Way.to(url);
    way = made.way;
    url.hostname = '127.0.0.1';
    url.port = String(made.port);
    const env = { ...database.env, DATABASE_URL: url.toString() };
    server = await ServerProcess.start(
      { ...database, env },
      { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100', RUN_MAX_ATTEMPTS: '10' },
    );
  });
  afterAll(async () => {
    await server?.stop();
    way?.close();
    await database?.drop();
  });

  it('no accepted run and no event is lost', async () => {
    const client = new RunsClient(server.url);
    const { threadId } = (await client.submit(runInput('count to 60 slowly'))).body;
    const stream = await client.events(threadId);
    await stream.until(({ frames }) => frames.length > 8);
    way.cut();
    const refused = await client.json<{ code: string }>('POST', '/runs', runInput('hello'));
    expect([refused.status, refused.body.code]).toEqual([503, 'database_error']);
    way.mend();
    await stream.all();
    const rest = await (await client.events(threadId, '', stream.last.id)).all();
    await expectWhole({ frames: [...stream.frames, ...rest.frames] });
    expect((await client.ended(threadId, 'run-1')).status).toBe('succeeded');
    expect((await client.submit(runInput('hello'))).status).toBe(202);
  });
});

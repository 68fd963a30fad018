import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { ParleyClient, ParleyError, type RunEvent } from '../../src/client/index.js';
import { describeInBrowser } from '../support/browser.js';
import { ask, denyAll } from '../examples/parley-client.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { png } from '../support/images.js';
import { apiKey } from '../support/keys.js';
import { counted } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { startServer } from '../support/server.js';
import { listenOnLoopback } from '../support/loopback-server.js';

jest.setTimeout(240_000);

const SOURCES = join(__dirname, '../../src/client');
const BUILT = join(__dirname, '../../dist/client');

/** Cuts each connection after a random number of bytes of the answer. */
class CuttingProxy {
  /** How many connections were cut. */
  cuts = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(port: number) {
    this.server = createServer((client) => {
      const upstream = connect(port, '127.0.0.1');
      let left = randomInt(1500, 3500);
      for (const socket of [client, upstream]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => this.sockets.delete(socket));
      }
      client.pipe(upstream);
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
      upstream.on('data', (data: Buffer) => {
        client.write(data.subarray(0, left));
        left -= data.length;
        if (left > 0) return;
        this.cuts += 1;
        client.destroy();
      });
    });
  }

  async listen(): Promise<string> {
    return `http://127.0.0.1:${await listenOnLoopback(this.server)}`;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

const textOf = (events: readonly RunEvent[]): string => {
  const begun = events.findLastIndex(({ event }) => event.type === 'TEXT_MESSAGE_START');
  const pieces = events.slice(begun).filter(({ event }) => event.type === 'TEXT_MESSAGE_CONTENT');
  return pieces.map(({ event }) => event['delta']).join('');
};

/** Every event once: the numbers after the dash have no gaps. */
function expectEachOnce(events: readonly RunEvent[]): void {
  expect(events.map(({ id }) => Number(id.split('-')[1]))).toEqual(events.map((_, index) => index + 1));
}

describe('the client', () => {
  let database: TestDatabase;
  let server: ServerProcess;
  let client: ParleyClient;

  beforeAll(async () => {
    database = await sqliteDatabase();
    server = await ServerProcess.start(database, { CORS_ORIGINS: '*' });
    client = new ParleyClient({ baseUrl: server.url });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it('follows a run over connections that are cut again and again', async () => {
    const proxy = new CuttingProxy(server.port);
    const cut = new ParleyClient({ baseUrl: await proxy.listen() });
    try {
      const run = await cut.start({ agent: 'worker', message: 'count to 40' });
      const events: RunEvent[] = [];
      for await (const event of cut.follow(run)) events.push(event);
      expectEachOnce(events);
      expect(textOf(events)).toBe(counted(40));
      expect(proxy.cuts).toBeGreaterThan(1);
    } finally {
      proxy.close();
    }
  });

  it('follows a run whose server is killed, and watches it in the frames of another wire', async () => {
    const run = await client.start({ agent: 'worker', message: 'count to 40 slowly' });
    const events: RunEvent[] = [];
    let restarted: Promise<void> | undefined;
    for await (const event of client.follow(run)) {
      events.push(event);
      if (events.length === 10) restarted = server.kill().then(() => server.restart());
    }
    await restarted;
    expectEachOnce(events);
    expect(textOf(events)).toBe(counted(40));
    const frames = [];
    for await (const frame of client.watch(run.taskId, { wire: 'responses' })) frames.push(frame);
    expect(frames.map(({ index }) => index)).toEqual(frames.map((_, index) => index + 1));
    expect(frames.map(({ frame }) => frame).join('\n')).toContain('response.completed');
    const half = frames.length >> 1;
    const rest = [];
    for await (const frame of client.watch(run.taskId, { wire: 'responses', after: half })) rest.push(frame);
    expect(rest).toEqual(frames.slice(half));
    const seqs = [];
    for await (const { seq } of client.events(run.taskId)) seqs.push(seq);
    expect(seqs).toEqual(seqs.map((_, index) => index));
  });

  it('starts a run once, although it asks while the server is away and then once more', async () => {
    const [threadId, runId] = ['8a4f0f5e-4b8e-4c57-9b39-0a6a7b1f2c3d', 'run-1'];
    await server.kill();
    const request = { agent: 'worker', message: 'count to 3', threadId, runId };
    const started = client.start(request);
    await server.restart();
    const first = await started;
    expect(await client.start(request)).toEqual(first);
    expect(await client.ended(first.taskId)).toMatchObject({ status: 'completed' });
    const runs = [];
    for await (const run of client.runs({ session: threadId, limit: 1 })) runs.push(run.id);
    expect(runs).toEqual([first.taskId]);
  });

  it('cancels, uploads and lists page by page', async () => {
    const run = await client.start({ agent: 'worker', message: 'count to 300 slowly' });
    await client.cancel(run.taskId);
    expect((await client.ended(run.taskId)).status).toBe('canceled');
    const image = await client.upload(new Blob([png(3, 2)], { type: 'image/png' }), { name: 'a.png' });
    expect(image).toMatchObject({ mimeType: 'image/png', filename: 'a.png' });
    const ids = new Set<string>();
    for await (const { id } of client.runs({ limit: 1 })) ids.add(id);
    expect(ids.size).toBeGreaterThan(2);
    const sessions = [];
    for await (const session of client.sessions({ limit: 2 })) sessions.push(session);
    expect(sessions).toHaveLength(ids.size);
    const messages = [];
    for await (const message of client.messages(run.threadId)) messages.push(message);
    expect(JSON.stringify(messages)).toContain('count to 300 slowly');
    expect((await client.agents()).map(({ name }) => name)).toContain('worker');
    expect((await client.tools()).length).toBeGreaterThan(0);
    expect(await client.response(run.taskId)).toMatchObject({ status: 'canceled' });
  });

  it('answers an approval', async () => {
    const run = await client.start({ agent: 'worker', message: 'Schedule a meeting with Ana tomorrow at 3pm' });
    await client.ended(run.taskId);
    const answered = [];
    for await (const interrupt of client.interrupts({ status: 'pending' })) {
      answered.push(interrupt.kind);
      expect((await client.answer(interrupt.id, { approve: false, reason: 'Not now' })).id).toBe(interrupt.id);
    }
    expect(answered).toEqual(['approval']);
  });

  it.each([
    ['an unknown run', () => client.run('missing'), 'RUN_NOT_FOUND', 404],
    [
      'an invalid thread',
      () => client.start({ agent: 'worker', message: 'x', threadId: 'no' }),
      'invalid_thread_id',
      422,
    ],
    ['an unknown interrupt', () => client.answer('missing', { approve: true }), 'INTERRUPT_NOT_FOUND', 404],
    [
      'a server that stays away',
      () => new ParleyClient({ baseUrl: 'http://127.0.0.1:1', outageMs: 0 }).agents(),
      'connection_failed',
      0,
    ],
  ])('%s is a ParleyError with its code', async (_, call, code, status) => {
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ParleyError);
    expect(error).toMatchObject({ code, status });
  });

  it('a missing credential is told at once, and a function gives it', async () => {
    const keys = await startServer({ env: { AUTH: 'keys' } });
    try {
      await expect(new ParleyClient({ baseUrl: keys.url }).agents()).rejects.toMatchObject({ status: 401 });
      const scopes = ['runs:read', 'runs:write', 'agents:*', 'users:*'];
      const secret = await apiKey(keys, { account: 'client', scopes });
      const asked = new ParleyClient({ baseUrl: keys.url, credential: async () => secret, user: 'zoe' });
      const run = await asked.start({ agent: 'worker', message: 'count to 3' });
      expect(await asked.ended(run.taskId)).toMatchObject({ status: 'completed', userId: 'zoe' });
    } finally {
      await keys.close();
    }
  });

  it('an abort ends a stream with its reason', async () => {
    const run = await client.start({ agent: 'worker', message: 'count to 300 slowly' });
    const stop = new AbortController();
    const reason = new Error('enough');
    const read = async (): Promise<void> => {
      for await (const { event } of client.follow(run, { signal: stop.signal }))
        if (event.type === 'TEXT_MESSAGE_CONTENT') stop.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
    await client.cancel(run.taskId);
  });

  it('the example of the guide works', async () => {
    expect(await ask(server.url, 'count to 3')).toBe(counted(3));
    expect(await denyAll(server.url)).toBe(0);
  });

  it('has at most 400 lines', () => {
    const files = ['connection.ts', 'index.ts', 'parley-client.ts', 'parley-error.ts', 'sse.ts'];
    const lines = files.flatMap((file) => readFileSync(join(SOURCES, file), 'utf8').split('\n'));
    expect(lines.filter((line) => !/^\s*(\/?\*|\/\/|$)/.test(line)).length).toBeLessThanOrEqual(400);
  });

  describeInBrowser('in a page', (browser) => {
    let pages: HttpServer;
    beforeAll(async () => {
      pages = createHttpServer((request, response) => {
        const isScript = request.url?.endsWith('.js') ?? false;
        response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
        response.end(isScript ? readFileSync(join(BUILT, request.url ?? '')) : '<!doctype html><title>page</title>');
      }).listen(0, '127.0.0.1');
      await once(pages, 'listening');
    });
    afterAll(() => void pages.close());

    it('follows a run over cut connections and a killed server', async () => {
      const proxy = new CuttingProxy(server.port);
      const baseUrl = await proxy.listen();
      try {
        const page = await browser.page(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
        const progress = page.waitForEvent('console', (message) => message.text() === 'ten events');
        // As text: the compiler of the tests would replace `import`.
        const result = page.evaluate<RunEvent[]>(`(async () => {
          const { ParleyClient } = await import('/index.js');
          const client = new ParleyClient({ baseUrl: ${JSON.stringify(baseUrl)} });
          const run = await client.start({ agent: 'worker', message: 'count to 40 slowly' });
          const found = [];
          for await (const event of client.follow(run)) if (found.push(event) === 10) console.log('ten events');
          return found;
        })()`);
        await progress;
        await server.kill();
        await server.restart();
        const events = await result;
        expectEachOnce(events);
        expect(textOf(events)).toBe(counted(40));
        expect(proxy.cuts).toBeGreaterThan(0);
      } finally {
        proxy.close();
      }
    });
  });
});

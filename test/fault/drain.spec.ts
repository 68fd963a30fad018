import { once } from 'node:events';
import { WebSocket } from 'ws';
import { CursorReader, WATCHED, watching } from '../support/cursor-reader.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { answerText, counted, expectWhole, ProcessClient } from '../support/process-client.js';
import { rawRequest } from '../support/raw-http.js';
import { runInput, RunsClient } from '../support/runs-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

jest.setTimeout(180_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const COUNT = 100;
const ENV = { LEASE_MS: '5000', SWEEP_INTERVAL_MS: '200', DRAIN_STREAM_MS: '90000', SHUTDOWN_GRACE_MS: '1000' };
/** Less than DRAIN_STREAM_MS, by which a server that waits for nobody would be late. */
const MOST_MS = 60_000;

(POSTGRES ? describe : describe.skip)(
  `a server that is stopped while another executes runs${POSTGRES ? '' : ' (skipped: no TEST_DATABASE_URL)'}`,
  () => {
    let database: TestDatabase;
    let a: ServerProcess;
    let b: ServerProcess;

    beforeEach(async () => {
      database = await postgresDatabase(POSTGRES);
      a = await ServerProcess.start(database, ENV);
      b = await ServerProcess.start(database, ENV);
    });
    afterEach(async () => {
      await Promise.all([a, b].map((server) => server.stop()));
      await database.drop();
    });

    it('clients that cannot reconnect get their streams and answers to the end, in one attempt', async () => {
      const client = new ProcessClient(a.url);
      const streams = await Promise.all([1, 2, 3, 4].map(() => client.say(`count to ${COUNT} slowly`)));
      const answer = client.json<Record<string, unknown>>('POST', '/process?stream=false', {
        input: [{ role: 'user', type: 'message', content: [{ type: 'text', text: 'count to 60 slowly' }] }],
        stream: false,
      });
      await Promise.all(streams.map((stream) => stream.until(({ frames }) => frames.length >= 8)));
      const [code] = await Promise.all([a.terminate(), ...streams.map((stream) => stream.all())]);
      expect(code).toBe(0);
      for (const { frames, done } of streams) {
        const end = expectWhole(frames);
        expect([end.status, answerText(end), done]).toEqual(['completed', counted(COUNT), true]);
      }
      expect((await answer).status).toBe(200);
    });

    it('two servers that stop at the same moment hand over to nobody: their streams end after SHUTDOWN_GRACE_MS', async () => {
      const streams = await Promise.all([a, b].map(({ url }) => new ProcessClient(url).say('count to 5000 slowly')));
      await Promise.all(streams.map((stream) => stream.until(({ frames }) => frames.length > 3)));
      const startedAt = performance.now();
      expect(await Promise.all([a, b].map((server) => server.terminate()))).toEqual([0, 0]);
      expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
    });

    it('a server whose last peer dies while it drains ends its streams, and does not wait for DRAIN_STREAM_MS', async () => {
      const stream = await new ProcessClient(a.url).say('count to 5000 slowly');
      await stream.until(({ frames }) => frames.length > 3);
      const startedAt = performance.now();
      const exited = a.terminate();
      await until(async () => (await fetch(`${a.url}/readiness`)).status === 503, 'the server not to be ready');
      await b.kill();
      expect(await exited).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
    });

    it('it is not ready at once, and a run that it accepts while it drains is executed by the other', async () => {
      const client = new RunsClient(a.url);
      const first = await client.stream(runInput(`count to ${COUNT} slowly`));
      await first.until(({ frames }) => frames.length > 3);
      const exited = a.terminate();
      await until(async () => (await fetch(`${a.url}/readiness`)).status === 503, 'the server not to be ready');
      const late = await client.submit(runInput('count to 3 slowly'));
      expect(late.status).toBe(202);
      const ended = await new RunsClient(b.url).ended(late.body.threadId, 'run-1');
      expect([ended.status, ended.attempt]).toEqual(['succeeded', 1]);
      await first.all();
      expect(await exited).toBe(0);
    });

    it('clients with cursors are sent away with a time to reconnect, and miss nothing', async () => {
      const client = new RunsClient(a.url);
      const threads = await Promise.all([1, 2, 3].map(() => client.submit(runInput(`count to ${COUNT} slowly`))));
      const ids = threads.map(({ body }) => body.threadId);
      const streams = await Promise.all(ids.map((id) => client.events(id)));
      await Promise.all(streams.map((stream) => stream.until(({ frames }) => frames.length > 5)));
      const [code] = await Promise.all([a.terminate(), ...streams.map((stream) => stream.all())]);
      expect(code).toBe(0);
      const elsewhere = new RunsClient(b.url);
      for (const [index, id] of ids.entries()) {
        const { frames } = streams[index] as (typeof streams)[number];
        const rest = await elsewhere.events(id, '', frames.at(-1)?.id);
        const whole = await elsewhere.events(id, '?runId=run-1');
        await Promise.all([rest.status === 204 ? undefined : rest.all(), whole.all()]);
        const state = await elsewhere.ended(id, 'run-1');
        expect([state.status, state.attempt]).toEqual(['succeeded', 1]);
        expect([...frames, ...rest.frames].map((frame) => frame.id)).toEqual(whole.frames.map((frame) => frame.id));
      }
    });

    it('readers that watch a run are told when to come back, without an end that their protocol would show', async () => {
      await a.stop();
      a = await ServerProcess.start(database, { ...ENV, DRAIN_STREAM_MS: '2000' });
      const own = await new ProcessClient(a.url).say('count to 300 slowly');
      await own.until(({ frames }) => frames.length > 0);
      const runId = own.frames[0]?.id ?? '';
      const readers = WATCHED.map((protocol) => new CursorReader(watching(runId, protocol)));
      await Promise.all(readers.map((reader) => reader.read(a.url, 5)));
      const endings = Promise.all(readers.map((reader) => reader.read(a.url)));
      await own.until(({ frames }) => frames.length > 15);
      const exited = a.terminate();
      expect(await endings).toEqual(readers.map(() => 'sent away'));
      expect(await exited).toBe(0);
      await Promise.all(readers.map((reader) => reader.read(b.url)));
      for (const { route, frames, retries } of readers) {
        const milliseconds = Number(/^retry: (\d+)$/.exec(retries.join())?.[1]);
        expect(milliseconds).toBeGreaterThanOrEqual(500);
        expect(milliseconds).toBeLessThanOrEqual(5000);
        expect([route.name, frames]).toEqual([route.name, await new CursorReader(route).whole(b.url)]);
      }
    });

    it('a stream that is sent away ends its connection, while the server serves others', async () => {
      await a.stop();
      a = await ServerProcess.start(database, { ...ENV, DRAIN_STREAM_MS: '2000' });
      const own = await new ProcessClient(a.url).say('count to 100 slowly');
      await own.until(({ frames }) => frames.length > 3);
      const answers = [`/runs/${own.frames[0]?.id}/events`, '/api/v1/runs/stream'].map((path) =>
        rawRequest(a.port, 'GET', path),
      );
      await until(() => answers.every(({ chunks }) => chunks.length > 0), 'the streams');
      expect(answers.map(({ head }) => head.toLowerCase().includes('connection: keep-alive'))).toEqual([true, true]);
      const exited = a.terminate();
      await until(() => answers.every(({ closed }) => closed), 'the connections to close');
      expect(answers.map(({ chunks }) => chunks.at(-1))).toEqual(
        answers.map((): unknown => expect.stringMatching(/^retry: \d+/)),
      );
      expect((await fetch(`${a.url}/liveness`)).status).toBe(200);
      await own.all();
      expect(await exited).toBe(0);
    });

    it('streams and answers end at DRAIN_STREAM_MS, even if runs have longer', async () => {
      await a.stop();
      a = await ServerProcess.start(database, { ...ENV, DRAIN_RUN_MS: '15000', DRAIN_STREAM_MS: '3000' });
      const client = new ProcessClient(a.url);
      const stream = await client.say('count to 5000 slowly');
      const socket = new WebSocket(`${a.url.replace('http', 'ws')}/v1/responses`);
      await once(socket, 'open');
      const messages: { type: string; status?: number }[] = [];
      socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString()) as (typeof messages)[0]));
      socket.send(JSON.stringify({ type: 'response.create', model: 'default', input: 'count to 5000 slowly' }));
      const answer = fetch(`${a.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'default', input: 'count to 5000 slowly' }),
      });
      await stream.until(({ frames }) => frames.length > 3);
      await until(() => messages.length > 3, 'the response');
      const startedAt = performance.now();
      const exited = a.terminate();
      await Promise.all([stream.all(), answer, until(() => messages.some(({ type }) => type === 'error'))]);
      const took = performance.now() - startedAt;
      expect(took).toBeGreaterThan(2500);
      expect(took).toBeLessThan(6000);
      expect((await answer).status).toBe(503);
      expect(messages.at(-1)).toMatchObject({ type: 'error', status: 503 });
      socket.terminate();
      expect(await exited).toBe(0);
    });

    it('a run that takes too long is continued by the other, without counting an attempt', async () => {
      await b.stop();
      await b.restart();
      await a.stop();
      a = await ServerProcess.start(database, { ...ENV, DRAIN_RUN_MS: '300', DRAIN_STREAM_MS: '60000' });
      const stream = await new ProcessClient(a.url).say('count to 200 slowly');
      await stream.until(({ frames }) => frames.length > 5);
      const [code] = await Promise.all([a.terminate(), stream.all()]);
      expect(code).toBe(0);
      const end = expectWhole(stream.frames);
      expect([end.status, answerText(end)]).toEqual(['completed', counted(200)]);
      expect((await new ProcessClient(b.url).ended(end.id as string)).status).toBe('completed');
    });
  },
);

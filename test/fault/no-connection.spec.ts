import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Client } from 'pg';
import { WebSocket } from 'ws';
import { Runs } from '../../src/run/index.js';
import { Database } from '../../src/database/index.js';
import { DEFAULT_TENANT, tenantReach } from '../../src/common/index.js';
import { behaviour, JournalingCodeAgent, say } from '../support/code-agents.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { runRequest } from '../support/ledger.js';
import { BenchSocket } from '../support/responses-driver.js';
import { startServer, type TestServer } from '../support/server.js';
import { SlowProxy } from '../support/slow-proxy.js';
import { until } from '../support/until.js';
import { WIRES } from '../support/wires.js';

jest.setTimeout(120_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const POOL = 3;
/** DATABASE_WAIT_MS, and what a busy machine may take more for an answer; before, requests waited for 10 s and longer. */
const WAIT_MS = 1500;
const MOST_MS = 6000;
/** DATABASE_LOCK_WAIT_MS: longer than the wait for a lock after which a request is served. */
const LOCK_WAIT_MS = 4000;
const RUN = 'a-run';
const THREAD = randomUUID();
/** What reads a run on wires with routes of their own for that. */
const OWN_READS: Readonly<Record<string, string>> = {
  'agent-api': `/process/task/${RUN}`,
  responses: `/compatible-mode/v1/responses/${RUN}`,
  runs: `/api/v1/agent/runs/${THREAD}`,
  'chat-completions': `/v1/chat/completions/${RUN}`,
  'ai-sdk': `/ai-sdk/${THREAD}/messages`,
};
/** How each wire says that the database is unavailable. */
const SHAPES: Readonly<Record<string, object>> = {
  'agent-api': { code: 'DATABASE_ERROR' },
  responses: { error: { code: 'service_unavailable' } },
  'ag-ui': { code: 'DATABASE_ERROR' },
  'ag-kit': { code: 'DATABASE_ERROR' },
  'ag-kit-ag-ui': { code: 'DATABASE_ERROR' },
  'ag-kit-bot': { code: 'DATABASE_ERROR' },
  runs: { code: 'database_error' },
  'chat-completions': { error: { code: 'service_unavailable' } },
  'ai-sdk': { code: 'DATABASE_ERROR' },
};

(POSTGRES ? describe : describe.skip)(
  `a server without a connection${POSTGRES ? '' : ' (skipped: no PostgreSQL)'}`,
  () => {
    let database: TestDatabase;
    let proxy: SlowProxy;
    let server: TestServer;

    beforeAll(async () => {
      database = await postgresDatabase(POSTGRES);
      const url = new URL(database.env.DATABASE_URL ?? '');
      proxy = await SlowProxy.start(Number(url.port || 5432));
      url.hostname = '127.0.0.1';
      url.port = String(proxy.port);
      const env = {
        DATABASE_URL: url.href,
        DATABASE_POOL_SIZE: String(POOL),
        DATABASE_WAIT_MS: String(WAIT_MS),
        DATABASE_LOCK_WAIT_MS: String(LOCK_WAIT_MS),
        DEFAULT_AGENT: 'code-journal',
        LEASE_MS: '60000',
      };
      server = await startServer({ database, env, providers: [JournalingCodeAgent] });
      behaviour.current = async function* (context) {
        yield say(context, 'Here I am.');
        await context.flush();
      };
      await server.get(Runs).accept(runRequest({ runId: RUN, sessionId: RUN, agentType: 'code-journal' }));
      await ended(RUN);
    });
    afterAll(async () => {
      proxy.resume();
      await server.close();
      await proxy.stop();
      await database.drop();
    });

    /** All connections are held until the returned function is called. */
    async function fillPool(): Promise<() => Promise<void>> {
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      let held = 0;
      const hold = (): Promise<void> =>
        server.get(Database).forRuns.write(async (tx) => {
          await tx.all('SELECT 1');
          held += 1;
          await released;
        });
      const all = Promise.all(Array.from({ length: POOL }, hold));
      await until(() => held === POOL, 'all connections');
      return async () => {
        release();
        await all;
      };
    }

    /** How the lack of connections begins; returns how it ends. */
    const lacks: readonly { readonly title: string; readonly begin: () => Promise<() => Promise<void>> }[] = [
      { title: 'all connections are in use', begin: fillPool },
      {
        title: 'the database answers nothing',
        begin: () => {
          proxy.pause();
          return Promise.resolve(() => Promise.resolve(proxy.resume()));
        },
      },
    ];

    async function ended(runId: string): Promise<number> {
      const view = () => server.get(Runs).view(tenantReach(DEFAULT_TENANT), runId);
      const { state, attempt } = await until(async () => {
        const run = await view().catch(() => undefined);
        return run !== undefined && run.finishedAt !== null && run;
      }, 'the end of the run');
      expect(state).toBe('completed');
      return attempt;
    }

    async function connect(): Promise<BenchSocket> {
      const raw = new WebSocket(`${server.url.replace('http', 'ws')}/v1/responses`);
      await once(raw, 'open');
      return new BenchSocket(raw);
    }

    interface Answer {
      readonly status: number;
      readonly retryAfter: string | null;
      readonly body: unknown;
      readonly ms: number;
    }

    async function ask(path: string, body?: object): Promise<Answer> {
      const startedAt = performance.now();
      const init = body && {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-user-id': 'someone' },
      };
      const answer = await fetch(server.url + path, init);
      const text = await answer.text();
      const ms = performance.now() - startedAt;
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: JSON.parse(text), ms };
    }

    function expectRefusal(answer: Answer, shape: object): void {
      expect(answer).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/), body: shape });
      expect(answer.ms).toBeLessThan(MOST_MS);
    }

    it.each(lacks)('all wires refuse requests with 503 and Retry-After while $title', async ({ begin }) => {
      const end = await begin();
      try {
        const posts = WIRES.map(async (wire) => {
          const { path, body } = wire.say({ sessionId: randomUUID(), words: 'hello', turn: 1, user: 'someone' });
          return { name: wire.name, answer: await ask(path, body) };
        });
        const reads = Object.entries(OWN_READS).map(async ([name, path]) => ({ name, answer: await ask(path) }));
        const attached = WIRES.map(({ name }) => ask(`/runs/${RUN}/events?protocol=${name}`));
        for (const { name, answer } of await Promise.all([...posts, ...reads])) {
          expectRefusal(answer, SHAPES[name] ?? {});
        }
        for (const answer of await Promise.all(attached)) expectRefusal(answer, { code: 'DATABASE_ERROR' });
        expectRefusal(await ask('/readiness'), { code: 'DATABASE_ERROR' });
        expect((await ask('/health')).status).toBe(200);
        expect((await ask('/liveness')).status).toBe(200);
      } finally {
        await end();
      }
      await until(async () => (await ask('/readiness')).status === 200, 'the server to be ready');
      expect((await ask(`/runs/${RUN}`)).status).not.toBe(503);
    });

    it.each(lacks)('a WebSocket refuses requests and stays open while $title', async ({ title, begin }) => {
      const socket = await connect();
      const owner = `owner while ${title}`;
      const create = (more: object = {}): void => socket.create({ input: 'hello', user: owner, ...more });
      const count = (sql: string) => server.get(Database).forRuns.read.all<{ n: number }>(sql, [owner]);
      create();
      await socket.until('response.completed');
      const end = await begin();
      const startedAt = performance.now();
      try {
        create({ stream_id: 'one' });
        create({ stream_id: 'two', previous_response_id: socket.ids[0] });
        await socket.until('error', 2);
      } finally {
        await end();
      }
      expect(performance.now() - startedAt).toBeLessThan(2 * MOST_MS);
      const error = { type: 'server_error', code: 'service_unavailable', param: null, message: expect.any(String) };
      const refused = socket.events.filter(({ type }) => type === 'error');
      expect(refused).toEqual([
        { type: 'error', status: 503, error, stream_id: 'one' },
        { type: 'error', status: 503, error, stream_id: 'two' },
      ]);
      create({ previous_response_id: socket.ids[0] });
      await socket.until('response.completed', 2);
      socket.raw.close();
      // Neither a run nor a session of a refused request is left.
      const stored = 'SELECT COUNT(*)::int AS n FROM runs r JOIN sessions s ON s.no = r.session_no WHERE s.user_id = ?';
      expect(await count(stored)).toEqual([{ n: 2 }]);
      expect(await count('SELECT COUNT(*)::int AS n FROM sessions WHERE user_id = ?')).toEqual([{ n: 1 }]);
    });

    it.each(lacks)('no run is lost while $title', async ({ title, begin }) => {
      let goOn: () => void = () => undefined;
      const told = new Promise<void>((resolve) => (goOn = resolve));
      behaviour.current = async function* (context) {
        await told;
        yield say(context, 'It takes a while.');
        await context.flush();
      };
      const runId = `during ${title}`.replaceAll(' ', '-');
      await server.get(Runs).accept(runRequest({ runId, sessionId: runId, agentType: 'code-journal' }));
      const end = await begin();
      goOn();
      // Longer than any request waits.
      for (let count = 0; count < 2; count += 1) expectRefusal(await ask('/readiness'), { code: 'DATABASE_ERROR' });
      await end();
      expect(await ended(runId)).toBe(1);
    });

    it('all wires refuse requests whose session another transaction has locked, and write nothing', async () => {
      const sql = new Client({ connectionString: database.env.DATABASE_URL });
      await sql.connect();
      const saying = (wire: (typeof WIRES)[number], sessionId: string, turn: number): Promise<Answer> => {
        const { path, body } = wire.say({ sessionId, words: 'hello', turn, user: 'someone' });
        // A conversation of the Responses wire would have to exist.
        return ask(path, { ...body, conversation: undefined });
      };
      const places = WIRES.map((wire) => ({ wire, sessionId: randomUUID() }));
      try {
        await sql.query('BEGIN');
        // No session can be opened.
        await sql.query('LOCK TABLE sessions IN EXCLUSIVE MODE');
        for (const { wire, sessionId } of places) {
          const refusal = { status: 503, retryAfter: expect.stringMatching(/^\d+$/), body: SHAPES[wire.name] ?? {} };
          expect(await saying(wire, sessionId, 1)).toMatchObject(refusal);
        }
        await sql.query('COMMIT');
        const { rows } = await sql.query('SELECT 1 FROM sessions WHERE id = ANY($1)', [
          places.map(({ sessionId }) => sessionId),
        ]);
        expect(rows).toEqual([]);
      } finally {
        await sql.end();
      }
    });

    it('a request that only waits for a lock is served', async () => {
      const db = server.get(Database);
      let isLocked = false;
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const holder = db.write(async (tx) => {
        await tx.all('SELECT pg_advisory_xact_lock(7)');
        isLocked = true;
        await released;
      });
      await until(() => isLocked, 'the lock');
      const waiting = db.write((tx) => tx.all('SELECT pg_advisory_xact_lock(7)').then(() => 'served'));
      const startedAt = performance.now();
      await until(() => performance.now() - startedAt > 2 * WAIT_MS, 'a wait that is longer than DATABASE_WAIT_MS');
      release();
      await holder;
      expect(await waiting).toBe('served');
    });
  },
);

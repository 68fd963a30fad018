import { existsSync } from 'node:fs';
import OpenAI from 'openai';
import { describeOnDatabases, postgresDatabase, type TestDatabase } from '../support/databases.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const RUNS = 200;
const KILLS = 12;
/** A delivery that was being made when its process died is made again when its lease ends, after a minute. */
const PATIENCE_MS = 240_000;
const HEADERS = { 'content-type': 'application/json' };

jest.setTimeout(600_000);

interface Created {
  readonly id: string;
  readonly secret: string;
}

/** What is committed is announced, and what is planned runs once, whatever is killed (contract hooks, section 0). */
describeOnDatabases('webhooks and schedules of servers that are killed', (open) => {
  const receiver = new WebhookReceiver();
  let database: TestDatabase;
  /** Two processes on PostgreSQL; an SQLite file has one. */
  let servers: ServerProcess[];

  beforeAll(async () => {
    await receiver.listen();
    database = await open();
    const env = { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100' };
    servers = [await ServerProcess.start(database, env)];
    if (database.kind === 'postgres') servers.push(await ServerProcess.start(database, env));
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await database.drop();
    await receiver.close();
  });

  async function post<T>(path: string, body: object): Promise<T> {
    return until(async () => {
      const server = servers[Math.floor(Math.random() * servers.length)];
      const answer = await fetch(`${server?.url ?? ''}${path}`, {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify(body),
      });
      return answer.ok && ((await answer.json()) as T);
    });
  }

  /** What another process has changed counts within ten seconds: whether the end of a run is announced. */
  async function knowsHook({ url }: ServerProcess): Promise<boolean> {
    const body = JSON.stringify({ input: 'Hello' });
    const answer = await fetch(`${url}/v1/responses`, { method: 'POST', headers: HEADERS, body });
    const { id } = (await answer.json()) as Created;
    const isAnnounced = (): boolean => receiver.at('/ends').some(({ body: { data } }) => data['id'] === id);
    return until(isAnnounced, 'the end', 1000).catch(() => false);
  }

  async function killOne(): Promise<void> {
    const server = servers[Math.floor(Math.random() * servers.length)];
    await server?.kill();
    await server?.restart();
  }

  it(`each run is announced at least once, with one id and one body, over ${KILLS} kills`, async () => {
    // A third of the requests fails, but none twice: attempts that a kill cut off count as well, and later pauses are minutes.
    let count = 0;
    const failed = new Set<unknown>();
    receiver.answer = ({ headers: { 'webhook-id': id } }) => {
      if ((count += 1) % 3 !== 0 || failed.has(id)) return 200;
      failed.add(id);
      return 500;
    };
    const hook = { url: receiver.urlOf('/ends'), events: ['run.*'], format: 'openai' };
    const { secret } = await post<Created>('/api/v1/webhooks', hook);
    await until(
      () => Promise.all(servers.map(knowsHook)).then((all) => all.every(Boolean)),
      'both know the endpoint',
      60_000,
    );
    const ids: string[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      // Of a request whose answer was lost, the same run comes again.
      const headers = { ...HEADERS, 'idempotency-key': `run-${run}` };
      const body = JSON.stringify({ input: `Say ${run}`, background: true });
      const { id } = await until(async () => {
        const server = servers[run % servers.length];
        const answer = await fetch(`${server?.url ?? ''}/v1/responses`, { method: 'POST', headers, body });
        return answer.ok && ((await answer.json()) as { readonly id: string });
      });
      ids.push(id);
      if (run % Math.floor(RUNS / KILLS) === 5) await killOne();
    }
    const announced = (): ReadonlySet<unknown> => new Set(receiver.at('/ends').map(({ body }) => body.data['id']));
    await until(() => ids.every((id) => announced().has(id)), 'each run is announced', PATIENCE_MS);
    const client = new OpenAI({ apiKey: 'none', webhookSecret: secret });
    const bodies = new Map<string, Set<string>>();
    for (const { headers, text } of receiver.at('/ends')) {
      await client.webhooks.unwrap(text, headers, secret);
      const id = String(headers['webhook-id']);
      bodies.set(id, (bodies.get(id) ?? new Set()).add(text));
    }
    expect([...bodies.values()].every((texts) => texts.size === 1)).toBe(true);
    expect(bodies.size).toBe(announced().size);
  });

  it('schedules that are due at once start once each, while a process is killed', async () => {
    receiver.answer = undefined;
    const at = new Date(Date.now() + 45_000).toISOString();
    const made: Created[] = [];
    for (let count = 0; count < 100; count += 1)
      made.push(await post<Created>('/api/v1/schedules', { name: `Once ${count}`, at, input: 'Hello' }));
    await until(() => Date.now() > Date.parse(at), 'they are due', 120_000);
    await killOne();
    const runsOf = async (id: string): Promise<readonly unknown[]> => {
      const answer = await fetch(`${servers[0]?.url ?? ''}/api/v1/schedules/${id}/runs`);
      return ((await answer.json()) as { readonly data: readonly unknown[] }).data;
    };
    await until(
      async () => (await Promise.all(made.map(({ id }) => runsOf(id)))).every((runs) => runs.length > 0),
      'each has a run',
      PATIENCE_MS,
    );
    const counts = await Promise.all(made.map(async ({ id }) => (await runsOf(id)).length));
    expect(new Set(counts)).toEqual(new Set([1]));
  });
});

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const FAKETIME = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file));
const itWithFaketime = POSTGRES !== '' && FAKETIME !== undefined ? it : it.skip;

describe('schedules of a process whose clock is 90 s ahead', () => {
  itWithFaketime('start no run early and none twice', async () => {
    const database = await postgresDatabase(POSTGRES);
    const ahead = {
      LD_PRELOAD: FAKETIME ?? '',
      FAKETIME: '+90s',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
    const servers = [await ServerProcess.start(database, ahead), await ServerProcess.start(database)];
    const { url } = servers[1] ?? { url: '' };
    const at = Date.now() + 20_000;
    const made: Created[] = [];
    for (let count = 0; count < 10; count += 1) {
      const body = JSON.stringify({ name: `Once ${count}`, at: new Date(at).toISOString(), input: 'Hello' });
      const answer = await fetch(`${url}/api/v1/schedules`, { method: 'POST', headers: HEADERS, body });
      made.push((await answer.json()) as Created);
    }
    const counts = (): Promise<number[]> =>
      Promise.all(
        made.map(async ({ id }) => {
          const answer = await fetch(`${url}/api/v1/schedules/${id}/runs`);
          return ((await answer.json()) as { readonly data: readonly unknown[] }).data.length;
        }),
      );
    const first = await until(async () => (await counts()).some((one) => one > 0) && Date.now(), 'one is due', 60_000);
    expect(first).toBeGreaterThanOrEqual(at);
    await until(async () => (await counts()).every((one) => one > 0), 'all are due', 60_000);
    expect(await counts()).toEqual(made.map(() => 1));
    for (const server of servers) await server.stop();
    await database.drop();
  });
});

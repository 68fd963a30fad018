import { ApiKeys } from '../../src/access/index.js';
import { DEFAULT_TENANT, tenantReach, SERVER_ORIGIN } from '../../src/common/index.js';
import { Database, ScheduleEntity } from '../../src/database/index.js';
import { type Schedule, type ScheduledRun, ScheduleRunner, Schedules } from '../../src/schedules/index.js';
import { behaviour, JournalingCodeAgent, say, stopped } from '../support/code-agents.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { apiKey, bearer, TEST_MANAGER } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

type Shown = Record<string, unknown> & { readonly id: string };

const DEFAULT = tenantReach(DEFAULT_TENANT);

const FIELDS = {
  plan: { kind: 'cron', cron: '0 9 * * *' },
  agent: 'code-journal',
  input: 'Report',
  session: 'new',
  overlap: 'skip',
  catchUp: 'last',
  jitterSeconds: 0,
  expiresAt: null,
  enabled: true,
  metadata: null,
  modelOptions: null,
} as const;

describeOnDatabases('schedules', (open) => {
  const receiver = new WebhookReceiver();
  let database: TestDatabase;
  let server: TestServer;
  let other: TestServer;
  let key: string;
  let accounts = 0;

  beforeAll(async () => {
    await receiver.listen();
    database = await open();
    const options = {
      database,
      env: { AUTH: 'keys', WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
      providers: [JournalingCodeAgent],
    };
    server = await startServer(options);
    other = await startServer(options);
  });
  // The requests of an account are limited.
  beforeEach(async () => {
    const scopes = ['schedules:read', 'schedules:write', 'webhooks:write', 'webhooks:read', 'runs:read', 'runs:write'];
    key = await apiKey(server, { account: `planner-${(accounts += 1)}`, scopes });
    behaviour.current = async function* (context) {
      yield await Promise.resolve(say(context, 'Done'));
    };
  });
  afterAll(async () => {
    await server.close();
    await other.close();
    await database.drop();
    await receiver.close();
  });

  async function call<T = Shown>(
    method: string,
    path: string,
    body?: unknown,
    credential = key,
  ): Promise<{ status: number; body: T }> {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { ...bearer(credential), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as T };
  }

  async function create(fields: object = {}): Promise<Shown> {
    const body = { name: 'Report', cron: '0 9 * * *', agent: 'code-journal', input: 'Report', ...fields };
    const answer = await call('POST', '/api/v1/schedules', body);
    expect([answer.status, answer.body]).toEqual([201, answer.body]);
    return answer.body;
  }

  /** Moves the next planned time of schedules, as if they had been waited for. */
  async function plan(ids: readonly string[], nextAt: number): Promise<void> {
    await server.get(Database).write(async ({ manager }) => {
      for (const id of ids) await manager.update(ScheduleEntity, { id }, { nextAt, dueAt: nextAt });
    });
    server.get(ScheduleRunner).lookSoon();
  }

  /** Read without requests, which are limited. */
  const runsOf = async (id: string): Promise<readonly ScheduledRun[]> =>
    (await server.get(Schedules).runs(DEFAULT, id, { limit: 100, cursor: undefined })).items;
  const shown = (id: string): Promise<Schedule> => server.get(Schedules).find(DEFAULT, id);

  it('start a run at their time, and go on to the next one', async () => {
    const { id, nextAt } = await create({ timezone: 'Europe/Berlin', metadata: { team: 'a' } });
    expect(Date.parse(String(nextAt))).toBeGreaterThan(Date.now());
    const planned = Date.now() - 1000;
    await plan([id], planned);
    const [run] = await until(async () => {
      const runs = await runsOf(id);
      return runs[0]?.state === 'completed' && runs;
    });
    expect(run).toMatchObject({ runId: `${id}:${planned}` });
    const { body } = await call('GET', `/api/v1/schedules/${id}`);
    expect(body).toMatchObject({ nextAt, lastRunId: run?.runId });
    const listed = await call<{ data: unknown[] }>('GET', `/api/v1/schedules/${id}/runs`);
    const at = new Date(planned).toISOString();
    expect(listed.body.data).toMatchObject([{ id: run?.runId, status: 'completed', plannedAt: at }]);
    await call('DELETE', `/api/v1/schedules/${id}`);
    expect((await call('GET', `/api/v1/schedules/${id}`)).status).toBe(404);
  });

  it('many that are due at once start once each, whichever process takes them', async () => {
    const made: Schedule[] = [];
    for (let count = 0; count < 100; count += 1) {
      const name = `Many ${count}`;
      const owner = { tenantId: DEFAULT_TENANT, userId: `many-${count % 50}` };
      made.push(await server.get(Schedules).create(owner, null, { ...FIELDS, name }, SERVER_ORIGIN));
    }
    const ids = made.map(({ id }) => id);
    await plan(ids, Date.now() - 500);
    await until(
      async () => (await Promise.all(ids.map(shown))).every(({ lastRunId }) => lastRunId !== null),
      'all have started',
      60_000,
    );
    for (const id of ids) expect(await runsOf(id)).toHaveLength(1);
  });

  it.each([
    ['none', 0],
    ['last', 1],
    ['all', 4],
  ])('make up for missed times as catchUp %s says', async (catchUp, expected) => {
    // Of a plan that skips, a time is left out while the run of the time before goes on.
    const { id } = await create({ cron: null, every: 'PT1H', catchUp, overlap: 'queue' });
    const first = Date.now() - 3 * 3_600_000 - 120_000;
    await server.get(Database).write(async ({ manager }) => {
      const anchorAt = first - 3_600_000;
      await manager.update(ScheduleEntity, { id }, { nextAt: first, dueAt: first, anchorAt });
    });
    server.get(ScheduleRunner).lookSoon();
    await until(async () => Number((await shown(id)).nextAt) > Date.now());
    await until(async () => (await runsOf(id)).length === expected);
    await call('DELETE', `/api/v1/schedules/${id}`);
  });

  it('leave a time out while the run before goes on, and announce it', async () => {
    const hook = await call('POST', '/api/v1/webhooks', { url: receiver.urlOf('/missed'), events: ['schedule.*'] });
    behaviour.current = async function* (context) {
      await stopped(context);
      yield say(context, 'Stopped');
    };
    const { id } = await create({ overlap: 'skip' });
    await plan([id], Date.now() - 2000);
    const [first] = await until(async () => {
      const runs = await runsOf(id);
      return runs[0]?.state === 'running' && runs;
    });
    await until(async () => (await shown(id)).lastRunId === first?.runId);
    await plan([id], Date.now() - 1000);
    await until(() => receiver.at('/missed').length === 1);
    expect(receiver.at('/missed')[0]?.body).toMatchObject({
      type: 'schedule.missed',
      data: { schedule: id, reason: 'overlap', agent: 'code-journal' },
    });
    expect(await runsOf(id)).toHaveLength(1);
    await call('PATCH', `/api/v1/schedules/${id}`, { overlap: 'cancel' });
    await plan([id], Date.now() - 500);
    await until(async () => (await runsOf(id)).find((run) => run.runId === first?.runId)?.state === 'canceled');
    await until(async () => (await runsOf(id)).length === 2);
    await call('DELETE', `/api/v1/schedules/${id}`);
    await call('DELETE', `/api/v1/webhooks/${String(hook.body.id)}`);
  });

  it('do not run once the key of their creator is revoked', async () => {
    const scopes = ['schedules:read', 'schedules:write', 'runs:read', 'runs:write'];
    const leaver = await apiKey(server, { account: 'leaver', scopes });
    const body = { name: 'Mine', cron: '@daily', agent: 'code-journal', input: 'x' };
    const { id } = (await call('POST', '/api/v1/schedules', body, leaver)).body;
    await server.get(ApiKeys).revoke({ of: 'tenant', tenantId: 'default' }, leaver.slice(10, 22), TEST_MANAGER);
    await plan([id], Date.now() - 1000);
    const row = await until(async () => {
      const one = await server.get(Database).read.manager.findOneByOrFail(ScheduleEntity, { id });
      return one.enabled === 0 && one;
    });
    expect(row).toMatchObject({ nextAt: null, suspendedReason: expect.stringContaining('revoked') as string });
    expect(row.lastRunId).toBeNull();
  });

  it('are run now beside the plan', async () => {
    const { id, nextAt } = await create();
    const started = await call('POST', `/api/v1/schedules/${id}/run`);
    expect(started.status).toBe(202);
    await until(async () => (await runsOf(id))[0]?.state === 'completed');
    expect((await runsOf(id))[0]).toMatchObject({ runId: started.body['runId'] });
    expect((await call('GET', `/api/v1/schedules/${id}`)).body['nextAt']).toBe(nextAt);
    await call('DELETE', `/api/v1/schedules/${id}`);
  });

  it('show the next times of a plan', async () => {
    const { body } = await call<{ times: string[] }>('POST', '/api/v1/schedules/preview', { cron: '@daily', count: 3 });
    expect(body.times).toHaveLength(3);
    expect(body.times.every((time) => time.endsWith('T00:00:00.000Z'))).toBe(true);
  });

  it('are changed, and count from now when their plan or zone changes', async () => {
    const { id } = await create();
    const changed = await call('PATCH', `/api/v1/schedules/${id}`, { timezone: 'Pacific/Apia', enabled: true });
    expect(String(changed.body['nextAt'])).toMatch(/T20:00:00\.000Z$/);
    const off = await call('PATCH', `/api/v1/schedules/${id}`, { enabled: false });
    expect(off.body).toMatchObject({ enabled: false, nextAt: null });
    await call('DELETE', `/api/v1/schedules/${id}`);
  });

  it('are unknown to others, and need their scopes', async () => {
    const { id } = await create();
    const foreign = await apiKey(server, { tenant: 'other', scopes: ['schedules:read', 'schedules:write'] });
    const nobody = await apiKey(server, { account: 'nobody', scopes: ['runs:read'] });
    const path = `/api/v1/schedules/${id}`;
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/runs`],
      ['POST', `${path}/run`],
      ['DELETE', path],
    ] as const) {
      expect((await call(method, at, undefined, foreign)).status).toBe(404);
      expect((await call(method, at, undefined, nobody)).status).toBe(403);
    }
    await call('DELETE', path);
  });

  it.each([
    ['no plan', { cron: null }],
    ['two plans', { every: 'PT1H' }],
    ['seconds', { cron: '* * * * * *' }],
    ['an unknown zone', { timezone: 'Mars/Base' }],
    ['no input', { input: '' }],
    ['messages without text', { input: [{ role: 'user', content: [] }] }],
    ['an unknown role', { input: [{ role: 'boss', content: 'x' }] }],
    ['a long jitter', { jitterSeconds: 601 }],
    ['an unknown option', { modelOptions: { heat: 1 } }],
    ['an unknown overlap', { overlap: 'double' }],
    ['an unknown field', { every_day: true }],
    ['a time without offset', { cron: null, at: '2030-01-01T00:00:00' }],
  ])('%s is refused', async (_, fields) => {
    const body = { name: 'Report', cron: '0 9 * * *', agent: 'code-journal', input: 'Report', ...fields };
    expect((await call('POST', '/api/v1/schedules', body)).status).toBe(400);
  });
});

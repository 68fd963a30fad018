import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuditReport, AuditSealer, OPERATOR_TENANT, SampledActs } from '../../src/audit/index.js';
import { runCli } from '../../src/cli/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { apiKey, bearer, mistyped } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

interface Item {
  readonly line: {
    readonly action: string;
    readonly seq: number | null;
    readonly actor: object;
    readonly details: object;
  };
  readonly users: Readonly<Record<string, string>>;
}

const AUDITOR = ['audit:read'];
const ADMIN = [
  'admin:keys',
  'admin:budgets',
  'webhooks:write',
  'schedules:write',
  'runs:write',
  'runs:read',
  'users:*',
];

describeOnDatabases('the audit trail over REST and on the command line', (open) => {
  let database: TestDatabase;
  let server: TestServer;
  let auditor: string;
  let admin: string;

  beforeAll(async () => {
    database = await open();
    server = await startServer({ database, env: { AUTH: 'keys' } });
    auditor = await apiKey(server, { account: 'auditor', scopes: AUDITOR });
    admin = await apiKey(server, { account: 'admin', scopes: ADMIN });
  });
  afterAll(async () => {
    await server.close();
    await database.drop();
  });

  async function call(
    method: string,
    path: string,
    key: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { ...bearer(key), ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  async function lines(query = '', key = auditor): Promise<readonly Item[]> {
    const { status, text } = await call('GET', `/audit${query}`, key);
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    return (JSON.parse(text) as { data: readonly Item[] }).data;
  }

  async function run(...args: readonly string[]): Promise<{ code: number; out: string; notes: string }> {
    const output = { out: '', notes: '' };
    const code = await runCli(
      ['audit', ...args],
      { ...database.env },
      {
        out: (line) => (output.out += `${line}\n`),
        note: (line) => (output.notes += `${line}\n`),
        input: () => Promise.resolve(''),
      },
    );
    return { code, ...output };
  }

  it('what administrators change is a line with who did it', async () => {
    const made = JSON.parse(
      (await call('POST', '/admin/keys', admin, { account: 'ci', scopes: ['runs:read'] })).text,
    ) as {
      id: string;
    };
    await call('PATCH', `/admin/keys/${made.id}`, admin, { name: 'Nightly' });
    await call('POST', `/admin/keys/${made.id}/rotate`, admin);
    await call('POST', `/admin/keys/${made.id}/revoke`, admin);
    const budget = { subject: 'user', name: 'bob', window: 'day', tokens: 1000 };
    const { id } = JSON.parse((await call('PUT', '/admin/budgets', admin, budget)).text) as { id: string };
    await call('DELETE', `/admin/budgets/${id}`, admin);
    await call('POST', '/admin/prices', admin, { model: 'm', validFrom: '2020-01-01', input: 1, output: 2 });
    await call('PUT', '/admin/limits', admin, { user: { activeRuns: 9 } });
    await call('PUT', '/admin/budgets/time-zone', admin, { timeZone: 'Europe/Berlin' });
    const hook = await call('POST', '/api/v1/webhooks', admin, { url: 'https://example.org/', events: ['run.*'] });
    const webhook = (JSON.parse(hook.text) as { id: string }).id;
    await call('POST', `/api/v1/webhooks/${webhook}/rotate`, admin);
    await call('DELETE', `/api/v1/webhooks/${webhook}`, admin);
    const plan = { name: 'Daily', cron: '0 6 * * *', input: 'Hello' };
    const schedule = (JSON.parse((await call('POST', '/api/v1/schedules', admin, plan)).text) as { id: string }).id;
    await call('DELETE', `/api/v1/schedules/${schedule}`, admin);
    const found = await lines('?actor=admin&limit=100');
    expect(found.map(({ line }) => line.action)).toEqual([
      ...['schedule.deleted', 'schedule.created', 'webhook.deleted', 'webhook.rotated', 'webhook.created'],
      ...['tenant.changed', 'limit.changed', 'price.changed', 'budget.changed', 'budget.changed'],
      ...['key.revoked', 'key.rotated', 'key.changed', 'key.created'],
    ]);
    expect(JSON.stringify(found.map(({ line }) => line))).not.toContain('bob');
    expect(found.every(({ line }) => JSON.stringify(line).includes('"account":"admin"'))).toBe(true);
    expect(await lines(`?subject=${made.id}`)).toHaveLength(4);
  });

  it('removals, cancels by others, and acts for users are lines', async () => {
    const body = { model: 'worker', input: 'Hello' };
    const answer = await call('POST', '/v1/responses', admin, body, { 'x-user-id': 'carol' });
    const { id } = JSON.parse(answer.text) as { id: string };
    await call('DELETE', `/v1/responses/${id}`, admin);
    const conversation = JSON.parse((await call('POST', '/v1/conversations', admin, {})).text) as { id: string };
    await call('DELETE', `/v1/conversations/${conversation.id}`, admin);
    await server.get(SampledActs).flush();
    expect(await lines(`?subject=${id}`)).toMatchObject([{ line: { action: 'run.deleted' } }]);
    expect(await lines(`?subject=${conversation.id}`)).toMatchObject([{ line: { action: 'thread.deleted' } }]);
    const [acted, ...others] = await lines('?action=acted.as');
    expect(others).toEqual([]);
    expect(Object.values(acted?.users ?? {})).toEqual(['carol']);
  });

  it('refusals are counted: one line for each reason', async () => {
    for (let count = 0; count < 3; count += 1) {
      expect((await call('GET', '/admin/keys', auditor)).status).toBe(403);
      expect((await call('GET', '/admin/keys', mistyped(auditor))).status).toBe(401);
    }
    await server.get(SampledActs).flush();
    const [denied] = await lines('?action=access.denied');
    expect(denied?.line).toMatchObject({
      outcome: 'refused',
      details: { reason: 'scope', count: 3 },
      network: '127.0.0.0/24',
    });
    const { items } = await server.get(AuditReport).page(OPERATOR_TENANT, { action: 'auth.failed', limit: 5 });
    expect(items).toMatchObject([{ line: { details: { reason: 'invalid', count: 3 } } }]);
  });

  it('the trail needs audit:read, shows the own tenant alone, and cannot be changed', async () => {
    expect((await call('GET', '/audit', admin)).status).toBe(403);
    const foreign = await apiKey(server, { tenant: 'other', account: 'auditor', scopes: AUDITOR });
    const seen = await lines('?limit=100', foreign);
    expect(new Set(seen.map(({ line }) => line.action))).toEqual(new Set(['key.created', 'tenant.created']));
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await call(method, '/audit', auditor)).status).toBe(405);
    for (const query of ['?action=other', '?limit=0', '?limit=201', '?from=yesterday', '?cursor=x'])
      expect([query, (await call('GET', `/audit${query}`, auditor)).status]).toEqual([query, 400]);
  });

  it('the chain is verified over REST, also against a checkpoint', async () => {
    await server.get(AuditSealer).seal();
    const verify = async (query = ''): Promise<Record<string, unknown>> =>
      JSON.parse((await call('GET', `/audit/verify${query}`, auditor)).text) as Record<string, unknown>;
    const found = await verify();
    expect(found).toMatchObject({ whole: true, unsealed: 0, firstBreak: null });
    const { chain, seq, hash } = found['head'] as { chain: string; seq: number; hash: string };
    expect(await verify(`?chain=${chain}&seq=${seq}&hash=${hash}`)).toMatchObject({ whole: true });
    const cut = `?chain=${chain}&seq=${seq + 1}&hash=${hash}`;
    expect(await verify(cut)).toMatchObject({ whole: false, firstBreak: { kind: 'cut' } });
    const gone = `?chain=${chain.replace(/^./, (first) => (first === '0' ? '1' : '0'))}&seq=1&hash=${hash}`;
    expect(await verify(gone)).toMatchObject({ whole: false, firstBreak: { kind: 'cut' } });
    expect((await call('GET', `/audit/verify?seq=1`, auditor)).status).toBe(400);
  });

  it('an export is verified by the command, without the database', async () => {
    const { status, text } = await call('GET', '/audit/export', auditor);
    expect(status).toBe(200);
    const file = join(database.env.DATA_DIR, 'audit.jsonl');
    writeFileSync(file, text);
    // There is no such database.
    const env = { DATA_DIR: database.env.DATA_DIR, DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    const notes: string[] = [];
    const terminal = {
      out: (line: string) => void notes.push(line),
      note: () => undefined,
      input: () => Promise.resolve(''),
    };
    expect(await runCli(['audit', 'verify', '--file', file], env, terminal)).toBe(0);
    expect(notes[0]).toMatch(/^The tenant default: whole, \d+ lines/);
    writeFileSync(file, text.replace('"key.created"', '"key.changed"'));
    expect(await runCli(['audit', 'verify', '--file', file], env, terminal)).toBe(1);
    expect(notes[1]).toMatch(/^The tenant default: broken after \d+ lines\. .* \(changed\)\.$/);
    expect(await runCli(['audit', 'verify', '--file', join(database.env.DATA_DIR, 'none')], env, terminal)).toBe(2);
  });

  it('the command verifies all chains, notes their ends, and exports', async () => {
    await server.get(AuditSealer).seal();
    const all = await run('verify');
    expect([all.code, all.notes]).toEqual([0, '']);
    expect(all.out).toMatch(/^The operator: whole/m);
    expect(all.out).toMatch(/^The tenant other: whole/m);
    const { out } = await run('checkpoint');
    const file = join(database.env.DATA_DIR, 'checkpoints.jsonl');
    writeFileSync(file, out);
    expect((await run('verify', '--checkpoint', file)).code).toBe(0);
    writeFileSync(
      file,
      out.replace(/"seq":(\d+)/, (_all, seq: string) => `"seq":${Number(seq) + 5000}`),
    );
    const cut = await run('verify', '--checkpoint', file);
    expect([cut.code, cut.out]).toEqual([1, expect.stringContaining('(cut)')]);
    expect((await run('export', '--tenant', '*')).out.split('\n')[0]).toContain('parley-audit/1');
    expect((await run('verify', '--tenant', 'nobody')).code).toBe(1);
    expect((await run('verify', '--tenant', 'default', '--file', file)).code).toBe(2);
  });
});

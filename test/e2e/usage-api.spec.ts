import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { runCli } from '../../src/cli/index.js';
import { type Scope, Tenants } from '../../src/access/index.js';
import { errorNameOf } from '../../src/protocol/runs/run-names.js';
import { SERVER_ORIGIN } from '../../src/common/index.js';
import { BillingModelServer } from '../support/billing-model-server.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { as, startWithCallers } from '../support/known-callers.js';
import type { TestServer } from '../support/server.js';

const PRICE = { model: 'billed-model', validFrom: '2020-01-01', input: 1000, output: 4000 };

describeOnDatabases('usage, budgets and prices over REST', (open) => {
  let database: TestDatabase;
  let server: TestServer;
  let model: BillingModelServer;

  beforeAll(async () => {
    model = await BillingModelServer.start({ output: 20 });
    database = await open();
    const limits = join(database.env.DATA_DIR, 'limits.json');
    const many = { perMinute: 100_000, burst: 10_000 };
    writeFileSync(limits, JSON.stringify({ user: { requests: many, runStarts: many }, admin: { requests: many } }));
    const scopes: readonly Scope[] = ['admin:budgets', 'usage:read', 'runs:read', 'runs:write'];
    server = await startWithCallers(
      { database, env: { ...model.env, LIMITS_FILE: limits } },
      Object.fromEntries([
        ...['acme.admin', 'other.admin'].map((token) => [token, { scopes }]),
        ...['acme.alice', 'acme.bob', 'acme.carol'].map((token) => [token, { scopes: ['runs:read', 'runs:write'] }]),
      ]),
    );
    for (const id of ['acme', 'other']) await server.get(Tenants).create(id, SERVER_ORIGIN);
  });
  afterAll(async () => {
    await server.close();
    await model.close();
    await database.drop();
  });

  async function send(
    method: string,
    path: string,
    token: string,
    body?: unknown,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { ...as(token), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
  }

  const ask = (token: string, body: object = {}): ReturnType<typeof send> =>
    send('POST', '/v1/responses', token, { model: 'worker', input: 'Hello', ...body });

  it('a price is added, listed and never changed', async () => {
    const added = await send('POST', '/admin/prices', 'acme.admin', PRICE);
    expect(added).toMatchObject({
      status: 201,
      body: { ...PRICE, validFrom: '2020-01-01T00:00:00.000Z', reasoning: 4000, isOwn: true },
    });
    expect((await send('POST', '/admin/prices', 'acme.admin', PRICE)).status).toBe(201);
    const changed = await send('POST', '/admin/prices', 'acme.admin', { ...PRICE, output: 1 });
    expect(changed).toMatchObject({
      status: 400,
      body: { code: 'INVALID_PARAMETER', message: expect.stringContaining('never changed') as string },
    });
    expect((await send('POST', '/admin/prices', 'acme.admin', { ...PRICE, outputs: 1 })).status).toBe(400);
    expect((await send('GET', '/admin/prices', 'acme.admin')).body['data']).toHaveLength(1);
    expect((await send('GET', '/admin/prices', 'other.admin')).body['data']).toEqual([]);
    expect((await send('GET', '/admin/prices', 'acme.alice')).status).toBe(403);
  });

  it('callers see their own usage, those with a right to it that of the tenant', async () => {
    for (const user of ['alice', 'alice', 'bob']) expect((await ask(`acme.${user}`)).status).toBe(200);
    const { bill } = model;
    const all = await send('GET', '/usage?group_by=user', 'acme.admin');
    expect(all.body).toMatchObject({
      data: [
        { user: 'alice', runs: 2, calls: 2, currency: 'USD', estimatedShare: 0 },
        { user: 'bob', runs: 1 },
      ],
      nextCursor: null,
    });
    const [total] = (await send('GET', '/usage?group_by=model', 'acme.admin')).body['data'] as Record<
      string,
      unknown
    >[];
    expect(total).toMatchObject({
      calls: bill.calls,
      inputTokens: bill.input,
      outputTokens: bill.output,
      cost: bill.input * 1000 + bill.output * 4000,
    });
    expect((await send('GET', '/usage?group_by=user', 'acme.bob')).body).toMatchObject({ data: [{ user: 'bob' }] });
    expect((await send('GET', '/usage?group_by=user', 'other.admin')).body['data']).toEqual([]);
    const page = await send('GET', '/usage?group_by=user&limit=1', 'acme.admin');
    const next = await send(
      'GET',
      `/usage?group_by=user&limit=1&cursor=${String(page.body['nextCursor'])}`,
      'acme.admin',
    );
    expect(next.body).toMatchObject({ data: [{ user: 'bob' }], nextCursor: null });
  });

  it('the calls of a run are listed for its owner alone', async () => {
    const { body } = await ask('acme.alice');
    const path = `/usage/runs/${String(body['id'])}`;
    const own = await send('GET', path, 'acme.alice');
    expect(own.body['data']).toMatchObject([
      { step: 'model:0', state: 'settled', model: 'billed-model', agent: 'worker' },
    ]);
    for (const other of ['acme.bob', 'other.admin']) expect((await send('GET', path, other)).body['data']).toEqual([]);
  });

  it('a report is CSV if that is asked for', async () => {
    const response = await fetch(`${server.url}/usage?group_by=agent`, {
      headers: { ...as('acme.admin'), accept: 'text/csv' },
    });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [names, row] = (await response.text()).split('\r\n');
    expect(names).toBe(
      'agent,runs,calls,inputTokens,cachedInputTokens,outputTokens,reasoningTokens,cost,currency,estimatedShare',
    );
    expect(row).toMatch(/^worker,\d+,\d+,.*,USD,0$/);
  });

  it.each([
    ['group_by=day,day', 'group_by'],
    ['group_by=colour', 'group_by'],
    ['from=2026-13-01', 'from'],
    ['from=2026-11-02&to=2026-11-01', 'from'],
    ['from=2020-01-01&to=2026-01-01', 'from'],
    ['tz=Mars', 'tz'],
    ['limit=0', 'limit'],
    ['cursor=x', 'cursor'],
  ])('?%s is refused and named', async (query, path) => {
    const { status, body } = await send('GET', `/usage?${query}`, 'acme.admin');
    expect([status, body['details']]).toMatchObject([400, [{ path }]]);
  });

  it.each([
    { subject: 'user', window: 'day' },
    { subject: 'user', window: 'week', tokens: 1 },
    { subject: 'tenant', name: 'acme', window: 'day', tokens: 1 },
    { subject: 'user', window: 'day', tokens: 0 },
    { subject: 'user', window: 'day', tokens: 1, warnAt: [101] },
    { subject: 'user', window: 'day', tokens: 1, extra: 1 },
    [],
  ])('the budget %j is refused', async (body) => {
    expect(await send('PUT', '/admin/budgets', 'acme.admin', body)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_PARAMETER' },
    });
    expect((await send('GET', '/admin/budgets', 'acme.admin')).body['data']).toEqual([]);
  });

  it('a time zone is set, and a wrong one refused', async () => {
    expect((await send('PUT', '/admin/budgets/time-zone', 'acme.admin', { timeZone: 'Europe/Atlantis' })).status).toBe(
      400,
    );
    expect((await send('PUT', '/admin/budgets/time-zone', 'acme.admin', { timeZone: 'asia/tokyo' })).body).toEqual({
      timeZone: 'Asia/Tokyo',
    });
    expect((await send('GET', '/admin/budgets', 'acme.admin')).body['timeZone']).toBe('Asia/Tokyo');
  });

  describe('with a budget that is used up', () => {
    let id: string;
    beforeAll(async () => {
      const set = await send('PUT', '/admin/budgets', 'acme.admin', {
        subject: 'user',
        name: 'carol',
        window: 'day',
        tokens: 600,
        warnAt: [],
      });
      id = String(set.body['id']);
      await ask('acme.carol', { max_output_tokens: 300 });
      while ((await ask('acme.carol', { max_output_tokens: 20 })).body['status'] === 'completed');
    });
    afterAll(async () => {
      expect((await send('DELETE', `/admin/budgets/${id}`, 'acme.admin')).status).toBe(204);
      expect((await send('DELETE', `/admin/budgets/${id}`, 'acme.admin')).status).toBe(404);
    });

    it('what is left is shown to the user and to those who may see the tenant', async () => {
      const own = await send('GET', '/usage/budgets', 'acme.carol');
      expect(own.body['data']).toMatchObject([
        {
          subject: 'user',
          name: 'carol',
          window: 'day',
          limit: { tokens: 600, cost: null },
          reserved: { tokens: 0, cost: 0 },
        },
      ]);
      expect((await send('GET', '/usage/budgets', 'acme.alice')).body['data']).toEqual([]);
      expect((await send('GET', '/usage/budgets', 'acme.admin')).body['data']).toHaveLength(1);
    });

    it('a run that finds no room for its call fails in the words of its wire', async () => {
      const message = 'The budget of the user per day is used up';
      const response = await ask('acme.carol');
      expect(response.body).toMatchObject({ status: 'failed', error: { code: 'insufficient_quota', message } });
      expect(errorNameOf('BUDGET_EXCEEDED')).toBe('budget_exceeded');
    });

    it('a run is refused in the words of each wire once there is no room at all', async () => {
      await send('PUT', '/admin/budgets', 'acme.admin', {
        subject: 'user',
        name: 'carol',
        window: 'day',
        tokens: 100,
        warnAt: [],
      });
      const refused = await fetch(`${server.url}/v1/responses`, {
        method: 'POST',
        headers: { ...as('acme.carol'), 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'worker', input: 'Hello' }),
      });
      const message = 'The budget of the user per day is used up';
      expect(refused.status).toBe(429);
      expect(refused.headers.get('x-should-retry')).toBe('false');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.json()).toEqual({
        error: { message, type: 'insufficient_quota', param: null, code: 'insufficient_quota' },
      });
      const client = new OpenAI({
        apiKey: as('acme.carol')['authorization']?.slice(7) ?? '',
        baseURL: `${server.url}/v1`,
      });
      const thrown = await client.chat.completions
        .create({ model: 'worker', messages: [{ role: 'user', content: 'Hello' }] })
        .catch((error: unknown) => error);
      expect(thrown).toMatchObject({ status: 429, code: 'insufficient_quota', type: 'insufficient_quota' });
      const input = {
        threadId: randomUUID(),
        runId: randomUUID(),
        messages: [{ id: 'm', role: 'user', content: 'Hello' }],
        tools: [],
        context: [],
        state: {},
        forwardedProps: {},
      };
      const cases: readonly (readonly [path: string, body: object, answer: object])[] = [
        [
          '/process',
          { input: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] },
          { code: 'BUDGET_EXCEEDED', message },
        ],
        ['/ag-ui', input, { code: 'BUDGET_EXCEEDED', message }],
        ['/copilotkit/agent/worker/run', input, { error: 'Budget exceeded', code: 'BUDGET_EXCEEDED', message }],
        ['/send-message', { msg: 'Hello', conversationId: 'c' }, { code: 'BUDGET_EXCEEDED' }],
        [
          '/api/v1/agent/runs',
          { ...input, forwardedProps: { agent_type: 'worker' } },
          { code: 'budget_exceeded', message },
        ],
      ];
      for (const [path, body, answer] of cases) {
        const { status, body: found } = await send('POST', path, 'acme.carol', body);
        expect([path, status, found]).toMatchObject([path, 429, answer]);
      }
    });
  });

  it('npm run usage sets budgets, verifies and repairs', async () => {
    const lines: string[] = [];
    const notes: string[] = [];
    const run = (args: readonly string[], input = ''): Promise<number> =>
      runCli(
        ['usage', ...args],
        { ...process.env, ...database.env },
        {
          out: (line) => lines.push(line),
          note: (line) => notes.push(line),
          input: () => Promise.resolve(input),
        },
      );
    expect(
      await run(['set-budget', '--tenant', 'other'], '{"subject":"tenant","window":"total","tokens":100000}'),
    ).toBe(0);
    expect(await run(['add-price', '--tenant', 'other'], JSON.stringify(PRICE))).toBe(0);
    expect(await run(['time-zone', '--tenant', 'other', '--set', 'Europe/Berlin'])).toBe(0);
    await ask('other.alice');
    expect(await run(['verify'])).toBe(0);
    expect(notes.at(-1)).toMatch(/^[1-9]\d* counters: all agree with their entries\.$/);
    const { Database } = await import('../../src/database/index.js');
    await server.get(Database).write((tx) => tx.run('UPDATE budget_counters SET settled_tokens = settled_tokens + 5'));
    expect(await run(['verify', '--tenant', 'other'])).toBe(1);
    expect(lines.at(-1)).toContain('total');
    expect(await run(['verify', '--tenant', 'other', '--repair'])).toBe(0);
    expect(await run(['verify', '--tenant', 'other'])).toBe(0);
    expect(await run(['budgets', '--tenant', 'other'])).toBe(0);
    expect(lines.at(-1)).toContain('100000');
    expect(await run(['set-budget'], 'x')).toBe(2);
  });
});

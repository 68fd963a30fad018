import OpenAI from 'openai';
import OpenAI7 from 'openai7';
import { Database } from '../../src/database/index.js';
import { type BudgetEvent, BudgetEvents } from '../../src/usage/index.js';
import { SERVER_ORIGIN } from '../../src/common/index.js';
import { behaviour, JournalingCodeAgent, say } from '../support/code-agents.js';
import { describeOnDatabases } from '../support/databases.js';
import { apiKey, bearer } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

type Shown = Record<string, unknown> & { readonly id: string; readonly secret: string };

interface Answer<T = Shown> {
  readonly status: number;
  readonly body: T;
}

interface Delivery extends Record<string, unknown> {
  readonly id: string;
  readonly status: string;
  readonly attempts: readonly { readonly status: number | null; readonly text: string }[];
}

async function call<T = Shown>(
  url: string,
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer<T>> {
  const content: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${url}${path}`, { method, headers: { ...content, ...headers }, ...sent });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as T };
}

describeOnDatabases('webhooks', (open) => {
  const receiver = new WebhookReceiver();
  let server: TestServer;

  beforeAll(async () => {
    await receiver.listen();
    server = await startServer({
      database: open,
      env: { AUTH: 'none' },
      providers: [JournalingCodeAgent],
    });
  });
  beforeEach(() => {
    behaviour.current = async function* (context) {
      yield await Promise.resolve(say(context, 'Done'));
    };
  });
  afterAll(async () => {
    await server.close();
    await receiver.close();
  });

  const create = async (path: string, fields: object = {}): Promise<Shown> => {
    const body = { url: receiver.urlOf(path), events: ['run.*'], ...fields };
    const answer = await call(server.url, 'POST', '/api/v1/webhooks', { body });
    expect([answer.status, answer.body]).toEqual([201, answer.body]);
    return answer.body;
  };
  const remove = async ({ id }: Shown): Promise<void> => {
    expect((await call(server.url, 'DELETE', `/api/v1/webhooks/${id}`)).status).toBe(204);
  };
  const ask = async (metadata: Record<string, string> = {}): Promise<Shown> => {
    const body = { model: 'code-journal', input: 'Hello', metadata };
    return (await call(server.url, 'POST', '/v1/responses', { body })).body;
  };
  const deliveries = async (id: string): Promise<readonly Delivery[]> =>
    (await call<{ data: Delivery[] }>(server.url, 'GET', `/api/v1/webhooks/${id}/deliveries`)).body.data;

  it.each([
    ['6', OpenAI],
    ['7', OpenAI7 as unknown as typeof OpenAI],
  ])('are verified by the client of OpenAI, version %s, and nothing that was changed is', async (version, Client) => {
    const path = `/openai-${version}`;
    const webhook = await create(path, { format: 'openai' });
    const { id } = await ask();
    const [hook] = await until(() => receiver.at(path).length === 1 && receiver.at(path));
    const headers = hook?.headers as Record<string, string>;
    const { webhooks } = new Client({ apiKey: 'none', webhookSecret: webhook.secret });
    const event = await webhooks.unwrap(hook?.text ?? '', headers);
    expect(event).toMatchObject({ object: 'event', type: 'response.completed', data: { id } });
    await expect(webhooks.unwrap(`${hook?.text ?? ''} `, headers)).rejects.toThrow();
    await expect(webhooks.unwrap(hook?.text ?? '', headers, `whsec_${'A'.repeat(44)}`)).rejects.toThrow();
    const old = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 3600) };
    await expect(webhooks.unwrap(hook?.text ?? '', old)).rejects.toThrow();
    await remove(webhook);
  });

  it('tell ids and states, and content only where the endpoint includes it', async () => {
    const thin = await create('/thin', { events: ['run.started', 'run.completed'] });
    const thick = await create('/thick', { include: ['output', 'error'], agents: ['code-*'] });
    const others = await create('/others', { agents: ['support-*'] });
    const { id } = await ask();
    await until(() => receiver.at('/thin').length === 2 && receiver.at('/thick').length === 1);
    expect(receiver.at('/thin').map(({ body }) => body.type)).toEqual(['run.started', 'run.completed']);
    const [, told] = receiver.at('/thin');
    expect(told?.body.data).toMatchObject({ run: id, agent: 'code-journal', wire: 'responses', status: 'completed' });
    expect(told?.body.data).not.toHaveProperty('output');
    expect(JSON.stringify(receiver.at('/thick')[0]?.body.data['output'])).toContain('Done');
    expect(receiver.at('/others')).toEqual([]);
    for (const one of [thin, thick, others]) await remove(one);
  });

  it('are tried again after the pauses of the plan, with the same id and body, and kept with their attempts', async () => {
    const webhook = await create('/retried');
    receiver.answers.push(500, { status: 503, headers: { 'retry-after': '1' } });
    await ask();
    await until(async () => (await deliveries(webhook.id))[0]?.attempts.length === 1);
    const [waiting] = await deliveries(webhook.id);
    expect(waiting).toMatchObject({ status: 'waiting', attempts: [{ status: 500, text: 'thanks' }] });
    // What is due is decided by the clock of the database.
    const again = await call(
      server.url,
      'POST',
      `/api/v1/webhooks/${webhook.id}/deliveries/${waiting?.id ?? ''}/redeliver`,
    );
    expect(again.status).toBe(202);
    await until(() => receiver.at('/retried').length === 2);
    await call(server.url, 'POST', `/api/v1/webhooks/${webhook.id}/deliveries/${waiting?.id ?? ''}/redeliver`);
    await until(async () => (await deliveries(webhook.id))[0]?.status === 'sent');
    const sent = receiver.at('/retried');
    expect(new Set(sent.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([waiting?.id]));
    expect(new Set(sent.map(({ text }) => text)).size).toBe(1);
    await remove(webhook);
  });

  it('are signed with the old secret too for a day after a rotation', async () => {
    const webhook = await create('/rotated', { events: [] });
    const rotated = (await call(server.url, 'POST', `/api/v1/webhooks/${webhook.id}/rotate`)).body;
    expect(rotated.secret).not.toBe(webhook.secret);
    await call(server.url, 'POST', `/api/v1/webhooks/${webhook.id}/test`);
    const [hook] = await until(() => receiver.at('/rotated').length === 1 && receiver.at('/rotated'));
    expect(String(hook?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    const client = new OpenAI({ apiKey: 'none' });
    for (const secret of [webhook.secret, rotated.secret]) {
      await client.webhooks.verifySignature(hook?.text ?? '', hook?.headers ?? {}, secret);
    }
    expect(hook?.body).toMatchObject({ type: 'endpoint.test', data: {} });
    await remove(webhook);
  });

  it('a run may name an endpoint for its own end, and unknown ones are refused', async () => {
    const webhook = await create('/named', { events: [] });
    const { id } = await ask({ webhook_id: webhook.id });
    const body = { input: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], stream: false };
    await call(server.url, 'POST', '/process', { body, headers: { 'x-webhook': webhook.id } });
    await until(() => receiver.at('/named').length === 2);
    expect(receiver.at('/named')[0]?.body.data['run']).toBe(id);
    const refused = await call(server.url, 'POST', '/process', { body, headers: { 'x-webhook': 'wh_unknown' } });
    expect(refused.status).toBe(400);
    expect(
      (await call(server.url, 'POST', '/v1/responses', { body: { input: 'x', metadata: { webhook_id: 'no' } } }))
        .status,
    ).toBe(400);
    await remove(webhook);
  });

  it('announce questions and their answers, without arguments', async () => {
    const webhook = await create('/asked', { events: ['interrupt.*', 'run.interrupted'] });
    const body = {
      input: [{ role: 'user', content: [{ type: 'text', text: 'Schedule a meeting with Ana tomorrow at 3pm' }] }],
      session_id: 's-asked',
      stream: false,
    };
    await call(server.url, 'POST', '/process', { body });
    await until(() => receiver.at('/asked').length === 2);
    const requested = receiver.at('/asked').find((one) => one.body.type === 'interrupt.requested');
    const interrupt = String(requested?.body.data['interrupt']);
    expect(requested?.body.data).toMatchObject({ kind: 'approval', toolName: 'calendar_write' });
    expect(requested?.text).not.toContain('Ana');
    const interrupted = receiver.at('/asked').find((one) => one.body.type === 'run.interrupted');
    expect(interrupted?.body.data['interrupts']).toEqual([{ id: interrupt, kind: 'approval' }]);
    await call(server.url, 'POST', `/interrupts/${interrupt}`, { body: { status: 'resolved', approve: false } });
    await until(() => receiver.at('/asked').some((one) => one.body.type === 'interrupt.answered'));
    const answered = receiver.at('/asked').find((one) => one.body.type === 'interrupt.answered');
    expect(answered?.body.data).toMatchObject({ interrupt, decision: 'denied' });
    await remove(webhook);
  });

  it('an endpoint that answers 410 is disabled, and sent nothing more until it is enabled', async () => {
    const webhook = await create('/gone');
    receiver.answer = ({ path }) => (path === '/gone' ? 410 : 200);
    await ask();
    const path = `/api/v1/webhooks/${webhook.id}`;
    await until(async () => (await call(server.url, 'GET', path)).body['enabled'] === false);
    expect((await call(server.url, 'GET', path)).body['disabledReason']).toContain('410');
    expect((await call(server.url, 'POST', `${path}/test`)).status).toBe(409);
    receiver.answer = undefined;
    await ask();
    const enabled = await call(server.url, 'PATCH', path, { body: { enabled: true } });
    expect(enabled.body).toMatchObject({ enabled: true, disabledReason: null });
    expect(await deliveries(webhook.id)).toHaveLength(1);
    await remove(webhook);
  });

  it('a receiver that never answers delays nobody else', async () => {
    const slow = await create('/slow');
    const quick = await create('/quick');
    receiver.answer = ({ path }) => (path === '/slow' ? 'hang' : 200);
    for (let count = 0; count < 8; count += 1) await ask();
    await until(() => receiver.at('/quick').length === 8);
    expect(receiver.at('/slow').length).toBeLessThanOrEqual(4);
    receiver.answer = undefined;
    for (const one of [slow, quick]) await remove(one);
  });

  it.each([
    ['another scheme', { url: 'ftp://example.org/' }],
    ['http to another machine', { url: 'http://example.org/' }],
    ['the metadata address', { url: 'https://169.254.169.254/latest' }],
    ['a private address', { url: 'https://10.0.0.1/' }],
    ['a private address of IPv6', { url: 'https://[fd00::1]/' }],
    ['a mapped address', { url: 'https://[::ffff:10.0.0.1]/' }],
    ['a user in the address', { url: 'https://a:b@example.org/' }],
    ['an unknown event', { events: ['run.finished'] }],
    ['an unknown field', { secret: 'mine' }],
    ['an unknown format', { format: 'xml' }],
    ['no address', { url: '' }],
    ['a number', { events: [1] }],
  ])('%s is refused', async (_, fields) => {
    const body = { url: 'https://example.org/hook', events: ['run.*'], ...fields };
    expect((await call(server.url, 'POST', '/api/v1/webhooks', { body })).status).toBe(400);
  });

  it('an address whose name is private is never connected to', async () => {
    const local = `https://localhost.:${new URL(receiver.urlOf()).port}/named-private`;
    const answer = await call(server.url, 'POST', '/api/v1/webhooks', { body: { url: local, events: ['run.*'] } });
    expect(answer.status).toBe(201);
    await ask();
    await until(async () => (await deliveries(answer.body.id))[0]?.attempts.length === 1);
    expect((await deliveries(answer.body.id))[0]?.attempts[0]).toMatchObject({ status: null });
    expect(receiver.at('/named-private')).toEqual([]);
    await remove(answer.body);
  });

  it('a redirect is not followed', async () => {
    const webhook = await create('/moved', { events: [] });
    receiver.answers.push({ status: 302, headers: { location: receiver.urlOf('/elsewhere') } });
    await call(server.url, 'POST', `/api/v1/webhooks/${webhook.id}/test`);
    await until(async () => (await deliveries(webhook.id))[0]?.attempts[0]?.status === 302);
    expect(receiver.at('/elsewhere')).toEqual([]);
    await remove(webhook);
  });

  it('tell that a budget has reached a threshold', async () => {
    const webhook = await create('/budget', { events: ['budget.*'] });
    const event: BudgetEvent = {
      type: 'budget.threshold',
      tenantId: 'default',
      budgetId: 'b-1',
      subject: 'agent',
      name: 'worker',
      window: 'day',
      period: '2026-11-26',
      percent: 80,
      used: { tokens: 80, cost: 0 },
      limit: { tokens: 100, cost: null },
      at: Date.now(),
    };
    const events = server.get(BudgetEvents);
    for (let times = 0; times < 2; times += 1) await server.get(Database).write((tx) => events.tell(tx, event));
    await until(() => receiver.at('/budget').length === 1);
    const data = { budget: 'b-1', subject: 'agent', name: 'worker', percent: 80, used: { tokens: 80 } };
    expect(receiver.at('/budget')[0]?.body).toMatchObject({ type: 'budget.threshold', data });
    expect(await deliveries(webhook.id)).toHaveLength(1);
    await remove(webhook);
  });

  it('a tenant has at most twenty', async () => {
    const made: Shown[] = [];
    for (let count = 0; count < 20; count += 1) made.push(await create(`/many-${count}`, { events: [] }));
    const body = { url: receiver.urlOf('/one-too-many'), events: [] };
    expect((await call(server.url, 'POST', '/api/v1/webhooks', { body })).status).toBe(409);
    for (const one of made) await remove(one);
  });
});

describeOnDatabases('webhooks of tenants with keys', (open) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ database: open, env: { AUTH: 'keys' } });
  });
  afterAll(() => server.close());

  it('need scopes, and are unknown to other tenants', async () => {
    const admin = await apiKey(server, { scopes: ['webhooks:read', 'webhooks:write'] });
    const reader = await apiKey(server, { scopes: ['webhooks:read'] });
    const nobody = await apiKey(server, { scopes: ['runs:read', 'runs:write'] });
    const { Tenants } = await import('../../src/access/index.js');
    await server.get(Tenants).create('other', SERVER_ORIGIN);
    const foreign = await apiKey(server, { tenant: 'other', scopes: ['webhooks:read', 'webhooks:write'] });
    const body = { url: 'https://example.org/hook', events: ['run.*'] };
    const made = await call(server.url, 'POST', '/api/v1/webhooks', { body, headers: bearer(admin) });
    expect(made.status).toBe(201);
    const path = `/api/v1/webhooks/${made.body.id}`;
    const status = async (method: string, at: string, key: string): Promise<number> =>
      (await call(server.url, method, at, { headers: bearer(key) })).status;
    expect(await status('GET', path, reader)).toBe(200);
    expect(await status('POST', `${path}/test`, reader)).toBe(403);
    expect(await status('GET', path, nobody)).toBe(403);
    expect(await status('GET', path, foreign)).toBe(404);
    expect(await status('GET', `${path}/deliveries`, foreign)).toBe(404);
    expect(await status('POST', `${path}/rotate`, foreign)).toBe(404);
    expect(await status('DELETE', path, foreign)).toBe(404);
    const list = await call<{ data: unknown[] }>(server.url, 'GET', '/api/v1/webhooks', { headers: bearer(foreign) });
    expect(list.body.data).toEqual([]);
    const local = { url: 'http://127.0.0.1:1/', events: ['run.*'] };
    expect((await call(server.url, 'POST', '/api/v1/webhooks', { body: local, headers: bearer(admin) })).status).toBe(
      400,
    );
  });
});

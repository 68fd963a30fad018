import { randomUUID } from 'node:crypto';
import { AppError } from '../../src/common/index.js';
import { Sessions } from '../../src/agent/session/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { apiKey, bearer } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

const words = 'Hello';
const message = { id: 'm', role: 'user', content: words };
const input = [{ role: 'user', content: [{ type: 'text', text: words }] }];

/** How a wire starts a run in a session, with a user that the request names beside the header. */
interface Start {
  readonly path: string;
  readonly body: object;
}

type Named = readonly [field: string, start: (session: string, user?: string) => Start];

/** Every place of a request that names a user, and the field that errors call it by. */
const NAMED: Readonly<Record<string, Named>> = {
  'Agent API': [
    'user_id',
    (session, user) => ({ path: '/process', body: { input, session_id: session, stream: false, user_id: user } }),
  ],
  Responses: ['user', (_, user) => ({ path: '/v1/responses', body: { model: 'worker', input: words, user } })],
  'AG-UI': ['forwardedProps.user_id', (session, user) => agUi('/ag-ui', session, user && { user_id: user })],
  'AG-UI, userId': ['forwardedProps.userId', (session, user) => agUi('/ag-ui', session, user && { userId: user })],
  CopilotKit: [
    'forwardedProps.user_id',
    (session, user) => agUi('/copilotkit/agent/default/run', session, user && { user_id: user }),
  ],
  'AG-Kit A': [
    'user_id',
    (session, user) => ({
      path: '/send-message',
      body: { conversationId: session, messages: [{ role: 'user', content: words }], tools: [], user_id: user },
    }),
  ],
  'AG-Kit A, userId': [
    'userId',
    (session, user) => ({
      path: '/send-message',
      body: { conversationId: session, messages: [{ role: 'user', content: words }], tools: [], userId: user },
    }),
  ],
  'AG-Kit B, userId': [
    'userId',
    (session, user) => {
      const { path, body } = agUi('/send-message', session);
      return { path, body: { ...body, userId: user } };
    },
  ],
  'AG-Kit C, userId': [
    'userId',
    (session, user) => ({
      path: '/v1/aibot/bots/worker/send-message',
      body: { msg: words, conversationId: session, userId: user },
    }),
  ],
  'AG-Kit, a new conversation': [
    'userId',
    (session, user) => ({
      path: '/v1/aibot/bots/worker/conversation',
      body: { conversationId: session, userId: user },
    }),
  ],
  'AG-Kit, query userId': [
    'userId',
    (session, user) => ({
      path: `/send-message${user === undefined ? '' : `?userId=${user}`}`,
      body: { conversationId: session, messages: [{ role: 'user', content: words }], tools: [] },
    }),
  ],
  'AG-Kit B': ['forwardedProps.user_id', (session, user) => agUi('/send-message', session, user && { user_id: user })],
  'AG-Kit C': [
    'user_id',
    (session, user) => ({
      path: '/v1/aibot/bots/worker/send-message',
      body: { msg: words, conversationId: session, user_id: user },
    }),
  ],
  'AG-Kit, query': [
    'user_id',
    (session, user) => ({
      path: `/send-message${user === undefined ? '' : `?user_id=${user}`}`,
      body: { conversationId: session, messages: [{ role: 'user', content: words }], tools: [] },
    }),
  ],
  settings: [
    'user_id',
    (_, user) => ({ path: `/api/v1/users/me/settings${user === undefined ? '' : `?user_id=${user}`}`, body: {} }),
  ],
};

/** Wires whose threads a client names. */
const THREADS: Readonly<Record<string, (session: string) => Start>> = {
  'Agent API': (session) => ({ path: '/process', body: { input, session_id: session } }),
  'AG-UI': (session) => agUi('/ag-ui', session),
  CopilotKit: (session) => agUi('/copilotkit/agent/default/run', session),
  'AG-Kit A': (session) => ({
    path: '/send-message',
    body: { conversationId: session, messages: [{ role: 'user', content: words }], tools: [] },
  }),
  'AG-Kit C': (session) => ({
    path: '/v1/aibot/bots/worker/send-message',
    body: { msg: words, conversationId: session },
  }),
  'Runs API': (session) => agUi('/api/v1/agent/runs', session, { agent_type: 'worker' }),
};

function agUi(path: string, threadId: string, forwardedProps: unknown = {}): Start {
  const body = { threadId, runId: randomUUID(), messages: [message], tools: [], context: [], state: {} };
  return { path, body: { ...body, forwardedProps } };
}

describeOnDatabases('the users that requests name', (open) => {
  let server: TestServer;
  let everybody: string;
  let some: string;
  let pinned: string;

  beforeAll(async () => {
    server = await startServer({ database: open, env: { AUTH: 'keys' } });
    const scopes = ['runs:write', 'runs:read'];
    everybody = await apiKey(server, { account: 'backend', scopes: [...scopes, 'users:*'] });
    some = await apiKey(server, { account: 'some', scopes: [...scopes, 'users:eu-*'] });
    pinned = await apiKey(server, { account: 'pinned', user: 'alice', scopes });
  });
  afterAll(() => server.close());

  async function ask(key: string, { path, body }: Start, user?: string): Promise<{ status: number; text: string }> {
    const method = path.startsWith('/api/v1/users') ? 'PUT' : 'POST';
    const headers = {
      ...bearer(key),
      'content-type': 'application/json',
      ...(user !== undefined && { 'x-user-id': user }),
    };
    const answer = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  }

  async function ownerOf(session: string): Promise<string | undefined> {
    return (await server.get(Sessions).ownerOf({ tenantId: 'default', of: 'tenant' }, session))?.userId;
  }

  describe.each(Object.entries(NAMED))('%s', (_, [field, start]) => {
    it('two different names are refused', async () => {
      const refused = await ask(everybody, start(randomUUID(), 'bob'), 'alice');
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('name different users');
      expect(refused.text).toContain(field);
    });

    it('the same name twice is one name', async () => {
      expect([200, 202]).toContain((await ask(everybody, start(randomUUID(), 'bob'), 'bob')).status);
    });

    it.each([
      ['a key', () => some],
      ['a key pinned to a user', () => pinned],
    ])('%s may not act for another user, and the error names the field', async (_name, key) => {
      const refused = await ask(key(), start(randomUUID(), 'us-bob'));
      expect(refused.status).toBe(403);
      expect(refused.text).toContain(`${field} names`);
    });
  });

  it.each(Object.entries(NAMED).filter(([name]) => /^AG-Kit( [ABC]|, a new)/.test(name)))(
    '%s: what the request begins belongs to the user that it names',
    async (_, [, start]) => {
      const [hers, his] = [randomUUID(), randomUUID()];
      expect((await ask(everybody, start(hers, 'ana'))).status).toBe(200);
      expect((await ask(everybody, start(his, 'bo'))).status).toBe(200);
      expect([await ownerOf(hers), await ownerOf(his)]).toEqual(['ana', 'bo']);
    },
  );

  it.each([['user_id'], ['userId']])('AG-Kit: a %s that cannot be a user is refused', async (field) => {
    const body = { conversationId: randomUUID(), messages: [{ role: 'user', content: words }] };
    for (const value of [7, '', 'x'.repeat(257), 'a\u0001b', ['ana']]) {
      const refused = await ask(everybody, { path: '/send-message', body: { ...body, [field]: value } });
      expect([refused.status, refused.text.includes(field)]).toEqual([400, true]);
    }
    const service = await ask(everybody, { path: '/send-message', body: { ...body, [field]: 'service:payroll' } });
    expect(service.status).toBe(400);
    const both = { ...body, user_id: 'ana', userId: 'bo' };
    expect((await ask(everybody, { path: '/send-message', body: both })).status).toBe(400);
  });

  describe.each(Object.entries(THREADS))('%s', (_, start) => {
    it('a key with users:* that names nobody goes on in the thread of its owner', async () => {
      const session = randomUUID();
      await ask(everybody, start(session), 'alice');
      const again = await ask(everybody, start(session));
      expect([200, 202]).toContain(again.status);
      expect(await ownerOf(session)).toBe('alice');
    });

    it('a new thread belongs to the key', async () => {
      const session = randomUUID();
      await ask(everybody, start(session));
      expect(await ownerOf(session)).toBe('service:backend');
    });

    it('a key that may act for some users goes on in its own threads only', async () => {
      const session = randomUUID();
      await ask(everybody, start(session), 'eu-eve');
      await ask(some, start(session));
      // Asks for one owner fail once there are two.
      const owners = await ownerOf(session).catch((error: unknown) => (error as AppError).code);
      expect(owners).toBe(start(session).path.startsWith('/api') ? 'eu-eve' : 'AMBIGUOUS_ID');
    });
  });

  it('a key with users:* that names nobody must say whose thread it means when two users have it', async () => {
    const session = randomUUID();
    const start = THREADS['AG-UI'];
    await ask(everybody, start?.(session) ?? agUi('', ''), 'alice');
    await ask(everybody, start?.(session) ?? agUi('', ''), 'bob');
    expect(await ask(everybody, agUi('/ag-ui', session))).toMatchObject({
      status: 409,
      text: expect.stringContaining('AMBIGUOUS_ID') as string,
    });
  });

  it('a key with users:* that names nobody reads and removes threads of others by id', async () => {
    const session = randomUUID();
    await ask(everybody, agUi('/ag-ui', session), 'alice');
    const read = (path: string, method = 'GET'): Promise<number> =>
      fetch(server.url + path, { method, headers: bearer(everybody) }).then(({ status }) => status);
    expect(await read(`/copilotkit/threads/${session}/messages`)).toBe(200);
    expect(await read(`/api/v1/agent/runs/${session}`)).toBe(200);
    expect(await read(`/api/v1/agent/history?threadId=${session}`)).toBe(200);
    expect(await read(`/v1/aibot/bots/worker/records?conversationId=${session}`)).toBe(200);
    expect(await read(`/copilotkit/threads/${session}`, 'DELETE')).toBe(200);
    expect(await ownerOf(session)).toBeUndefined();
  });
});

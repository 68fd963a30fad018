import { randomUUID } from 'node:crypto';
import { Database } from '../../src/database/index.js';
import { Interrupts } from '../../src/agent/interrupt/index.js';
import { tenantReach } from '../../src/common/index.js';
import { behaviour, JournalingCodeAgent, say } from '../support/code-agents.js';
import { describeOnDatabases } from '../support/databases.js';
import { apiKey, bearer } from '../support/keys.js';
import { toolScript } from '../support/openai-client.js';
import { SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';

const TENANT = tenantReach('default');
const ALL = ['runs:write', 'runs:read', 'approvals:decide'];

/** An open interrupt, and whose it is. */
interface Open {
  readonly id: string;
  readonly user: string;
  readonly threadId: string;
  readonly agent: string;
}

/** A request that answers an interrupt. */
interface Answering {
  readonly path: string;
  readonly body: object;
}

type Kind = 'approval' | 'input';

const APPROVAL = { approved: true };
const INPUT = { seat: '12A' };
const payloadOf = (kind: Kind): object => (kind === 'approval' ? APPROVAL : INPUT);
const resume = ({ id }: Open, kind: Kind): object[] => [
  { interruptId: id, status: 'resolved', payload: payloadOf(kind) },
];

/** The AG-UI body of an answer. */
const agUi = (open: Open, kind: Kind): object => ({
  threadId: open.threadId,
  runId: randomUUID(),
  messages: [],
  resume: resume(open, kind),
});

/** How the wires carry answers, and the REST routes. */
const ROUTES: Readonly<Record<string, (open: Open, kind: Kind) => Answering>> = {
  'POST /interrupts/{id}': ({ id }, kind) => ({
    path: `/interrupts/${id}`,
    body: kind === 'approval' ? { approve: true } : { payload: INPUT },
  }),
  'AG-UI': (open, kind) => ({ path: `/ag-ui/${open.agent}`, body: agUi(open, kind) }),
  CopilotKit: (open, kind) => ({ path: `/copilotkit/agent/${open.agent}/run`, body: agUi(open, kind) }),
  'AG-Kit': (open, kind) => ({
    path: '/send-message',
    body: { conversationId: open.threadId, resume: { interruptId: open.id, payload: payloadOf(kind) } },
  }),
  'the bots of AG-Kit': (open, kind) => ({
    path: `/v1/aibot/bots/${open.agent}/send-message`,
    body: { conversationId: open.threadId, resume: { interruptId: open.id, payload: payloadOf(kind) } },
  }),
  'the Runs API': (open, kind) => ({
    path: `/api/v1/agent/runs/${open.threadId}/run-1/resume`,
    body: { resume: resume(open, kind) },
  }),
  'Chat Completions': (open, kind) => ({
    path: '/v1/chat/completions',
    body: {
      model: open.agent,
      messages: [
        { role: 'user', content: 'pay Ana' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: open.id,
              type: 'function',
              function: { name: kind === 'approval' ? 'request_approval' : 'request_input', arguments: '{}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: open.id, content: JSON.stringify(payloadOf(kind)) },
      ],
    },
  }),
};

/** The routes that carry approvals only. */
const APPROVAL_ROUTES: typeof ROUTES = {
  'POST /approvals/{id}': ({ id }) => ({ path: `/approvals/${id}`, body: { approve: true } }),
  'the Agent API': ({ id, threadId }) => {
    const data = { approve: true, approval_request_id: id };
    const input = [{ type: 'mcp_approval_response', role: 'user', content: [{ type: 'data', data }] }];
    return { path: '/process', body: { session_id: threadId, input } };
  },
  Responses: ({ id, threadId: conversation }) => ({
    path: '/v1/responses',
    body: {
      model: 'default',
      conversation,
      input: [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }],
    },
  }),
};

/** Answers to approvals need `approvals:decide`, those to inputs `runs:write` (contract access, section 5.4). */
describeOnDatabases('an answer to an interrupt', (database) => {
  let server: TestServer;
  let users = 0;

  beforeAll(async () => {
    server = await startServer({
      database,
      env: { AUTH: 'keys' },
      providers: [SampleTools, JournalingCodeAgent],
      model: (upstream) =>
        toolScript(upstream, 'pay Ana', [{ name: 'pay', arguments: '{"to":"Ana","amount":5}', id: 'c1' }], 'Paid.'),
    });
    behaviour.current = async function* (context) {
      yield say(context, JSON.stringify(await context.interrupt({ reason: 'seat', message: 'Which seat?' })));
    };
  });
  afterAll(() => server.close());

  /** A key of a user with these scopes. */
  const keyOf = (user: string, scopes: string[]): Promise<string> =>
    apiKey(server, { account: `k-${randomUUID()}`, user, scopes });

  async function post({ path, body }: Answering, key: string): Promise<Response> {
    const headers = { ...bearer(key), 'content-type': 'application/json' };
    return fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** Starts a run of a new user that waits for an answer of this kind. */
  async function asked(kind: Kind): Promise<Open> {
    const user = `user-${(users += 1)}`;
    const [threadId, agent] = [randomUUID(), kind === 'approval' ? 'worker' : 'code-journal'];
    const messages = [{ id: 'm-1', role: 'user', content: 'pay Ana' }];
    const body = { threadId, runId: 'run-1', messages, forwardedProps: { agent_type: agent } };
    const key = await keyOf(user, ALL);
    await (await post({ path: '/api/v1/agent/runs?prefer=stream', body }, key)).text();
    const { items } = await server.get(Interrupts).list(TENANT, { sessionId: threadId, limit: 2 });
    expect(items).toMatchObject([{ kind, status: 'pending', userId: user }]);
    return { id: items[0]?.id ?? '', user, threadId, agent };
  }

  /** Expects that an answer is refused for this scope, and that nothing has changed. */
  async function expectRefused(open: Open, route: Answering, scopes: string[], missing: string): Promise<void> {
    const answer = await post(route, await keyOf(open.user, scopes));
    expect({ scopes, status: answer.status }).toEqual({ scopes, status: 403 });
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="parley", error="insufficient_scope", scope="${missing}"`,
    );
    expect(JSON.stringify(await answer.json())).toMatch(/permission_denied/i);
    expect((await server.get(Interrupts).find(TENANT, open.id))?.status).toBe('pending');
    const runs = await server.get(Database).read.all(`SELECT 1 FROM runs WHERE user_id = ?`, [open.user]);
    expect(runs).toHaveLength(1);
  }

  async function expectAnswered(open: Open, route: Answering, scopes: string[]): Promise<void> {
    const answer = await post(route, await keyOf(open.user, scopes));
    expect({ status: answer.status < 300, text: answer.status < 300 ? '' : await answer.clone().text() }).toEqual({
      status: true,
      text: '',
    });
    await answer.text();
    expect((await server.get(Interrupts).find(TENANT, open.id))?.status).not.toBe('pending');
  }

  describe.each(Object.entries({ ...ROUTES, ...APPROVAL_ROUTES }))('to an approval, with %s,', (name, routeOf) => {
    const isRest = name.startsWith('POST');

    it('needs approvals:decide', async () => {
      const open = await asked('approval');
      const route = routeOf(open, 'approval');
      await expectRefused(open, route, ['runs:read'], neededBy(name));
      await expectRefused(open, route, ['runs:write'], 'approvals:decide');
      await expectRefused(open, route, ['runs:write', 'runs:read'], 'approvals:decide');
      if (!isRest) await expectRefused(open, route, ['approvals:decide'], 'runs:write');
      await expectAnswered(open, route, isRest ? ['approvals:decide'] : ['runs:write', 'approvals:decide']);
    });
  });

  describe.each(Object.entries(ROUTES))("to an agent's own question, with %s,", (name, routeOf) => {
    it('needs runs:write', async () => {
      const open = await asked('input');
      const route = routeOf(open, 'input');
      await expectRefused(open, route, ['runs:read'], 'runs:write');
      await expectRefused(open, route, ['approvals:decide'], 'runs:write');
      await expectRefused(open, route, ['approvals:decide', 'runs:read'], 'runs:write');
      await expectAnswered(open, route, ['runs:write']);
    });
  });

  it('to an interrupt outside the reach is that of an unknown one, whatever the scopes', async () => {
    const open = await asked('approval');
    const foreign = await keyOf('mallory', ['approvals:decide']);
    const [found, unknown] = await Promise.all(
      [open.id, 'apr_none'].map(async (id) => {
        const answer = await post({ path: `/approvals/${id}`, body: { approve: true } }, foreign);
        return [answer.status, await answer.json()];
      }),
    );
    expect(found).toEqual(unknown);
    expect(found?.[0]).toBe(404);
  });
});

/** The scope that the challenge of a route names to a caller that may only read. */
function neededBy(name: string): string {
  return name === 'POST /approvals/{id}' ? 'approvals:decide' : 'runs:write';
}

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tenantReach } from '../../src/common/index.js';
import { Interrupts } from '../../src/agent/interrupt/index.js';
import { Runs } from '../../src/run/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { apiKey, bearer } from '../support/keys.js';
import { toolScript } from '../support/openai-client.js';
import { done, SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const TENANT = tenantReach('default');

/** Payments above 100 are decided by finance, and not by the owner; others by anybody, who may change them. */
const RULES = [
  {
    tool: 'pay',
    effect: 'ask',
    when: { path: '$.amount', op: '>', value: 100 },
    approvers: { roles: 'finance', notOwner: true },
  },
  { tool: 'pay', effect: 'ask', allowEdit: true },
];

/** A request that approves a payment of another amount. */
interface Answering {
  readonly path: string;
  readonly body: object;
}

const agUi = (threadId: string, interruptId: string, args: object, props: object = {}): object => ({
  threadId,
  runId: randomUUID(),
  messages: [],
  forwardedProps: props,
  resume: [{ interruptId, status: 'resolved', payload: { approved: true, editedArgs: args } }],
});

/** How each wire carries edited arguments. */
const ROUTES: Readonly<Record<string, (thread: string, id: string, args: object) => Answering>> = {
  'POST /approvals/{id}': (_, id, args) => ({ path: `/approvals/${id}`, body: { approve: true, arguments: args } }),
  'POST /interrupts/{id}': (_, id, args) => ({ path: `/interrupts/${id}`, body: { approve: true, arguments: args } }),
  'the Agent API': (session_id, id, args) => {
    const data = { approve: true, approval_request_id: id, edited_arguments: args };
    const input = [{ type: 'mcp_approval_response', role: 'user', content: [{ type: 'data', data }] }];
    return { path: '/process', body: { session_id, input, stream: false } };
  },
  'the Agent API, as JSON text': (session_id, id, args) => {
    const data = { approve: true, approval_request_id: id, edited_arguments: JSON.stringify(args) };
    const input = [{ type: 'mcp_approval_response', role: 'user', content: [{ type: 'data', data }] }];
    return { path: '/process', body: { session_id, input, stream: false } };
  },
  'AG-UI': (thread, id, args) => ({ path: '/ag-ui', body: agUi(thread, id, args) }),
  CopilotKit: (thread, id, args) => ({ path: '/copilotkit/agent/worker/run', body: agUi(thread, id, args) }),
  'CopilotKit, one route': (thread, id, args) => ({
    path: '/copilotkit',
    body: { method: 'agent/run', params: { agentId: 'worker' }, body: agUi(thread, id, args) },
  }),
  'AG-Kit A': (conversationId, interruptId, args) => ({
    path: '/send-message',
    body: { conversationId, resume: { interruptId, payload: { approved: true, arguments: args } } },
  }),
  'AG-Kit A, as JSON text': (conversationId, interruptId, args) => ({
    path: '/v1/aibot/bots/worker/send-message',
    body: { conversationId, resume: { interruptId, payload: JSON.stringify({ approved: true, editedArgs: args }) } },
  }),
  'AG-Kit B': (thread, id, args) => ({ path: '/send-message', body: agUi(thread, id, args) }),
  'AG-Kit B, command': (threadId, _, args) => ({
    path: '/send-message',
    body: {
      threadId,
      runId: randomUUID(),
      messages: [],
      forwardedProps: { command: { resume: { approved: true, editedArgs: args } } },
    },
  }),
  'the Runs API': (thread, interruptId, args) => ({
    path: `/api/v1/agent/runs/${thread}/run-1/resume`,
    body: { resume: [{ interruptId, status: 'resolved', payload: { approved: true, editedArgs: args } }] },
  }),
};

describeOnDatabases('an approval with edited arguments', (database) => {
  let server: TestServer;
  const folder = mkdtempSync(join(tmpdir(), 'parley-policy-'));

  beforeAll(async () => {
    const file = join(folder, 'policy.json');
    writeFileSync(file, JSON.stringify({ rules: RULES }));
    server = await startServer({
      database,
      env: { AUTH: 'keys', TOOL_POLICY_FILE: file },
      providers: [SampleTools],
      model: (upstream) =>
        toolScript(upstream, 'pay Ana', [{ name: 'pay', arguments: '{"to":"Ana","amount":50}', id: 'c1' }], 'Paid.'),
    });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function post({ path, body }: Answering, key: string): Promise<{ status: number; text: string }> {
    const headers = { ...bearer(key), 'content-type': 'application/json' };
    const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  }

  it.each(Object.entries(ROUTES))('%s: does not reach calls that another rule reserves', async (_, routeOf) => {
    done.payments = [];
    const [threadId, user] = [randomUUID(), `user-${randomUUID()}`];
    const key = await apiKey(server, {
      account: `k-${randomUUID()}`,
      user,
      scopes: ['runs:write', 'runs:read', 'approvals:decide'],
    });
    const messages = [{ id: 'm-1', role: 'user', content: 'pay Ana' }];
    const body = { threadId, runId: 'run-1', messages, forwardedProps: { agent_type: 'worker' } };
    await post({ path: '/api/v1/agent/runs?prefer=stream', body }, key);
    const { items } = await server.get(Interrupts).list(TENANT, { sessionId: threadId, limit: 2 });
    expect(items).toMatchObject([{ status: 'pending', userId: user, mayEdit: true }]);
    const id = items[0]?.id ?? '';

    const refused = await post(routeOf(threadId, id, { to: 'Ana', amount: 5000 }), key);
    expect(refused.status).toBe(403);
    expect(refused.text).toMatch(/permission_denied|forbidden/i);
    expect(refused.text).toContain('another rule of the policy');
    expect((await server.get(Interrupts).find(TENANT, id))?.status).toBe('pending');
    expect(done.payments).toEqual([]);

    const accepted = await post(routeOf(threadId, id, { to: 'Ana', amount: 60 }), key);
    expect([200, 202]).toContain(accepted.status);
    const answered = await server.get(Interrupts).find(TENANT, id);
    expect(answered).toMatchObject({ status: 'approved', decision: { arguments: { amount: 60 } } });
    const runId = answered?.resumedByRunId ?? '';
    await until(async () => expect((await server.get(Runs).view(TENANT, runId)).state).toBe('completed'));
    expect(done.payments).toEqual([{ to: 'Ana', amount: 60 }]);
  });
});

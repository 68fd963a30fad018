import { randomUUID } from 'node:crypto';
import { describeOnDatabases } from '../support/databases.js';
import { apiKey, bearer } from '../support/keys.js';
import { toolScript } from '../support/openai-client.js';
import { SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';

/** Interrupts and the titles of sessions (contract console, sections 4 and 9). */
describeOnDatabases('what the inbox reads', (database) => {
  let server: TestServer;
  let key: string;

  beforeAll(async () => {
    server = await startServer({
      database,
      env: { AUTH: 'keys' },
      providers: [SampleTools],
      model: (upstream) =>
        toolScript(upstream, 'pay Ana', [{ name: 'pay', arguments: '{"to":"Ana","amount":5}', id: 'c1' }], 'Paid.'),
    });
    key = await keyOf('alice', ['runs:write', 'runs:read', 'approvals:decide']);
  });
  afterAll(() => server.close());

  const keyOf = (user: string, scopes: string[]): Promise<string> =>
    apiKey(server, { account: `k-${randomUUID()}`, user, scopes });

  async function get<T = Record<string, unknown>>(path: string, as = key): Promise<T> {
    const answer = await fetch(server.url + path, { headers: bearer(as) });
    const text = await answer.text();
    expect({ path, status: answer.status, text: answer.ok ? '' : text }).toEqual({ path, status: 200, text: '' });
    return JSON.parse(text) as T;
  }

  /** Runs `pay Ana`, which ends with an approval. Returns the run as the list shows it. */
  async function paid(as = key): Promise<{ id: string; sessionId: string }> {
    const threadId = randomUUID();
    const messages = [{ id: 'm-1', role: 'user', content: 'pay Ana' }];
    const body = JSON.stringify({ threadId, runId: 'run-1', messages, forwardedProps: { agent_type: 'worker' } });
    const headers = { ...bearer(as), 'content-type': 'application/json' };
    await (await fetch(`${server.url}/api/v1/agent/runs?prefer=stream`, { method: 'POST', headers, body })).text();
    const { data } = await get<{ data: { id: string; sessionId: string }[] }>(`/api/v1/runs?session=${threadId}`, as);
    return data[0] ?? { id: '', sessionId: '' };
  }

  /** Answers an interrupt, and waits for the end of the run that continues. */
  async function decide(id: string, body: object): Promise<void> {
    const headers = { ...bearer(key), 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}/interrupts/${id}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const { resumedByRunId } = (await answer.json()) as { resumedByRunId: string };
    await (await fetch(`${server.url}/runs/${resumedByRunId}/events`, { headers })).text();
  }

  it('a session keeps its title when a decision continues it', async () => {
    const { sessionId } = await paid();
    const inbox = `/interrupts?session_id=${sessionId}`;
    const [asked] = (await get<{ data: { id: string }[] }>(inbox)).data;
    await decide(asked?.id ?? '', { approve: true });
    expect(await get(`/api/v1/sessions/${sessionId}`)).toMatchObject({
      title: 'pay Ana',
      lastRun: { status: 'completed', input: null, waitsFor: null },
    });
  });

  it('an interrupt names its user, agent and request, who may decide it, and why the caller may not', async () => {
    const { sessionId } = await paid();
    const path = `/interrupts?session_id=${sessionId}`;
    const common = { userId: 'alice', agent: 'worker', request: 'pay Ana', approvers: null };
    expect((await get(path)).data).toMatchObject([{ ...common, refusal: null }]);
    const refusal = 'The scope approvals:decide is required';
    const reader = await keyOf('alice', ['runs:read']);
    expect((await get(path, reader)).data).toMatchObject([{ ...common, refusal }]);
  });

  it('interrupts of several states are one list, newest first, page by page', async () => {
    const decided: string[] = [];
    for (const approve of [true, false, true]) {
      const { sessionId } = await paid();
      const [asked] = (await get<{ data: { id: string }[] }>(`/interrupts?session_id=${sessionId}`)).data;
      decided.unshift(asked?.id ?? '');
      await decide(decided[0] ?? '', { approve });
    }
    await paid();
    const path = '/interrupts?status=approved,denied&limit=2';
    const first = await get<{ data: { id: string }[]; nextCursor: string }>(path);
    const second = await get<{ data: { id: string }[] }>(`${path}&cursor=${first.nextCursor}`);
    expect([...first.data, ...second.data].map(({ id }) => id).slice(0, 3)).toEqual(decided);
    for (const status of ['resolved', 'approved,', 'approved,open', ''])
      expect([
        status,
        (await fetch(`${server.url}/interrupts?status=${status}`, { headers: bearer(key) })).status,
      ]).toEqual([status, 400]);
  });
});

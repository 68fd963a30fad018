import { randomUUID } from 'node:crypto';
import { describeOnDatabases } from '../support/databases.js';
import { apiKey, bearer } from '../support/keys.js';
import { toolScript } from '../support/openai-client.js';
import { SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';

/** What the console reads (contract console). */
describeOnDatabases('the API that the console reads', (database) => {
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

  it('a run is listed, read in full, and shown as a timeline', async () => {
    const run = await paid();
    expect(run).toMatchObject({
      agent: 'worker',
      wire: 'runs',
      status: 'interrupted',
      userId: 'alice',
      input: 'pay Ana',
      queuePosition: null,
      error: null,
    });
    const detail = await get(`/api/v1/runs/${run.id}`);
    expect(detail).toMatchObject({
      id: run.id,
      ordinal: 1,
      takeovers: [],
      interrupts: [{ kind: 'approval', status: 'pending', toolName: 'pay' }],
      authority: { actor: { kind: 'key' } },
    });
    const { spans } = await get<{ spans: { kind: string; status: string }[] }>(`/api/v1/runs/${run.id}/timeline`);
    expect(spans.map(({ kind, status }) => [kind, status])).toEqual([
      ['model', 'completed'],
      ['approval', 'running'],
    ]);
  });

  it('the events are paged, searched, followed and downloaded', async () => {
    const { id } = await paid();
    const page = await get<{ data: { seq: number }[]; nextCursor: string; total: number }>(
      `/api/v1/runs/${id}/events?limit=3`,
    );
    expect(page.data.map(({ seq }) => seq)).toEqual([0, 1, 2]);
    const next = await get<typeof page>(`/api/v1/runs/${id}/events?after=${page.nextCursor}&limit=1000`);
    expect(next.data.map(({ seq }) => seq)).toEqual(Array.from({ length: page.total - 3 }, (_, index) => index + 3));
    expect(next.nextCursor).toBeNull();
    const found = await get<{ data: { type: string }[] }>(`/api/v1/runs/${id}/events?type=interrupt&text=ANA`);
    expect(found.data.map(({ type }) => type)).toEqual(['interrupt']);
    const headers = bearer(key);
    const stream = await (await fetch(`${server.url}/api/v1/runs/${id}/events/stream`, { headers })).text();
    expect(stream.match(/^id: \d+$/gm)).toHaveLength(page.total);
    const again = await fetch(`${server.url}/api/v1/runs/${id}/events/stream`, {
      headers: { ...headers, 'last-event-id': String(page.total - 1) },
    });
    expect(again.status).toBe(204);
    const lines = await (await fetch(`${server.url}/api/v1/runs/${id}/events.jsonl`, { headers })).text();
    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual([...page.data, ...next.data]);
  });

  it('a run is shown in the frames of every wire', async () => {
    const { id } = await paid();
    const { wires } = await get<{ wires: { name: string }[] }>('/api/v1/console');
    expect(wires.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['agent-api', 'responses', 'ag-ui', 'ag-kit', 'runs']),
    );
    for (const { name } of wires) {
      const answer = await fetch(`${server.url}/api/v1/runs/${id}/frames?wire=${name}`, { headers: bearer(key) });
      const raw = await fetch(`${server.url}/runs/${id}/events?protocol=${name}`, { headers: bearer(key) });
      const frames = (await answer.text())
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => (JSON.parse(line.slice(6)) as { frame: string }).frame);
      expect({ name, text: frames.join('') }).toEqual({ name, text: await raw.text() });
    }
  });

  it('sessions, their messages and their state are read', async () => {
    const { id, sessionId } = await paid();
    const { data } = await get<{ data: { id: string }[] }>('/api/v1/sessions?limit=1');
    expect(data).toMatchObject([{ id: sessionId, userId: 'alice', lastRun: { id, status: 'interrupted' } }]);
    expect(await get(`/api/v1/sessions/${sessionId}`)).toMatchObject({ id: sessionId, metadata: {} });
    const messages = await get<{ data: { message: { role: string } }[]; nextCursor: string | null }>(
      `/api/v1/sessions/${sessionId}/messages?order=asc&limit=1`,
    );
    expect(messages.data).toMatchObject([{ message: { role: 'user' } }]);
    expect(messages.nextCursor).not.toBeNull();
    expect(await get(`/api/v1/sessions/${sessionId}/state`)).toMatchObject({ state: {} });
  });

  it('the policy is asked about a call without making it', async () => {
    const tools = await get<{ data: { name: string; mayAsk: boolean }[] }>('/api/v1/tools');
    expect(tools.data.find(({ name }) => name === 'pay')).toMatchObject({ effects: 'unsafe', mayAsk: true });
    const ask = async (body: object): Promise<unknown> => {
      const answer = await fetch(`${server.url}/api/v1/tools/pay/policy`, {
        method: 'POST',
        headers: { ...bearer(key), 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return answer.json();
    };
    expect(await ask({ arguments: { to: 'Ana', amount: 5 } })).toMatchObject({ decision: 'ask', rule: null });
    expect(await ask({ arguments: {} })).toMatchObject({ decision: 'invalid' });
  });
});

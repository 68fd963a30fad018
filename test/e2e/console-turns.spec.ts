import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOnDatabases } from '../support/databases.js';
import { toolScript } from '../support/openai-client.js';
import { SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly waitsFor: string | null;
  readonly interrupts: readonly { readonly id: string }[];
}

/** How runs belong together in the lists that the console reads (contract console, section 2.1). */
describeOnDatabases('turns in the list of runs', (database) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-turns-'));
  let server: TestServer;

  beforeAll(async () => {
    const policy = join(folder, 'policy.json');
    writeFileSync(policy, JSON.stringify({ rules: [{ tool: 'pay', effect: 'ask', allowEdit: true }] }));
    server = await startServer({
      database,
      providers: [SampleTools],
      model: (upstream) =>
        toolScript(upstream, 'pay Ana', [{ name: 'pay', arguments: '{"to":"Ana","amount":5}', id: 'c1' }], 'Paid.'),
      env: { TOOL_POLICY_FILE: policy },
    });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function get<T>(path: string): Promise<T> {
    const answer = await fetch(server.url + path);
    expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    return (await answer.json()) as T;
  }

  async function post(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    await answer.text();
  }

  const list = async (session: string): Promise<readonly Listed[]> =>
    (await get<{ data: readonly Listed[] }>(`/api/v1/runs?session=${session}`)).data;

  it('a turn is what one message has caused: its first run, what that waits for, and the continuation', async () => {
    const session = randomUUID();
    const input = [{ role: 'user', content: [{ type: 'text', text: 'pay Ana' }] }];
    await post('/process', { session_id: session, user_id: 'alice', stream: false, input });
    const [asked] = await list(session);
    expect(asked).toMatchObject({
      turn: null,
      waitsFor: 'approval',
      interrupts: [{ kind: 'approval', status: 'pending', toolName: 'pay', resumedByRunId: null }],
    });
    await post(`/interrupts/${asked?.interrupts[0]?.id}`, { approve: false });
    await until(async () => (await list(session))[0]?.status === 'completed', 'the run has gone on');
    const [continuation, first] = await list(session);
    const turn = { id: asked?.id, input: 'pay Ana' };
    expect(continuation).toMatchObject({ input: null, turn, waitsFor: null, interrupts: [] });
    expect(first).toMatchObject({
      id: asked?.id,
      turn: null,
      waitsFor: null,
      isContinued: true,
      interrupts: [{ status: 'denied', isEdited: false, resumedByRunId: continuation?.id }],
    });
    expect(await get(`/api/v1/runs/${continuation?.id}`)).toMatchObject({ turn });
    const { spans } = await get<{ spans: object[] }>(`/api/v1/runs/${continuation?.id}/timeline`);
    expect(spans).toContainEqual(expect.objectContaining({ kind: 'tool', name: 'pay', status: 'denied' }));
  });

  it('a new message begins a turn of its own, and what the turn before asked is not answered', async () => {
    const session = randomUUID();
    const say = (text: string): Promise<void> => {
      const input = [{ role: 'user', content: [{ type: 'text', text }] }];
      return post('/process', { session_id: session, user_id: 'alice', stream: false, input });
    };
    await say('pay Ana');
    await say('Never mind');
    const [next, before] = await list(session);
    expect(next).toMatchObject({ turn: null, input: 'Never mind' });
    expect(before).toMatchObject({ waitsFor: null, isContinued: false, interrupts: [{ status: 'cancelled' }] });
  });

  it('the runs of a turn are read from any of them, however many runs the session has had since', async () => {
    const session = randomUUID();
    const say = (text: string): Promise<void> => {
      const input = [{ role: 'user', content: [{ type: 'text', text }] }];
      return post('/process', { session_id: session, user_id: 'alice', stream: false, input });
    };
    await say('pay Ana');
    const [asked] = await list(session);
    await post(`/interrupts/${asked?.interrupts[0]?.id}`, { approve: true, arguments: { to: 'Ana', amount: 7 } });
    await until(async () => (await list(session))[0]?.status === 'completed', 'the run has gone on');
    const [continuation] = await list(session);
    await say('Hello');
    const [alone] = await list(session);
    const turnOf = async (run: Listed | undefined): Promise<readonly string[]> =>
      (await get<{ data: readonly Listed[] }>(`/api/v1/runs/${run?.id}/turn`)).data.map(({ id }) => id);
    const both = [asked?.id, continuation?.id];
    expect([await turnOf(asked), await turnOf(continuation), await turnOf(alone)]).toEqual([both, both, [alone?.id]]);
    expect(await get(`/api/v1/runs/${asked?.id}`)).toMatchObject({
      interrupts: [{ status: 'approved', isEdited: true }],
    });
    const { spans } = await get<{ spans: object[] }>(`/api/v1/runs/${asked?.id}/timeline`);
    expect(spans).toContainEqual(expect.objectContaining({ kind: 'approval', name: 'pay', status: 'edited' }));
  });

  it('the newest run of a session says what it waits for', async () => {
    const session = randomUUID();
    const input = [{ role: 'user', content: [{ type: 'text', text: 'pay Ana' }] }];
    await post('/process', { session_id: session, user_id: 'alice', stream: false, input });
    expect(await get(`/api/v1/sessions/${session}`)).toMatchObject({
      lastRun: { waitsFor: 'approval' },
      refusal: null,
    });
  });
});

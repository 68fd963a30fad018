import { randomUUID } from 'node:crypto';
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
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({
      database,
      providers: [SampleTools],
      model: (upstream) =>
        toolScript(upstream, 'pay Ana', [{ name: 'pay', arguments: '{"to":"Ana","amount":5}', id: 'c1' }], 'Paid.'),
    });
  });
  afterAll(() => server.close());

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
      interrupts: [{ status: 'denied', resumedByRunId: continuation?.id }],
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
    expect(before).toMatchObject({ waitsFor: null, interrupts: [{ status: 'cancelled' }] });
  });
});

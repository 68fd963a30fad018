import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import type { ToolEffects } from '../../src/agent/tools/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { ProcessClient } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

jest.setTimeout(120_000);

const MAIN = join(__dirname, 'fixtures/counting-server.mjs');
const POLICY = {
  rules: [
    { tool: 'count_unsafe', when: { user: 'careful' }, effect: 'ask' },
    { tool: '*', effect: 'allow' },
  ],
};
/** Between two pieces of a model's answer, in milliseconds: long enough to die in between. */
const PAUSE_MS = 150;

type Point = 'started' | 'effects';

describeOnDatabases('a server that is killed around a tool call', (openDatabase) => {
  let database: TestDatabase;
  let upstream: LLMock;
  let server: ServerProcess;
  let client: ProcessClient;
  let folder: string;
  let sessions = 0;

  beforeAll(async () => {
    upstream = new LLMock({ port: 0 });
    for (const effects of ['none', 'idempotent', 'unsafe']) {
      const toolCalls = [{ name: `count_${effects}`, arguments: '{}', id: 'call_1' }];
      const userMessage = `count ${effects}`;
      upstream.on({ userMessage, hasToolResult: false }, { toolCalls }, { latency: PAUSE_MS });
      upstream.on({ userMessage, hasToolResult: true }, { content: 'It is counted.' }, { latency: PAUSE_MS });
    }
    await upstream.start();
    database = await openDatabase();
    folder = join(database.env.DATA_DIR, 'counts');
    const policy = join(database.env.DATA_DIR, 'policy.json');
    writeFileSync(policy, JSON.stringify(POLICY));
    const model = { LLM_BASE_URL: `${upstream.url}/v1`, LLM_API_KEY: 'k' };
    const env = { ...model, COUNT_DIR: folder, TOOL_POLICY_FILE: policy };
    server = await ServerProcess.start(database, env, MAIN);
    client = new ProcessClient(server.url);
  });

  beforeEach(() => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    upstream.clearRequests();
  });

  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  const hold = (point: Point): void => writeFileSync(join(folder, `hold-${point}`), '');
  const requests = (count: number): Promise<true> =>
    until(() => upstream.getRequests().length >= count, `${count} requests to the model`);

  /** A line for each time a call came to this point, with its idempotency key. */
  function reached(point: Point, effects: ToolEffects): string[] {
    try {
      return readFileSync(join(folder, `${point}-${effects}`), 'utf8')
        .trim()
        .split('\n');
    } catch {
      return [];
    }
  }

  /** Resolves when a call of each of these tools has come to the point. */
  async function at(point: Point, which: readonly ToolEffects[] = ['none', 'idempotent', 'unsafe']): Promise<void> {
    const isThere = (effects: ToolEffects): boolean => reached(point, effects).length > 0;
    await until(() => which.every(isThere), `${which.join(', ')}: ${point}`);
  }

  async function killAndRestart(): Promise<void> {
    await server.kill();
    for (const point of ['started', 'effects']) rmSync(join(folder, `hold-${point}`), { force: true });
    await server.restart();
  }

  async function begin(effects: ToolEffects, user = 'careless'): Promise<{ id: string; session: string }> {
    const session = `s${(sessions += 1)}`;
    const stream = await client.say(`count ${effects}`, { session_id: session, user_id: user });
    await stream.until(({ frames }) => frames.length > 0);
    const id = stream.frames[0]?.id ?? '';
    // Nobody reads on: the death of the server ends the connection.
    void stream.all();
    return { id, session };
  }

  /** One run for each kind of tool, all at the same time. */
  async function beginAll(): Promise<Record<ToolEffects, { id: string; session: string }>> {
    const [none, idempotent, unsafe] = await Promise.all([begin('none'), begin('idempotent'), begin('unsafe')]);
    return { none, idempotent, unsafe };
  }

  /** How a run of each kind ended, and how often its tool took effect. */
  async function outcomes(runs: Record<ToolEffects, { id: string }>): Promise<unknown> {
    const of = async (effects: ToolEffects): Promise<unknown> => {
      const { status } = await client.ended(runs[effects].id);
      return [status, reached('effects', effects).length];
    };
    return { none: await of('none'), idempotent: await of('idempotent'), unsafe: await of('unsafe') };
  }

  const once = ['completed', 1];

  it('every call is made once if the server is killed before the call', async () => {
    const runs = await beginAll();
    await requests(3);
    await killAndRestart();
    expect(await outcomes(runs)).toEqual({ none: once, idempotent: once, unsafe: once });
  });

  it.each([
    ['started', { none: once, idempotent: once, unsafe: ['failed', 0] }],
    ['effects', { none: ['completed', 2], idempotent: ['completed', 2], unsafe: ['failed', 1] }],
  ] as const)(
    'only safe calls are repeated if the server is killed when the call has reached "%s"',
    async (point, expected) => {
      hold(point);
      const runs = await beginAll();
      await at(point);
      await killAndRestart();
      expect(await outcomes(runs)).toEqual(expected);
      expect(new Set(reached('started', 'idempotent')).size).toBe(1);
      // The doubt is said: to the client, and to the model in whatever it is asked next.
      const last = await client.ended(runs.unsafe.id);
      expect(last.error?.code).toBe('TOOL_IN_DOUBT');
      const output = last.output?.at(-1);
      expect(output).toMatchObject({ type: 'plugin_call_output', metadata: { is_error: true, in_doubt: true } });
      expect(output?.content?.[0]?.data?.['output']).toContain('whether it took effect is not known');
      await client.ask('hello', { session_id: runs.unsafe.session, user_id: 'careless' });
      expect(JSON.stringify(upstream.getRequests().at(-1)?.body)).toContain('whether it took effect is not known');
      expect(reached('effects', 'unsafe')).toHaveLength(expected.unsafe[1]);
    },
  );

  it('no call is repeated if the server is killed after the call', async () => {
    const runs = await beginAll();
    await at('effects');
    await requests(6);
    await killAndRestart();
    expect(await outcomes(runs)).toEqual({ none: once, idempotent: once, unsafe: once });
  });

  /** Asks for an unsafe call that needs a permission; returns the permission's id. */
  async function pending(): Promise<string> {
    const { id } = await begin('unsafe', 'careful');
    const last = await client.ended(id);
    const request = last.output?.at(-1);
    expect(request?.type).toBe('mcp_approval_request');
    return request?.content?.[0]?.data?.['id'] ?? '';
  }

  const approve = (id: string): Promise<{ status: number; body: { resumedByRunId: string; code?: string } }> =>
    client.json('POST', `/approvals/${id}`, { approve: true });

  it('a pending approval is kept, and its call is made once however often it is approved', async () => {
    const id = await pending();
    await killAndRestart();
    const { body } = await approve(id);
    expect((await approve(id)).status).toBe(409);
    expect((await client.ended(body.resumedByRunId)).status).toBe('completed');
    await killAndRestart();
    expect((await approve(id)).status).toBe(409);
    expect(reached('effects', 'unsafe')).toHaveLength(1);
  });

  it.each([
    ['started', 0],
    ['effects', 1],
  ] as const)(
    'an approved call that is killed at "%s" takes effect %d times, and its outcome is reported as unknown',
    async (point, times) => {
      const id = await pending();
      hold(point);
      const { body } = await approve(id);
      await at(point, ['unsafe']);
      await killAndRestart();
      const last = await client.ended(body.resumedByRunId);
      expect(last).toMatchObject({ status: 'failed', error: { code: 'TOOL_IN_DOUBT' } });
      expect(last.output?.at(-1)).toMatchObject({ type: 'plugin_call_output', metadata: { in_doubt: true } });
      expect(reached('effects', 'unsafe')).toHaveLength(times);
      expect((await approve(id)).status).toBe(409);
    },
  );
});

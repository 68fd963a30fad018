import type { AgentContext } from '../../src/agent/index.js';
import * as agents from '../support/code-agents.js';
import { behaviour, say } from '../support/code-agents.js';
import { describeOnDatabases } from '../support/databases.js';
import { answerText, expectWhole, type Frame, type FrameStream, ProcessClient } from '../support/process-client.js';
import { done, SampleTools } from '../support/sample-tools.js';
import { toolScript } from '../support/openai-client.js';
import { startServer, type TestServer } from '../support/server.js';

const PAYMENT = { to: 'Ana', amount: 5 };

interface Question {
  readonly id: string;
  readonly status: string;
  readonly runId: string;
  readonly resumedByRunId: string | null;
  readonly [field: string]: unknown;
}

/** A message of the user. */
function words(text: string): object {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** What the chat UI sends when a person decides. */
function decision(id: string, approve: boolean, extra: object = {}): object {
  const data = { approve, id, approval_request_id: id, reason: '', ...extra };
  return { type: 'mcp_approval_response', role: 'user', content: [{ type: 'data', data }] };
}

describeOnDatabases('approvals over HTTP', (open) => {
  let server: TestServer;
  let client: ProcessClient;
  /** Of each test its own: one server answers all of them. */
  let session: { session_id: string; user_id: string };
  let tests = 0;

  beforeAll(async () => {
    server = await startServer({
      database: open,
      model: (upstream) =>
        toolScript(
          upstream,
          'pay Ana',
          [{ name: 'pay', arguments: JSON.stringify(PAYMENT), id: 'call_pay' }],
          'I have the result.',
        ),
      providers: [SampleTools],
    });
    client = new ProcessClient(server.url);
  });
  beforeEach(() => {
    done.payments = [];
    tests += 1;
    session = { session_id: `s${tests}`, user_id: `alice-${tests}` };
  });
  afterAll(() => server.close());

  async function rest(path: string, body?: object): Promise<{ status: number; body: Question & { data: Question[] } }> {
    const init = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await fetch(`${server.url}${path}`, init);
    return { status: response.status, body: (await response.json()) as Question & { data: Question[] } };
  }

  async function process(body: object): Promise<Frame> {
    const stream: FrameStream = await client.open(body);
    return expectWhole((await stream.all()).frames);
  }

  /** Lets the model ask for a payment; returns the answer and the id of the permission it needs. */
  async function asked(overrides: object = {}): Promise<{ last: Frame; id: string }> {
    const last = await process({ input: [words('pay Ana')], ...session, ...overrides });
    const request = last.output?.at(-1);
    expect(request).toMatchObject({ type: 'mcp_approval_request', role: 'assistant', status: 'completed' });
    const data = request?.content?.[0]?.data;
    expect(data).toMatchObject({ name: 'pay', arguments: JSON.stringify(PAYMENT), server_label: 'local' });
    return { last, id: data?.['id'] ?? '' };
  }

  it('a response ends with the approval request, and an answer without a session continues it in its session', async () => {
    const { last, id } = await asked({ session_id: undefined, user_id: undefined });
    expect(last.status).toBe('completed');
    const next = await process({ input: [decision(id, true)] });
    expect(next.session_id).toBe(last.session_id);
    expect(next.output?.map(({ type }) => type)).toEqual(['plugin_call_output', 'message']);
    expect(answerText(next)).toBe('I have the result.');
    expect(done.payments).toEqual([PAYMENT]);
  });

  it('an answer at the end of a resent conversation counts, and earlier answers are repetitions', async () => {
    const { last, id } = await asked();
    const history = [words('pay Ana'), ...(last.output ?? [])];
    const next = await process({ ...session, input: [...history, decision(id, false, { reason: 'no' })] });
    expect(next.output?.[0]).toMatchObject({ type: 'plugin_call_output', metadata: { denied: true } });
    const whole = [...history, decision(id, false, { reason: 'no' }), ...(next.output ?? []), words('pay Ana')];
    const again = await process({ ...session, input: whole });
    expect(again.output?.at(-1)?.type).toBe('mcp_approval_request');
    expect(done.payments).toEqual([]);
  });

  it('forged, foreign, duplicate and invalid answers are refused and no tool is called', async () => {
    const { id } = await asked();
    const refused = async (input: object[], rest: object = {}): Promise<unknown> => {
      const response = await fetch(`${server.url}/process`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ input, ...session, ...rest }),
      });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    expect(await refused([decision('apr_forged', true)])).toEqual([404, 'INTERRUPT_NOT_FOUND']);
    expect(await refused([decision(id, true)], { user_id: 'bob' })).toEqual([404, 'INTERRUPT_NOT_FOUND']);
    expect(await refused([decision(id, true)], { session_id: 'elsewhere' })).toEqual([404, 'INTERRUPT_NOT_FOUND']);
    expect(await refused([decision(id, true, { approve: 'yes' })])).toEqual([400, 'PARAMETER_VALIDATION']);
    expect(await refused([decision(id, true, { approve: null })])).toEqual([400, 'MISSING_PARAMETER']);
    expect(await refused([decision(id, true), decision(id, true)])).toEqual([400, 'INVALID_PARAMETER']);
    expect(await refused([decision(id, true, { edited_arguments: { to: 'Eve' } })])).toEqual([
      400,
      'INVALID_PARAMETER',
    ]);
    expect(done.payments).toEqual([]);
    // What a client echoes of the call is passed over.
    await process({
      input: [decision(id, true, { name: 'steal', arguments: '{"to":"Eve","amount":9}' })],
      ...session,
    });
    expect(done.payments).toEqual([PAYMENT]);
    expect(await refused([decision(id, true)])).toEqual([409, 'INTERRUPT_ALREADY_ANSWERED']);
    expect(done.payments).toHaveLength(1);
  });

  it('a repeated answer with the same run id is a replay', async () => {
    const { id } = await asked();
    const body = { id: 'run-7', input: [decision(id, true)], ...session };
    expect(await process(body)).toEqual(await process(body));
    expect(done.payments).toHaveLength(1);
  });

  it('approvals are listed and decided over REST, and the continued run can be watched', async () => {
    const { id } = await asked();
    const listed = await rest(`/approvals?status=pending&user_id=${session.user_id}`);
    expect(listed).toMatchObject({
      status: 200,
      body: { data: [{ id, toolName: 'pay', arguments: PAYMENT, status: 'pending' }] },
    });
    expect(Object.keys(listed.body.data[0] ?? {})).toEqual(
      expect.arrayContaining(['id', 'runId', 'toolName', 'arguments', 'reason', 'status', 'createdAt', 'expiresAt']),
    );
    expect((await rest('/approvals?status=pending')).body.data.map((one) => one.id)).toContain(id);
    expect((await rest('/approvals?status=pending&user_id=bob')).body.data).toEqual([]);
    expect((await rest(`/approvals/${id}?user_id=bob`, { approve: true })).status).toBe(404);
    expect(await rest(`/approvals/${id}`, { approve: 1 })).toMatchObject({ status: 400 });
    const decided = await rest(`/approvals/${id}?user_id=${session.user_id}`, { approve: true });
    expect(decided).toMatchObject({ status: 200, body: { id, status: 'approved', decision: { approve: true } } });
    const watched = await fetch(`${server.url}/process/${decided.body.resumedByRunId}?stream=true`);
    expect(await watched.text()).toContain('I have the result.');
    expect(done.payments).toEqual([PAYMENT]);
    expect((await rest(`/approvals/${id}`, { approve: true })).status).toBe(409);
    expect((await rest('/approvals/none', { approve: true })).status).toBe(404);
    expect((await rest('/approvals/%00')).status).toBe(404);
    for (const query of ['status=open', 'limit=0', 'limit=x', 'cursor=x', 'user_id=', 'session_id=%00']) {
      expect([query, (await rest(`/approvals?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('stopping the run cancels its approval', async () => {
    const { last, id } = await asked();
    expect((await rest('/stop', { response_id: last.id })).body).toEqual({ status: 'ok', stopped: [last.id] });
    expect((await rest(`/approvals/${id}`)).body.status).toBe('cancelled');
    expect((await rest(`/approvals/${id}`, { approve: true })).status).toBe(409);
  });
});

describeOnDatabases('inputs over HTTP', (open) => {
  const schema = { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] };
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({
      database: open,
      env: { DEFAULT_AGENT: 'code-journal' },
      providers: [agents.JournalingCodeAgent],
    });
    behaviour.current = async function* (context: AgentContext) {
      yield say(context, 'One moment.');
      const { seat } = (await context.interrupt({
        reason: 'seat',
        message: 'Which seat?',
        responseSchema: schema,
      })) as {
        seat: string;
      };
      yield say(context, `Seat ${seat}`);
    };
  });
  afterAll(() => server.close());

  it('inputs are listed, checked and answered over REST', async () => {
    const client = new ProcessClient(server.url);
    expectWhole((await (await client.open({ input: [words('fly')], session_id: 's1' })).all()).frames);
    const get = async (path: string): Promise<unknown> => (await fetch(`${server.url}${path}`)).json();
    const post = async (path: string, body: object): Promise<{ status: number; body: Question }> => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as Question };
    };
    const { data } = (await get('/interrupts?status=pending')) as { data: Question[] };
    expect(data).toMatchObject([{ kind: 'input', message: 'Which seat?', responseSchema: schema }]);
    expect(await get('/approvals')).toEqual({ data: [], nextCursor: null });
    const path = `/interrupts/${data[0]?.id}`;
    expect((await post(path, {})).status).toBe(400);
    expect((await post(path, { payload: null })).status).toBe(400);
    expect(await post(path, { payload: { seat: 7 } })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_PARAMETER' },
    });
    expect((await post(`/approvals/${data[0]?.id}`, { approve: true })).status).toBe(404);
    const answered = await post(path, { payload: { seat: '12A' } });
    expect(answered).toMatchObject({
      status: 200,
      body: { status: 'answered', decision: { payload: { seat: '12A' } } },
    });
    const watched = await fetch(`${server.url}/process/${answered.body.resumedByRunId}?stream=true`);
    expect(await watched.text()).toContain('Seat 12A');
  });
});

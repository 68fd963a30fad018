import { generateKeyPairSync, verify } from 'node:crypto';
import { type Agent, type AgentContext, AgentType } from '../../../src/agent/index.js';
import { AppError, canonicalJson } from '../../../src/common/index.js';
import type { AgentEvent } from '../../../src/events/index.js';
import { A2aClient, saying, type ShownTask, statesOf } from '../../support/a2a.js';
import { say } from '../../support/code-agents.js';
import { startServer, type TestServer } from '../../support/server.js';

const CALENDAR = 'Schedule a meeting with Ana tomorrow at 3pm';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Does what the words of the message say. */
@AgentType({ name: 'obeys', description: 'Obeys.', exposure: 'public', directReplies: true, inputModes: ['text/csv'] })
class ObeyingAgent implements Agent {
  async *run(context: AgentContext): AsyncGenerator<AgentEvent | undefined, void, void> {
    const { inputText } = context;
    if (inputText.startsWith('reject')) throw new AppError('REJECTED', 'Not my business');
    if (inputText.startsWith('reply')) {
      context.emit({ object: 'custom', name: 'a2a.reply', value: 'message' });
      if (inputText === 'reply badly') throw new AppError('AGENT_ERROR', 'Nothing comes to mind');
      yield say(context, 'Direct message response');
    } else if (inputText.startsWith('ask')) {
      const responseSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
      const answer = await context.interrupt({ reason: 'city', message: 'Which city?', responseSchema });
      yield say(context, JSON.stringify(answer));
    } else if (inputText.startsWith('sleep')) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      yield say(context, 'awake');
    } else
      yield say(
        context,
        `I got ${context.input
          .flatMap(({ content }) => content ?? [])
          .map(({ type }) => type)
          .join(', ')}`,
      );
  }
}

/** The same, and always makes tasks. */
@AgentType({ name: 'works', description: 'Obeys.', exposure: 'public' })
class WorkingAgent extends ObeyingAgent {}

const textIn = ({ artifacts }: ShownTask): string =>
  (artifacts ?? []).flatMap(({ parts }) => parts.map(({ text }) => text)).join('');

describe('questions and answers of A2A', () => {
  let server: TestServer;
  let client: A2aClient;
  let obeys: A2aClient;

  beforeAll(async () => {
    server = await startServer({ providers: [ObeyingAgent, WorkingAgent], env: { A2A_KEEP_ALIVE_MS: '50' } });
    client = new A2aClient(server, { 'a2a-version': '1.0' });
    obeys = new A2aClient(server, { 'a2a-version': '1.0' }, '/a2a/agents/obeys');
  });
  afterAll(() => server.close());

  it('an input is asked for with its schema, and answered by a data part', async () => {
    const asked = await obeys.send(saying('ask'));
    const [text, question] = asked.status.message?.parts ?? [];
    expect([text?.text, question?.data]).toMatchObject([
      'Which city?',
      { type: 'input_request', responseSchema: { type: 'object' } },
    ]);
    const answer = (value: unknown) => saying('', { taskId: asked.id, parts: [{ data: { type: 'input', value } }] });
    expect((await obeys.rpc('SendMessage', answer({ city: 1 }))).error?.code).toBe(-32602);
    expect((await obeys.get(asked.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const task = await obeys.send(answer({ city: 'Oslo' }));
    expect([task.id, task.status.state, textIn(task)]).toEqual([asked.id, 'TASK_STATE_COMPLETED', '{"city":"Oslo"}']);
    expect((await obeys.rpc('SendMessage', answer({ city: 'Rome' }))).error?.code).toBe(-32004);
    expect((await client.rpc('GetTask', { id: asked.id })).result?.id).toBe(asked.id);
    const elsewhere = new A2aClient(server, {}, '/a2a/agents/worker');
    expect((await elsewhere.rpc('GetTask', { id: asked.id })).error?.code).toBe(-32001);
  });

  it('an unknown question, and one that is answered twice, are refused and nothing is written', async () => {
    const asked = await client.send(saying(CALENDAR));
    const part = (fields: object) => ({ data: { type: 'approval', approved: true, ...fields } });
    for (const parts of [
      [part({ id: 'apr_unknown' })],
      [part({}), part({})],
      [{ data: { type: 'tool_result', output: 1 } }],
    ]) {
      expect((await client.rpc('SendMessage', saying('', { taskId: asked.id, parts }))).error?.code).toBe(-32602);
    }
    expect(await client.get(asked.id)).toEqual(asked);
    const approved = await client.send(saying('', { taskId: asked.id, parts: [{ data: { approved: true } }] }));
    expect(approved.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('an agent may reject a task, reply with a message, or fail to', async () => {
    const rejected = await obeys.send(saying('reject'));
    expect(rejected.status).toMatchObject({
      state: 'TASK_STATE_REJECTED',
      message: { parts: [{ text: 'Not my business' }] },
    });
    expect(
      (await obeys.rpc('ListTasks', { status: 'TASK_STATE_REJECTED' })).result?.tasks?.map(({ id }) => id),
    ).toContain(rejected.id);
    const { result } = await obeys.rpc('SendMessage', saying('reply'));
    expect(result?.message).toMatchObject({ role: 'ROLE_AGENT', parts: [{ text: 'Direct message response' }] });
    expect(result).not.toHaveProperty('task');
    const frames = await obeys.stream('/message:stream', saying('reply'));
    expect(frames.map(({ data }) => Object.keys(data))).toEqual([['message']]);
    expect((await obeys.rpc('SendMessage', saying('reply badly'))).error?.code).toBe(-32006);
  });

  it('an answer that is waited for gives signs of life before its JSON', async () => {
    const response = await obeys.post('SendMessage', saying('sleep'));
    const text = await response.text();
    expect(text).toMatch(/^ {2,}\{"jsonrpc"/);
    expect(JSON.parse(text)).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
    const works = new A2aClient(server, { 'a2a-version': '1.0' }, '/a2a/agents/works');
    const now = await works.send({ ...saying('sleep'), configuration: { returnImmediately: true } });
    expect(now.status.state).not.toBe('TASK_STATE_COMPLETED');
    const stream = await works.rest('POST', `/tasks/${now.id}:subscribe`);
    expect(stream.headers.get('cache-control')).toBe('no-store');
    expect(await stream.text()).toContain(': ka\n\n');
  });

  it('images become uploads, other files need an agent that takes them, data is data', async () => {
    const parts = [
      { raw: PNG, mediaType: 'image/png' },
      { data: [1] },
      { text: 'x' },
      { raw: 'YSxi', mediaType: 'text/csv', filename: 'a.csv' },
    ];
    const task = await obeys.send(saying('', { parts }));
    expect(textIn(task)).toBe('I got image, data, text, file');
    const [image, data, text, file] = task.history?.[0]?.parts ?? [];
    expect([image?.mediaType, data?.data, text?.text, file?.raw]).toEqual(['image/png', { value: [1] }, 'x', 'YSxi']);
    expect((await fetch(image?.url ?? '')).status).toBe(200);
    expect(
      (await client.rpc('SendMessage', saying('', { parts: [{ raw: 'YSxi', mediaType: 'text/csv' }] }))).error?.code,
    ).toBe(-32005);
    const bad = await client.rpc('SendMessage', saying('', { parts: [{ raw: 'YSxi', mediaType: 'image/png' }] }));
    expect(bad.error?.code).toBe(-32005);
  });

  it('progress shows tools to clients that ask for it, with ids of their own', async () => {
    const uri = 'urn:parley:a2a:progress:v1';
    const response = await client.rest('POST', '/message:stream', saying('What is the weather in Paris?'), {
      'a2a-extensions': `${uri}, urn:x`,
    });
    expect(response.headers.get('a2a-extensions')).toBe(uri);
    const text = await response.text();
    expect(text).toContain('id: p1\n');
    expect(text).toContain('"type":"tool_call"');
    expect(text).toContain('"type":"tool_output"');
    const plain = await client.stream('/message:stream', saying('What is the weather in Paris?'));
    expect(JSON.stringify(plain)).not.toContain('get_weather');
  });
});

describe('A2A with approvals out of band', () => {
  it('waits for people, takes no decision, and streams go on when one was taken', async () => {
    const server = await startServer({ env: { A2A_APPROVALS: 'out-of-band' } });
    try {
      const client = new A2aClient(server, { 'a2a-version': '1.0' });
      const asked = await client.send(saying(CALENDAR));
      expect(asked.status).toMatchObject({
        state: 'TASK_STATE_AUTH_REQUIRED',
        message: { parts: [{ text: expect.stringContaining('A person has to decide') as unknown }] },
      });
      expect((await client.rpc('SendMessage', saying('approve', { taskId: asked.id }))).error?.code).toBe(-32004);
      expect((await client.rpc('ListTasks', { status: 'TASK_STATE_AUTH_REQUIRED' })).result?.totalSize).toBe(1);
      expect((await client.rpc('ListTasks', { status: 'TASK_STATE_INPUT_REQUIRED' })).result?.totalSize).toBe(0);
      const watching = client.stream(`/tasks/${asked.id}:subscribe`);
      const [open] =
        ((await (await fetch(`${server.url}/approvals`)).json()) as { data?: { id: string }[] }).data ?? [];
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ approve: true });
      await fetch(`${server.url}/approvals/${open?.id ?? ''}`, { method: 'POST', headers, body });
      expect(statesOf(await watching)).toEqual([
        'TASK_STATE_AUTH_REQUIRED',
        'TASK_STATE_WORKING',
        'TASK_STATE_COMPLETED',
      ]);
    } finally {
      await server.close();
    }
  });
});

describe('signed agent cards', () => {
  it('verify, pure and hybrid, and a changed one does not', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'k1' });
    const server = await startServer({ env: { A2A_CARD_SIGNING_KEY: jwk } });
    try {
      const card = async (version: string) => {
        const headers = { 'a2a-version': version };
        // Objects of this realm, of which canonical JSON is made.
        const text = await (await fetch(`${server.url}/.well-known/agent-card.json`, { headers })).text();
        return JSON.parse(text) as Record<string, never>;
      };
      const { signatures, ...pure } = await card('1.0');
      const [{ protected: header, signature }] = signatures as unknown as [{ protected: string; signature: string }];
      const isSigned = (signed: Record<string, never>): boolean => {
        const payload = Buffer.from(canonicalJson(signed)).toString('base64url');
        const key = { key: publicKey, dsaEncoding: 'ieee-p1363' as const };
        return verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
      };
      expect(isSigned(pure)).toBe(true);
      expect(isSigned({ ...pure, name: 'other' as never })).toBe(false);
      expect((await card('0.3'))['signatures']).toEqual(signatures);
    } finally {
      await server.close();
    }
  });
});

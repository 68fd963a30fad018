import OpenAI, { AuthenticationError, BadRequestError } from 'openai';
import type { ChatCompletionTool } from 'openai/resources/chat/completions';
import { type ModelRequest } from '../../../src/agent/index.js';
import { call, finish, ScriptedModelClient, text } from '../../../src/agent/testing/scripted-model-client.js';
import type { ScriptStep } from '../../../src/agent/testing/scripted-model-client.js';
import { AppError } from '../../../src/common/index.js';
import { ConnectionDrain } from '../../../src/protocol/http/index.js';
import { GOLDEN_CLIENT_TOOL, GoldenTools } from '../../support/golden.js';
import { png } from '../../support/images.js';
import { rawRequest } from '../../support/raw-http.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

const APPROVAL: ChatCompletionTool = {
  type: 'function',
  function: { name: 'request_approval', parameters: { type: 'object', properties: {} } },
};
const MAP: ChatCompletionTool = { type: 'function', function: { ...GOLDEN_CLIENT_TOOL } };

function answer({ messages }: ModelRequest): readonly ScriptStep[] {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const said = JSON.stringify(messages[at]);
  const isAnswered = messages.slice(at).some(({ role }) => role === 'tool');
  if (said.includes('window') && !isAnswered) {
    return [call(0, 'open_window', '{"room":"kitchen"}', 'call_w'), finish('tool-calls')];
  }
  if (said.includes('fail')) return [{ type: 'throw', error: new AppError('MODEL_EXECUTION_FAILED') }];
  return [text(isAnswered ? 'Opened.' : 'Hello.'), finish()];
}

/** Turns of the contract that stock clients take rarely (contract chat-completions, sections A3, A7, A10, B and C). */
describe('turns of completions', () => {
  let server: TestServer;
  let model: ScriptedModelClient;
  let client: OpenAI;

  beforeAll(async () => {
    model = new ScriptedModelClient(answer);
    server = await startServer({ model, providers: [GoldenTools] });
    client = new OpenAI({ apiKey: 'any', baseURL: `${server.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => server.close());

  const create = (
    fields: Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'model'>,
    headers: Record<string, string> = {},
  ) => client.chat.completions.create({ model: 'worker', ...fields }, { headers });
  const say = (content: string, headers: Record<string, string> = {}, ...tools: ChatCompletionTool[]) =>
    create({ messages: [{ role: 'user', content }], ...(tools.length > 0 && { tools }) }, headers);

  it('a question in a session stays open while the user goes on, and its decision still counts', async () => {
    const session = { 'X-Session-Id': 'asked-and-left' };
    const asked = await say('window', session, APPROVAL);
    const [made] = asked.choices[0]?.message.tool_calls ?? [];
    if (made?.type !== 'function') throw new Error('no call');
    const next = await say('Hello', session);
    expect(next.choices[0]?.message.content).toBe('Hello.');
    const decided = await create(
      {
        tools: [APPROVAL],
        messages: [
          { role: 'user', content: 'window' },
          { role: 'assistant', content: null, tool_calls: [made] },
          { role: 'tool', tool_call_id: made.id, content: 'approved' },
        ],
      },
      session,
    );
    expect(decided.choices[0]?.finish_reason).toBe('stop');
    const { messages } = model.requests.at(-1) as ModelRequest;
    expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { content: 'The window of the kitchen is open.' },
    ]);
  });

  it('a decision about an unknown question names its message', async () => {
    const id = 'apr_00000000-0000-7000-8000-000000000000';
    const made = { id, type: 'function' as const, function: { name: 'request_approval', arguments: '{}' } };
    const decided = create({
      tools: [APPROVAL],
      messages: [
        { role: 'user', content: 'window' },
        { role: 'assistant', content: null, tool_calls: [made] },
        { role: 'tool', tool_call_id: id, content: 'approved' },
      ],
    });
    await expect(decided).rejects.toMatchObject({ status: 400, code: 'tool_call_not_found', param: 'messages[2]' });
  });

  it('a call that was not answered is told as such, and a prefilled answer is history', async () => {
    await create({
      tools: [MAP],
      messages: [
        { role: 'user', content: 'Show Paris' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'show_map', arguments: '{}' } }],
        },
        { role: 'user', content: 'Never mind' },
      ],
    });
    const { messages } = model.requests.at(-1) as ModelRequest;
    // A text of the user does not follow a result directly: several model servers refuse that.
    expect(messages.slice(-5).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(messages.at(-3)).toMatchObject({ callId: 'c1', content: 'The call was not answered.' });
    await create({
      messages: [
        { role: 'user', content: 'Go on' },
        { role: 'assistant', content: 'Once upon' },
      ],
    });
    // Several model servers refuse a history that an answer ends; the model is asked to go on after it.
    expect((model.requests.at(-1) as ModelRequest).messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: 'Once upon' },
      { role: 'user' },
    ]);
  });

  it('a failed run is the same 400 when its request comes again', async () => {
    const headers = { 'Idempotency-Key': 'failing-once' };
    const failures: unknown[] = [];
    const before = model.requests.length;
    for (let time = 0; time < 2; time += 1) {
      failures.push(await say('fail', headers).catch((error: unknown) => error));
    }
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(BadRequestError);
      expect(failure).toMatchObject({ code: 'model_execution_failed', type: 'server_error' });
    }
    expect(model.requests.length - before).toBe(1);
  });

  it('every answer names its request', async () => {
    const good = await client.chat.completions.create({
      model: 'worker',
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(good._request_id).toMatch(/./);
    const bad = await create({ messages: [] }).catch((error: unknown) => error);
    expect((bad as { requestID?: string }).requestID).toMatch(/./);
  });

  it('an address without its version names the right one', async () => {
    const lost = new OpenAI({ apiKey: 'any', baseURL: server.url, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'x' }];
    await expect(lost.chat.completions.create({ model: 'worker', messages })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('/v1/chat/completions') as string,
    });
  });

  it('a file is an upload of the caller', async () => {
    const form = new FormData();
    form.append('file', new Blob([Uint8Array.from(png())], { type: 'image/png' }), 'a.png');
    const uploaded = await fetch(`${server.url}/api/v1/agent/attachments?user_id=alice`, {
      method: 'POST',
      body: form,
    });
    expect(uploaded.status).toBe(201);
    const { id } = (await uploaded.json()) as { id: string };
    const withFile = (file_id: string, user?: string) =>
      create({
        ...(user !== undefined && { user }),
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'file', file: { file_id } },
            ],
          },
        ],
      });
    await withFile(id, 'alice');
    expect(JSON.stringify((model.requests.at(-1) as ModelRequest).messages)).toContain('"type":"image"');
    for (const [name, user] of [
      [id, 'bob'],
      ['00000000-0000-4000-8000-000000000000', 'alice'],
      ['file-123', 'alice'],
    ] as const) {
      await expect(withFile(name, user)).rejects.toMatchObject({
        status: 400,
        code: 'file_not_found',
        param: 'messages[0].content[1].file.file_id',
      });
    }
  });

  it('names that disagree, and keys that are not printable, are refused by name', async () => {
    const body = JSON.stringify({
      model: 'worker',
      metadata: { session_id: 'a' },
      messages: [{ role: 'user', content: 'x' }],
    });
    const post = async (headers: Record<string, string>) => {
      const answered = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      const { error } = (await answered.json()) as { error: { param: string; code: string } };
      return [answered.status, error.param, error.code];
    };
    expect(await post({ 'X-Session-Id': 'b' })).toEqual([400, 'session_id', 'invalid_value']);
    expect(await post({ 'Idempotency-Key': 'ä' })).toEqual([400, 'Idempotency-Key', 'invalid_value']);
    expect(await post({ 'X-Tool-Trace': 'all' })).toEqual([400, 'X-Tool-Trace', 'invalid_value']);
  });

  it('tools that cannot be used are refused by their path', async () => {
    const tool = (name: string, parameters: object): ChatCompletionTool => ({
      type: 'function',
      function: { name, parameters: parameters as Record<string, unknown> },
    });
    await expect(say('x', {}, tool('open_window', { type: 'object' }))).rejects.toMatchObject({
      param: 'tools[0].function.name',
      code: 'invalid_value',
    });
    await expect(say('x', {}, MAP, tool('f', { type: 'object', properties: 5 }))).rejects.toMatchObject({
      param: 'tools[1].function.parameters',
      code: 'invalid_value',
    });
  });
});

/** Refusals have the classes of the SDK (contract chat-completions, section A7). */
describe('refusals of completions', () => {
  it('a request without a credential is an AuthenticationError', async () => {
    const server = await startServer({ env: { AUTH: 'keys' } });
    try {
      const client = new OpenAI({ apiKey: 'wrong', baseURL: `${server.url}/v1`, maxRetries: 0 });
      const refused = client.chat.completions.create({ model: 'x', messages: [{ role: 'user', content: 'x' }] });
      await expect(refused).rejects.toBeInstanceOf(AuthenticationError);
      await expect(refused).rejects.toMatchObject({ code: 'invalid_api_key', type: 'invalid_request_error' });
    } finally {
      await server.close();
    }
  });

  it('a stream of a server that sends its clients away does not say that its connection ends', async () => {
    const server = await startServer({ model: new ScriptedModelClient(() => [text('a'), { type: 'hang' }]) });
    try {
      server.get(ConnectionDrain).begin();
      const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'x' }] });
      const headOf = async (...headers: string[]): Promise<string> => {
        const answered = rawRequest(server.port, 'POST', '/v1/chat/completions', body, headers);
        await until(() => answered.chunks.join('').includes('"content":"a"'), 'the text');
        return answered.head;
      };
      expect(await headOf()).not.toMatch(/^connection: close/im);
      expect(await headOf('connection: close')).toMatch(/^connection: close/im);
    } finally {
      await server.close();
    }
  });
});

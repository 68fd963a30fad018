import OpenAI, { BadRequestError } from 'openai';
import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import { type ModelRequest } from '../../../src/agent/index.js';
import {
  call,
  finish,
  reasoning,
  ScriptedModelClient,
  text,
} from '../../../src/agent/testing/scripted-model-client.js';
import type { ScriptStep } from '../../../src/agent/testing/scripted-model-client.js';
import { AppError } from '../../../src/common/index.js';
import { GOLDEN_CLIENT_TOOL, GoldenTools } from '../../support/golden.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

const MAP: ChatCompletionTool = { type: 'function', function: { ...GOLDEN_CLIENT_TOOL } };
const APPROVAL: ChatCompletionTool = {
  type: 'function',
  function: { name: 'request_approval', parameters: { type: 'object', properties: {} } },
};

/** What the user says last, and how many tool results follow it. */
function turnOf({ messages }: ModelRequest): { said: string; results: number } {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const user = messages[at];
  const said =
    user?.role === 'user' ? user.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : '';
  return { said, results: messages.slice(at).filter(({ role }) => role === 'tool').length };
}

/** The answers of the model, by what the user says. */
function answer(request: ModelRequest): readonly ScriptStep[] {
  const { said, results } = turnOf(request);
  if (said === 'think') return [reasoning('Hm. '), text('It is '), text('fine.'), finish()];
  if (said === 'name?') {
    const known = request.messages.some((one) => one.role === 'user' && JSON.stringify(one).includes('I am Alice'));
    return [text(known ? 'Alice.' : 'I do not know.'), finish()];
  }
  if (said === 'both') {
    const calls = [
      [text('Looking.'), call(0, 'read_thermometer', '{"city":"Paris"}', 'call_t'), finish('tool-calls')],
      [
        call(0, 'show_map', '{"place":"Paris"}', 'call_m'),
        call(1, 'show_map', '{"place":"Rome"}', 'call_n'),
        finish('tool-calls'),
      ],
      [text('Here they are.'), finish()],
    ];
    return calls[Math.min(results, 2)] ?? [];
  }
  if (said === 'window') {
    return results > 0
      ? [text('Done.'), finish()]
      : [call(0, 'open_window', '{"room":"kitchen"}', 'call_w'), finish('tool-calls')];
  }
  if (said === 'fail') return [text('It is '), { type: 'throw', error: new AppError('MODEL_EXECUTION_FAILED') }];
  if (said === 'long') return [text('a'), { type: 'hang' }];
  if (said === 'json') return [text('{"a":'), text('1}'), finish()];
  if (said === 'cut') return [text('It is'), finish('length')];
  return [text('Hello.'), finish()];
}

/** The official client, with its defaults but for the address (contract chat-completions, section F). */
describe('openai', () => {
  let server: TestServer;
  let model: ScriptedModelClient;
  let client: OpenAI;

  beforeAll(async () => {
    model = new ScriptedModelClient(answer);
    server = await startServer({ model, providers: [GoldenTools] });
    client = new OpenAI({ apiKey: 'any', baseURL: `${server.url}/v1` });
  });
  afterAll(() => server.close());

  const ask = (content: string, ...before: ChatCompletionMessageParam[]) => ({
    model: 'worker',
    messages: [...before, { role: 'user' as const, content }],
  });

  async function chunksOf(fields: ReturnType<typeof ask> & Record<string, unknown>) {
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of await client.chat.completions.create({ ...fields, stream: true })) chunks.push(chunk);
    return chunks;
  }

  it('a completion has the text, the reasoning, the usage and the id of its run', async () => {
    const { data, response } = await client.chat.completions.create(ask('think')).withResponse();
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'worker',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'It is fine.', refusal: null, reasoning_content: 'Hm. ' },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    });
    expect(data.id).toMatch(/^chatcmpl-/);
    expect(data.choices[0]?.message).not.toHaveProperty('tool_calls');
    expect(response.headers.get('x-run-id')).toBe(data.id);
  });

  it('a stream is the same text with one role and one finish reason', async () => {
    const chunks = await chunksOf({ ...ask('think'), stream_options: { include_usage: true } });
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe('It is fine.');
    expect(deltas.filter(({ role }) => role !== undefined)).toHaveLength(1);
    expect(chunks.flatMap(({ choices }) => choices.map((one) => one.finish_reason)).filter(Boolean)).toEqual(['stop']);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15 } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it('the helper of streams gives the same completion', async () => {
    const helper = client.chat.completions.stream(ask('think'));
    expect((await helper.finalChatCompletion()).choices[0]?.message.content).toBe('It is fine.');
  });

  it('without a session nothing is remembered; in a session each message is stored once', async () => {
    await client.chat.completions.create(ask('I am Alice'));
    const forgotten = await client.chat.completions.create(ask('name?'));
    expect(forgotten.choices[0]?.message.content).toBe('I do not know.');
    const headers = { 'X-Session-Id': 'chat-memory' };
    const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'I am Alice' }];
    for (let turn = 0; turn < 3; turn += 1) {
      const { choices } = await client.chat.completions.create({ model: 'worker', messages }, { headers });
      messages.push({ role: 'assistant', content: choices[0]?.message.content ?? '' });
      messages.push({ role: 'user', content: 'name?' });
    }
    const last = await client.chat.completions.create({ model: 'worker', messages }, { headers });
    expect(last.choices[0]?.message.content).toBe('Alice.');
    const users = model.requests.at(-1)?.messages.filter(({ role }) => role === 'user');
    expect(users).toHaveLength(4);
    const nothing = client.chat.completions.create({ model: 'worker', messages: messages.slice(0, -1) }, { headers });
    await expect(nothing).rejects.toMatchObject({ status: 400, code: 'nothing_new', param: 'messages' });
  });

  it('a loop of tools runs the tools of the client, and that of the server once', async () => {
    const shown: string[] = [];
    const before = model.requests.length;
    const runner = client.chat.completions.runTools({
      ...ask('both'),
      tools: [
        {
          type: 'function',
          function: {
            name: 'show_map',
            description: 'Shows a place on a map.',
            parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
            parse: JSON.parse,
            function: ({ place }: { place: string }) => {
              shown.push(place);
              return `${place} is shown`;
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('Here they are.');
    expect(shown).toEqual(['Paris', 'Rome']);
    // One request for the call of the server's tool, one for those of the client, one for the answer.
    expect(model.requests.length - before).toBe(3);
    const { messages } = model.requests.at(-1) as ModelRequest;
    const outputs = messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));
    expect(outputs).toEqual(['{"city":"Paris","celsius":21}', 'Paris is shown', 'Rome is shown']);
  });

  it('results of a changed conversation are answered from its messages alone', async () => {
    const first = await client.chat.completions.create({ ...ask('both'), tools: [MAP] });
    const made = first.choices[0]?.message.tool_calls ?? [];
    const messages: ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'both' },
      { role: 'assistant', content: 'Looking.', tool_calls: made },
      ...made.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'shown' })),
    ];
    const before = model.requests.length;
    const { choices } = await client.chat.completions.create({ model: 'worker', messages, tools: [MAP] });
    expect(choices[0]?.message.content).toBe('Here they are.');
    expect(model.requests.length - before).toBe(1);
  });

  it('results that come twice get the same run', async () => {
    const request = { ...ask('both'), tools: [MAP] };
    const first = await client.chat.completions.create(request);
    const message = first.choices[0]?.message;
    const made = message?.tool_calls ?? [];
    const messages: ChatCompletionMessageParam[] = [
      ...request.messages,
      { role: 'assistant', content: message?.content ?? null, tool_calls: made },
      ...made.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'shown' })),
    ];
    const [one, two] = [
      await client.chat.completions.create({ ...request, messages }),
      await client.chat.completions.create({ ...request, messages }),
    ];
    expect(two).toEqual(one);
  });

  it('an approval is a call of request_approval if that is declared, and a sentence otherwise', async () => {
    const told = await client.chat.completions.create(ask('window'));
    expect(told.choices[0]).toMatchObject({ finish_reason: 'stop' });
    expect(told.choices[0]?.message.content).toMatch(
      /^The call of open_window with \{"room":"kitchen"\} waits for approval \(apr_/,
    );

    const asked = await client.chat.completions.create({ ...ask('window'), tools: [APPROVAL] });
    const [made] = asked.choices[0]?.message.tool_calls ?? [];
    if (made?.type !== 'function') throw new Error('no call');
    expect(asked.choices[0]?.finish_reason).toBe('tool_calls');
    expect(JSON.parse(made.function.arguments)).toMatchObject({
      tool_name: 'open_window',
      arguments: { room: 'kitchen' },
      may_edit: false,
    });
    const request = (content: string) => ({
      model: 'worker',
      tools: [APPROVAL],
      messages: [
        { role: 'user' as const, content: 'window' },
        { role: 'assistant' as const, content: null, tool_calls: [made] },
        { role: 'tool' as const, tool_call_id: made.id, content },
      ],
    });
    await expect(client.chat.completions.create(request('maybe'))).rejects.toMatchObject({
      status: 400,
      code: 'invalid_value',
      param: 'messages[2].content',
    });
    const done = await client.chat.completions.create(request('{"approved":true}'));
    expect(done.choices[0]?.message.content).toBe('Done.');
    const again = client.chat.completions.create(request('denied'));
    await expect(again).rejects.toMatchObject({ status: 400, code: 'tool_call_not_found' });
  });

  it('a failed run is one request: 400 as JSON, an error in a stream', async () => {
    let requests = 0;
    const counting = new OpenAI({
      apiKey: 'any',
      baseURL: `${server.url}/v1`,
      fetch: (url, init) => {
        requests += 1;
        return fetch(url, init);
      },
    });
    const failure = await counting.chat.completions.create(ask('fail')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(failure).toMatchObject({ status: 400, type: 'server_error', code: 'model_execution_failed' });
    expect(requests).toBe(1);
    const pieces: string[] = [];
    const read = async (): Promise<void> => {
      for await (const chunk of await counting.chat.completions.create({ ...ask('fail'), stream: true })) {
        pieces.push(chunk.choices[0]?.delta.content ?? '');
      }
    };
    await expect(read()).rejects.toMatchObject({ code: 'model_execution_failed' });
    expect(pieces.join('')).toBe('It is ');
    expect(requests).toBe(2);
  });

  it('an answer in JSON comes in one piece', async () => {
    const format = { response_format: { type: 'json_object' as const } };
    const { choices } = await client.chat.completions.create({ ...ask('json'), ...format });
    expect(choices[0]?.message.content).toBe('{"a":1}');
    const pieces = (await chunksOf({ ...ask('json'), ...format })).map((chunk) => chunk.choices[0]?.delta.content);
    expect(pieces.filter(Boolean)).toEqual(['{"a":1}']);
  });

  it('an answer that a limit has cut ends with length', async () => {
    const { choices } = await client.chat.completions.create(ask('cut'));
    expect(choices[0]).toMatchObject({ message: { content: 'It is' }, finish_reason: 'length' });
  });

  it('a client that leaves cancels the run', async () => {
    const stream = await client.chat.completions.create({ ...ask('long'), stream: true });
    let id = '';
    for await (const chunk of stream) {
      ({ id } = chunk);
      if (chunk.choices[0]?.delta.content === 'a') break;
    }
    await until(async () => {
      const events = await fetch(`${server.url}/runs/${id}/events?protocol=chat-completions`);
      return (await events.text()).includes('run_canceled');
    });
  });

  it('a repeated key gets the same answer, and another body with it is refused', async () => {
    const options = { headers: { 'Idempotency-Key': 'key-1' } };
    const before = model.requests.length;
    const one = await client.chat.completions.create(ask('think'), options);
    expect(await client.chat.completions.create(ask('think'), options)).toEqual(one);
    expect(model.requests.length - before).toBe(1);
    const other = client.chat.completions.create(ask('other'), options);
    await expect(other).rejects.toMatchObject({ status: 400, code: 'idempotency_key_reused' });
  });

  it('a stream can be read again from any chunk, byte by byte', async () => {
    const body = JSON.stringify({
      ...ask('both'),
      stream: true,
      tools: [MAP],
      stream_options: { include_usage: true },
    });
    const headers = { 'content-type': 'application/json' };
    const answered = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body });
    const id = answered.headers.get('x-run-id') ?? '';
    const frames = (await answered.text()).split('\n\n').filter((frame) => frame.startsWith('data: '));
    for (let after = 0; after < frames.length; after += 1) {
      const rest = await fetch(`${server.url}/runs/${id}/events?protocol=chat-completions&after=${after}`);
      const read = (await rest.text()).split('\n\n').map((frame) => frame.replace(/^(id|retry): .*\n/gm, ''));
      expect(read.filter((frame) => frame.startsWith('data: '))).toEqual(frames.slice(after));
    }
    const beyond = await fetch(`${server.url}/runs/${id}/events?protocol=chat-completions&after=${frames.length}`);
    expect(beyond.status).toBe(409);
  });
});

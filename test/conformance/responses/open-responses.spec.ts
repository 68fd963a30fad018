import type { LLMock } from '@copilotkit/aimock';
import { OpenResponsesClient } from '../../support/open-responses-client.js';
import { png } from '../../support/images.js';
import { startServer, type TestServer } from '../../support/server.js';

const LOCATION = { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] };
const WEATHER = { type: 'function', name: 'get_weather', description: 'The weather at a place', parameters: LOCATION };
const CALL = [
  'response.output_item.added',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.output_item.done',
];

const user = (content: unknown): object => ({ type: 'message', role: 'user', content });
const assistant = (content: unknown, phase?: string): object => ({
  type: 'message',
  role: 'assistant',
  content,
  phase,
});
const file = (type: string, text: string): string => `data:${type};base64,${Buffer.from(text).toString('base64')}`;

/** The checks that the public suite makes over HTTP, and those of its branches, in words of our own. */
function itConforms(client: () => OpenResponsesClient): void {
  it('a question is answered with a text, whole and streamed', async () => {
    const input = [user('Say hello in three words.')];
    expect(await client().create({ input })).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
    const { ended } = await client().stream({ input: [user('Count from one to five.')] });
    expect(ended).toMatchObject({ status: 'completed', output: [{ type: 'message', status: 'completed' }] });
  });

  it('a system message is accepted', async () => {
    const system = { type: 'message', role: 'system', content: 'You are a pirate and talk like one.' };
    expect((await client().create({ input: [system, user('Say hello.')] })).output).not.toEqual([]);
  });

  it('earlier messages are accepted, with and without a phase', async () => {
    const plain = [user('My name is Alice.'), assistant('Hello Alice.'), user('What is my name?')];
    expect((await client().create({ input: plain })).status).toBe('completed');
    const phased = [
      assistant('I look it up.', 'commentary'),
      assistant('It is four.', 'final_answer'),
      user('Repeat.'),
    ];
    expect((await client().create({ input: phased })).status).toBe('completed');
  });

  it.each(['auto', { type: 'function', name: 'get_weather' }])(
    'the client runs its own tool and the answer uses its result: %j',
    async (choice) => {
      const body = { input: [user('How is the weather in San Francisco?')], tools: [WEATHER], tool_choice: choice };
      const first = await client().create(body);
      expect(first.output).toMatchObject([{ type: 'function_call', name: 'get_weather', status: 'completed' }]);
      const { types, ended } = await client().stream(body);
      expect(types.slice(2, -1).filter((type, index, all) => type !== all[index - 1])).toEqual(CALL);
      expect(ended.output).toMatchObject([{ type: 'function_call' }]);
      const [call] = first.output;
      const id = call?.type === 'function_call' ? call.call_id : '';
      const output = { type: 'function_call_output', call_id: id, output: '{"degrees":16}' };
      const more = { previous_response_id: first.id, tools: [WEATHER], input: [output] };
      expect((await client().create(more)).output).toMatchObject([{ type: 'message' }]);
    },
  );

  it('a picture and a file are accepted', async () => {
    const picture = { type: 'input_image', image_url: `data:image/png;base64,${png().toString('base64')}` };
    const seen = await client().create({ input: [user([{ type: 'input_text', text: 'What is it?' }, picture])] });
    expect(seen).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
    const paper = { type: 'input_file', filename: 'title.pdf', file_data: file('application/pdf', '%PDF-1.1') };
    const read = await client().create({ input: [user([{ type: 'input_text', text: 'Its title?' }, paper])] });
    expect(read).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
  });

  it('a conversation continues from the previous response', async () => {
    const first = await client().create({ input: 'My name is Alice.' });
    const second = await client().create({ previous_response_id: first.id, input: 'What is my name?' });
    expect(second).toMatchObject({ status: 'completed', previous_response_id: first.id });
    expect(JSON.stringify(second.output)).toContain('Alice');
  });

  it('a compacted conversation continues from its compaction item', async () => {
    const input = [user('My name is Alice.'), assistant('Hello Alice.'), user('Hello.')];
    const { output } = await client().compact({ prompt_cache_key: 'alice', input });
    expect(output.at(-1)).toMatchObject({ type: 'compaction' });
    expect((await client().create({ input: [...output, user('What is my name?')] })).status).toBe('completed');
  });

  it('compacting without a model is refused', async () => {
    const answer = await client().post('/compact', { input: [user('Make it short.')] });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'missing_required_parameter', param: 'model' } });
  });
}

function script(upstream: LLMock): void {
  const call = { toolCalls: [{ name: 'get_weather', arguments: '{"location":"San Francisco"}', id: 'c1' }] };
  upstream.on({ userMessage: 'the weather', hasToolResult: false }, call);
  upstream.on({ userMessage: 'the weather', hasToolResult: true }, { content: 'Foggy.' });
  upstream.onMessage('reasoned', { content: 'So it is.', reasoning: 'Let me think.' });
  upstream.onMessage('cut off', { content: 'So far', finishReason: 'length' });
  upstream.onMessage('refused', { content: '', finishReason: 'content_filter' });
  upstream.onMessage('broken', { error: { message: 'secret', type: 'server_error' }, status: 500 });
  const knows = /Alice.*What is my name/s;
  upstream.on({ predicate: ({ messages }) => knows.test(JSON.stringify(messages)) }, { content: 'Alice.' });
  upstream.on({}, { content: 'Hello to you.' });
}

describe('Open Responses with the offline model', () => {
  let close: () => Promise<void>;
  let client: OpenResponsesClient;

  beforeAll(async () => {
    const app = await startServer();
    close = () => app.close();
    client = new OpenResponsesClient(`${app.url}/v1/responses`);
  });
  afterAll(() => close());

  itConforms(() => client);
});

describe.each(['/v1', '/compatible-mode/v1'])('Open Responses under %s with a model server', (prefix) => {
  let server: TestServer;
  let client: OpenResponsesClient;

  beforeAll(async () => {
    server = await startServer({ model: script });
    client = new OpenResponsesClient(`${server.url}${prefix}/responses`);
  });
  afterAll(() => server.close());

  itConforms(() => client);

  it.each([
    ['reasoned', 'completed', ['reasoning', 'message']],
    ['cut off', 'incomplete', ['message']],
    ['refused', 'incomplete', ['message']],
    ['broken', 'failed', []],
  ])('a response ends with the status of the specification: %s', async (input, status, types) => {
    const whole = await client.create({ input });
    expect({ status: whole.status, types: whole.output.map(({ type }) => type) }).toEqual({ status, types });
    const { ended } = await client.stream({ input });
    expect({ status: ended.status, types: ended.output.map(({ type }) => type) }).toEqual({ status, types });
  });

  it.each([
    { tool_choice: 'none' },
    { tool_choice: 'required' },
    { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] } },
    { text: { format: { type: 'json_object' }, verbosity: 'low' } },
    { text: { format: { type: 'json_schema', name: 'place', schema: LOCATION } } },
    { reasoning: { effort: 'low', summary: 'auto' } },
    { instructions: 'Be short.', temperature: 0.5, top_p: 0.9, presence_penalty: 0.1, frequency_penalty: 0.2 },
    { max_output_tokens: 64, max_tool_calls: 2, top_logprobs: 3, truncation: 'auto', parallel_tool_calls: false },
    { metadata: { topic: 'sky' }, safety_identifier: 'alice', prompt_cache_key: 'key', service_tier: 'flex' },
    { background: true },
    { store: false, include: ['reasoning.encrypted_content'], stream_options: { include_obfuscation: false } },
    { tools: [WEATHER, { type: 'function', name: 'bare' }, { type: 'web_search' }, { type: 'file_search' }] },
  ])('a response repeats the parameters of its request: %j', async (more) => {
    const body = { input: 'Hello.', tools: [WEATHER], ...more };
    await client.create(body);
    await client.stream(body);
  });
});

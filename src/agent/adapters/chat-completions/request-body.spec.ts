import { LLMock } from '@copilotkit/aimock';
import type { JsonObject } from '../../../common/index.js';
import type { ModelMessage, ModelPart } from '../../ports/model-client.js';
import { collect, failureOf, request, user } from '../testing/collect.js';
import { clientFor, expectError } from '../testing/upstream-client.js';
import type { ChatCompletionsModelClient } from './chat-completions-model-client.js';

describe('requests to a model server and their answers', () => {
  const mock = new LLMock({ port: 0, chunkSize: 4, logLevel: 'silent' });
  let client: ChatCompletionsModelClient;

  beforeAll(async () => {
    await mock.start();
    client = clientFor(`${mock.url}/v1`);
  });
  afterAll(() => mock.stop());
  beforeEach(() => mock.reset());

  const lastBody = (): Record<string, unknown> => mock.getLastRequest()?.body as unknown as Record<string, unknown>;

  it('text and usage are streamed', async () => {
    mock.onMessage('hi', { content: 'Hello from the model', usage: { prompt_tokens: 11, completion_tokens: 5 } });
    const made = await collect(client, request('hi'));
    expect(made.text).toBe('Hello from the model');
    expect(made.events.filter((event) => event.type === 'text-delta').length).toBeGreaterThan(3);
    expect(made.finish).toEqual({
      type: 'finish',
      reason: 'stop',
      usage: { input_tokens: 11, output_tokens: 5, total_tokens: 16 },
    });
    expect(made.events.at(-1)).toBe(made.finish);
    expect(lastBody()).toMatchObject({ model: 'demo', stream: true, stream_options: { include_usage: true } });
  });

  it('reasoning is streamed before text', async () => {
    mock.onMessage('why', { content: 'Because.', reasoning: 'Let me see now' });
    const made = await collect(client, request('why'));
    expect([made.reasoning, made.text]).toEqual(['Let me see now', 'Because.']);
    expect(made.events[0]?.type).toBe('reasoning-delta');
  });

  it('parallel tool calls are streamed in small pieces, with ids and indexes', async () => {
    mock.onMessage('both', {
      toolCalls: [
        { id: 'call_a', name: 'get_weather', arguments: '{"city":"Paris","unit":"celsius"}' },
        { id: 'call_b', name: 'get_weather', arguments: '{"city":"Tokyo"}' },
      ],
    });
    const made = await collect(client, request('both'));
    expect(made.calls).toEqual([
      { id: 'call_a', name: 'get_weather', arguments: '{"city":"Paris","unit":"celsius"}' },
      { id: 'call_b', name: 'get_weather', arguments: '{"city":"Tokyo"}' },
    ]);
    expect(made.finish?.reason).toBe('tool-calls');
    const deltas = made.events.filter((event) => event.type === 'tool-call-delta');
    expect(deltas.length).toBeGreaterThan(10);
    expect(deltas.filter((delta) => delta.name !== undefined)).toHaveLength(2);
  });

  it('the response format, the tool choice and the reasoning effort are sent', async () => {
    mock.on({ predicate: () => true }, { content: '{}' });
    const tools = [{ name: 'w', description: 'Weather', parameters: { type: 'object' } }];
    const schema = { type: 'object', properties: { n: { type: 'number' } } };
    const json = { type: 'json_schema', name: 'answer', schema, strict: true, description: 'A number' } as const;
    const options = {
      responseFormat: json,
      toolChoice: { name: 'w' },
      parallelToolCalls: false,
      reasoningEffort: 'low',
    };
    await collect(client, request('x', tools, options));
    expect(lastBody()).toMatchObject({
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema, strict: true, description: 'A number' },
      },
      tool_choice: { type: 'function', function: { name: 'w' } },
      parallel_tool_calls: false,
      reasoning_effort: 'low',
    });
    await collect(client, request('x', tools, { toolChoice: 'required', responseFormat: { type: 'json_object' } }));
    expect(lastBody()).toMatchObject({ tool_choice: 'required', response_format: { type: 'json_object' } });
    await collect(
      client,
      request('x', [], { toolChoice: 'none', parallelToolCalls: true, responseFormat: { type: 'text' } }),
    );
    for (const key of ['tool_choice', 'parallel_tool_calls', 'response_format', 'reasoning_effort']) {
      expect(lastBody()[key]).toBeUndefined();
    }
  });

  it('every option, tool and message is sent', async () => {
    mock.on({ predicate: () => true }, { content: 'ok' });
    const messages: ModelMessage[] = [
      { role: 'system', content: 'You are Friday.' },
      user('weather?'),
      {
        role: 'assistant',
        content: 'One moment',
        toolCalls: [
          { id: 'c1', name: 'w', arguments: '{ "n": 12345678901234567890 }' },
          { id: 'c2', name: 'w', arguments: '{broken' },
        ],
      },
      { role: 'tool', callId: 'c1', name: 'w', content: 'sunny' },
      { role: 'tool', callId: 'c2', name: 'w', content: 'bad arguments' },
    ];
    const parameters = { type: 'object', properties: { n: { type: 'number' } } };
    const options = {
      model: 'other',
      temperature: 0.1,
      topP: 0.9,
      frequencyPenalty: 0.2,
      presencePenalty: 0.3,
      maxTokens: 77,
      stop: ['END'],
      seed: 5,
    };
    await collect(client, request(messages, [{ name: 'w', description: 'Weather', parameters }], options));
    expect(lastBody()).toMatchObject({
      model: 'other',
      temperature: 0.1,
      top_p: 0.9,
      frequency_penalty: 0.2,
      presence_penalty: 0.3,
      max_tokens: 77,
      stop: ['END'],
      seed: 5,
      tools: [{ type: 'function', function: { name: 'w', description: 'Weather', parameters } }],
      messages: [
        { role: 'system', content: 'You are Friday.' },
        { role: 'user', content: 'weather?' },
        {
          role: 'assistant',
          content: 'One moment',
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'w', arguments: '{ "n": 12345678901234567890 }' } },
            { id: 'c2', type: 'function', function: { name: 'w', arguments: '{"invalid_json":"{broken"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
        { role: 'tool', tool_call_id: 'c2', content: 'bad arguments' },
      ],
    });
  });

  it('data of the provider is sent back with its calls, and none of another client', async () => {
    mock.on({ predicate: () => true }, { content: 'ok' });
    const toolCalls = [
      { id: 'c1', name: 'w', arguments: '{}' },
      { id: 'c2', name: 'w', arguments: '{}' },
    ];
    const signature = { google: { thought_signature: 'EjQK' } };
    const own = { chat_completions: { reasoning_content: 'Hm.', extra_content: { '1': signature } } };
    const ask = (replay: JsonObject): Promise<unknown> =>
      collect(client, request([user('w?'), { role: 'assistant', content: '', toolCalls, replay }]));
    const call = (id: string): object => ({ id, type: 'function', function: { name: 'w', arguments: '{}' } });
    const message = { role: 'assistant', content: null };
    await ask(own);
    expect(lastBody()['messages']).toEqual([
      { role: 'user', content: 'w?' },
      { ...message, reasoning_content: 'Hm.', tool_calls: [call('c1'), { ...call('c2'), extra_content: signature }] },
    ]);
    const others: JsonObject[] = [{ other: { reasoning_content: 'x' } }, { chat_completions: 'x' }];
    for (const other of others) {
      await ask(other);
      expect(lastBody()['messages']).toEqual([
        { role: 'user', content: 'w?' },
        { ...message, tool_calls: [call('c1'), call('c2')] },
      ]);
    }
  });

  it.each<[string, ModelPart, unknown]>([
    [
      'an inline image',
      { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ],
    [
      'an image by address',
      { type: 'image', url: 'https://a.example/b.png?x=1' },
      { type: 'image_url', image_url: { url: 'https://a.example/b.png?x=1' } },
    ],
    [
      'an inline image without base64',
      { type: 'image', url: 'data:image/svg+xml,%3Csvg%2F%3E' },
      { type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,PHN2Zy8+' } },
    ],
    [
      'WAV audio',
      { type: 'audio', data: 'UklGRg==', format: 'wav' },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
    ],
    [
      'MP3 audio as a data URL',
      { type: 'audio', data: 'data:audio/mpeg;base64,SUQz', format: 'audio/mpeg' },
      { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
    ],
    [
      'a PDF',
      { type: 'file', url: null, data: 'JVBERi0x', filename: 'a.pdf' },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' } },
    ],
    ['a text file', { type: 'file', url: null, data: 'SGkgw6k=', filename: 'a.txt' }, { type: 'text', text: 'Hi é' }],
    [
      'a picture by address as a file',
      { type: 'file', url: 'https://a.example/b.jpg', data: null, filename: null },
      { type: 'image_url', image_url: { url: 'https://a.example/b.jpg' } },
    ],
  ])('%s is sent', async (_, part, expected) => {
    mock.on({ predicate: () => true }, { content: 'ok' });
    await collect(client, request([{ role: 'user', content: [{ type: 'text', text: 'see' }, part] }]));
    expect(lastBody()['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'see' }, expected] }]);
  });

  it.each<[string, ModelPart]>([
    ['audio of another format', { type: 'audio', data: 'AAAA', format: 'flac' }],
    ['audio that is not base64', { type: 'audio', data: '<>', format: 'wav' }],
    ['a local image address', { type: 'image', url: 'file:///etc/passwd' }],
    ['a data URL that is no image', { type: 'image', url: 'data:text/html;base64,AAAA' }],
    ['a file by address', { type: 'file', url: 'https://a.example/b.pdf', data: null, filename: null }],
    ['an unknown kind of file', { type: 'file', url: null, data: 'AAAA', filename: 'a.exe' }],
    ['an empty file', { type: 'file', url: null, data: null, filename: null }],
  ])('%s is refused without a request', async (_, part) => {
    const { error } = await failureOf(client, request([{ role: 'user', content: [part] }]));
    expectError(error, 'INVALID_PARAMETER');
    expect(mock.getRequests()).toHaveLength(0);
  });
});

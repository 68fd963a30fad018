import { createAnthropic } from '@ai-sdk/anthropic';
import type { ErrorCode, Json } from '../../../common/index.js';
import type { ModelMessage } from '../../ports/model-client.js';
import { collect, failureOf, request, user } from '../testing/collect.js';
import { anthropicAnswer, event } from '../testing/provider-streams.js';
import { rawUpstream, type RawUpstream, type Script } from '../testing/raw-upstream.js';
import { expectError, KEY } from '../testing/upstream-client.js';
import { AiSdkModelClient, type AiSdkSettings } from './ai-sdk-model-client.js';

const LOOK = {
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: { x: { type: 'number' } } },
};
const THINKING = { thinking: 'Let me see.', signature: 'c2lnbmVk' };
const CALLS = [
  { tool: 'look', id: 'toolu_1', input: ['{"x":', '1}'] },
  { tool: 'look', id: 'toolu_2', input: [] },
] as const;

const waits: number[] = [];
/** What is logged about failed calls. */
const lines: string[] = [];
let upstream: RawUpstream;

async function start(...scripts: readonly Script[]): Promise<RawUpstream> {
  return (upstream = await rawUpstream(...scripts));
}

function clientOf(settings: Partial<AiSdkSettings> = {}): AiSdkModelClient {
  const anthropic = createAnthropic({ baseURL: upstream.url, apiKey: KEY });
  return new AiSdkModelClient(
    (name) => anthropic(name ?? 'claude-sonnet-4-5'),
    { firstTokenTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxRetries: 2, ...settings },
    { read: () => Promise.resolve(undefined) },
    { delay: async (ms) => void waits.push(ms), random: () => 0.5, logFailure: (line) => lines.push(line) },
  );
}

beforeEach(() => {
  waits.length = 0;
  lines.length = 0;
});
afterEach(() => upstream.close());

describe('Anthropic through the AI SDK interface', () => {
  it('reasoning, text and parallel calls are streamed with the usage', async () => {
    await start(anthropicAnswer([THINKING, { text: 'I will look.' }, ...CALLS], 'tool_use'));
    const made = await collect(clientOf(), request('Look', [LOOK]));
    expect([made.reasoning, made.text]).toEqual(['Let me see.', 'I will look.']);
    expect(made.events.slice(0, 4).map(({ type }) => type)).toEqual([
      'reasoning-delta',
      'reasoning-delta',
      'text-delta',
      'text-delta',
    ]);
    expect(made.calls).toEqual([
      { id: 'toolu_1', name: 'look', arguments: '{"x":1}' },
      { id: 'toolu_2', name: 'look', arguments: '{}' },
    ]);
    expect(made.finish).toMatchObject({
      reason: 'tool-calls',
      usage: { input_tokens: 35, output_tokens: 15, total_tokens: 50, cached_tokens: 10 },
    });
  });

  it('signed and redacted reasoning is sent back with the results of the calls', async () => {
    const { seen } = await start(
      anthropicAnswer([THINKING, { redacted: 'ZW5j' }, { text: 'I will look.' }, ...CALLS], 'tool_use'),
      anthropicAnswer([{ text: 'Done.' }]),
    );
    const first = await collect(clientOf(), request('Look', [LOOK]));
    const { replay } = first.finish ?? {};
    const toolCalls = first.calls.map((call) => ({ ...call, id: `${call.id}_own` }));
    const messages: ModelMessage[] = [
      user('Look'),
      { role: 'assistant', content: first.text, toolCalls, ...(replay && { replay }) },
      { role: 'tool', callId: 'toolu_1_own', name: 'look', content: 'sunny' },
      { role: 'tool', callId: 'toolu_2_own', name: 'look', content: 'rainy' },
    ];
    expect((await collect(clientOf(), request(messages, [LOOK]))).text).toBe('Done.');
    expect(seen[1]?.body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Look' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', ...THINKING },
          { type: 'redacted_thinking', data: 'ZW5j' },
          { type: 'text', text: 'I will look.' },
          { type: 'tool_use', id: 'toolu_1_own', name: 'look', input: { x: 1 } },
          { type: 'tool_use', id: 'toolu_2_own', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1_own', content: 'sunny' },
          { type: 'tool_result', tool_use_id: 'toolu_2_own', content: 'rainy' },
        ],
      },
    ]);
  });

  it('data of another provider or of invalid form is not sent back', async () => {
    const { seen } = await start(anthropicAnswer([{ text: 'ok' }]));
    const parts: Json[] = [
      { type: 'reasoning', text: 'Hm', metadata: { anthropic: { signature: 's' } } },
      { type: 'tool-call' },
    ];
    const toolCalls = [
      { id: 'a', name: 'look', arguments: '{}' },
      { id: 'b', name: 'look', arguments: '{broken' },
    ];
    const results = toolCalls.map(({ id }): ModelMessage => ({ role: 'tool', callId: id, name: 'look', content: '' }));
    const others: Json[] = [{ provider: 'google', parts }, { provider: 'anthropic.messages', parts }, 'x'];
    for (const kept of others) {
      const answer: ModelMessage = { role: 'assistant', content: 'So', toolCalls, replay: { ai_sdk: kept } };
      await collect(clientOf(), request([user('Look'), answer, ...results], [LOOK]));
      expect((seen.at(-1)?.body['messages'] as unknown[])[1]).toEqual({
        role: 'assistant',
        content: [
          { type: 'text', text: 'So' },
          { type: 'tool_use', id: 'a', name: 'look', input: {} },
          { type: 'tool_use', id: 'b', name: 'look', input: { invalid_json: '{broken' } },
        ],
      });
    }
  });

  it('options, tools, files and one system prompt are sent', async () => {
    const { seen } = await start(anthropicAnswer([{ text: 'ok' }]));
    const messages: ModelMessage[] = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
          { type: 'image', url: 'https://a.example/b.png' },
          { type: 'file', url: null, data: 'JVBERi0x', filename: 'a.pdf' },
        ],
      },
      { role: 'assistant', content: 'Seen.', toolCalls: [] },
      { role: 'system', content: 'Now in French.' },
      user('And?'),
    ];
    const options = {
      model: 'claude-haiku-4-5',
      temperature: 0.1,
      maxTokens: 77,
      stop: ['END'],
      toolChoice: { name: 'look' },
      parallelToolCalls: false,
    };
    const providerOptions = { anthropic: { thinking: { type: 'disabled' } } } as const;
    await collect(clientOf({ providerOptions }), request(messages, [LOOK], options));
    expect(seen[0]?.headers['x-api-key']).toBe(KEY);
    expect(seen[0]?.body).toMatchObject({
      model: 'claude-haiku-4-5',
      max_tokens: 77,
      temperature: 0.1,
      stop_sequences: ['END'],
      system: [{ type: 'text', text: 'Be brief.\n\nNow in French.' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' },
              title: 'a.pdf',
            },
          ],
        },
        { role: 'assistant', content: [{ type: 'text', text: 'Seen.' }] },
        { role: 'user', content: [{ type: 'text', text: 'And?' }] },
      ],
      tools: [{ name: 'look', description: 'Looks', input_schema: LOOK.parameters }],
      tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true },
    });
  });

  it.each([
    ['max_tokens', 'length'],
    ['stop_sequence', 'stop'],
    ['refusal', 'content-filter'],
  ])('the finish reason %s becomes %s', async (stopReason, reason) => {
    await start(anthropicAnswer([{ text: 'So' }], stopReason));
    expect((await collect(clientOf(), request('Hi'))).finish?.reason).toBe(reason);
  });

  const refuse =
    (status: number, type: string, message: string, headers: Record<string, string> = {}): Script =>
    (response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ type: 'error', error: { type, message } }));

  it.each<[number, string, string, ErrorCode]>([
    [401, 'authentication_error', `upstream words ${KEY}`, 'MODEL_UNAUTHORIZED_ACCESS'],
    [404, 'not_found_error', 'upstream words', 'MODEL_NOT_FOUND'],
    [
      400,
      'invalid_request_error',
      'upstream words: prompt is too long: 210000 tokens',
      'MODEL_CONTEXT_LENGTH_EXCEEDED',
    ],
    [400, 'invalid_request_error', 'upstream words', 'MODEL_EXECUTION_FAILED'],
  ])('%i %s fails without a retry', async (status, type, message, code) => {
    const { seen } = await start(refuse(status, type, message));
    expectError((await failureOf(clientOf(), request('Hi'))).error, code);
    expect([seen.length, waits]).toEqual([1, []]);
    expect(lines).toEqual([expect.stringMatching(/^claude-sonnet-4-5: .*The server said: “upstream words/)]);
    expect(lines.join()).not.toContain('sk-');
  });

  it('a rate limit, an overload and a lost connection are retried', async () => {
    const { seen } = await start(
      refuse(429, 'rate_limit_error', 'upstream words', { 'retry-after': '3' }),
      (response) => response.destroy(),
      anthropicAnswer([{ text: 'At last' }]),
    );
    expect((await collect(clientOf(), request('Hi'))).text).toBe('At last');
    expect(seen).toHaveLength(3);
    expect(waits).toEqual([3000, 750]);
    waits.length = 0;
    await upstream.close();
    await start(refuse(529, 'overloaded_error', 'upstream words'));
    expectError((await failureOf(clientOf(), request('Hi'))).error, 'MODEL_EXECUTION_FAILED');
    expect(waits).toEqual([375, 750]);
  });

  const begin = (response: Parameters<Script>[0]): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const message = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'c',
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    event(response, { type: 'message_start', message });
    event(response, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    event(response, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } });
  };

  it('text before an error in the stream is kept, without a retry', async () => {
    const { seen } = await start((response) => {
      begin(response);
      event(response, { type: 'error', error: { type: 'overloaded_error', message: 'upstream words' } });
      response.end();
    });
    const { error, events } = await failureOf(clientOf(), request('Hi'));
    expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(events).toEqual([{ type: 'text-delta', text: 'Half' }]);
    expect(seen).toHaveLength(1);
  });

  it('a stream that ends too early fails', async () => {
    await start((response) => {
      begin(response);
      setImmediate(() => response.destroy());
    });
    expectError((await failureOf(clientOf(), request('Hi'))).error, 'MODEL_EXECUTION_FAILED');
  });

  it('a time-out before the first token or in the middle closes the connection', async () => {
    const silent = await start(() => undefined);
    const none = await failureOf(clientOf({ firstTokenTimeoutMs: 60 }), request('Hi'));
    expect(expectError(none.error, 'MODEL_TIMEOUT').message).toBe('The model did not begin to answer in time');
    await silent.hungUp;
    await silent.close();
    const half = await start(begin);
    const { error, events } = await failureOf(clientOf({ idleTimeoutMs: 60 }), request('Hi'));
    expect(expectError(error, 'MODEL_TIMEOUT').message).toBe('The model stopped sending before the end of its answer');
    expect(events).toHaveLength(1);
    await half.hungUp;
  });

  it('the connection is closed on abort and when the reader leaves', async () => {
    const aborted = await start(begin);
    const controller = new AbortController();
    const stream = clientOf().stream(request('Hi'), controller.signal);
    await stream.next();
    const next = stream.next();
    controller.abort(new Error('cancelled'));
    await expect(next).rejects.toThrow('cancelled');
    await aborted.hungUp;
    await aborted.close();
    const left = await start(begin);
    for await (const [first] of clientOf().stream(request('Hi'), new AbortController().signal)) {
      expect(first?.type).toBe('text-delta');
      break;
    }
    await left.hungUp;
  });

  it('a missing key is reported', async () => {
    await start(anthropicAnswer([{ text: 'ok' }]));
    const { ANTHROPIC_API_KEY: saved } = process.env;
    delete process.env['ANTHROPIC_API_KEY'];
    const keyless = createAnthropic({ baseURL: upstream.url })('claude-sonnet-4-5');
    const settings = { firstTokenTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxRetries: 0 };
    const attachments = { read: () => Promise.resolve(undefined) };
    const client = new AiSdkModelClient(keyless, settings, attachments, { logFailure: () => undefined });
    expectError((await failureOf(client, request('Hi'))).error, 'MODEL_UNAUTHORIZED_ACCESS');
    if (saved !== undefined) process.env['ANTHROPIC_API_KEY'] = saved;
  });

  it('a model of another interface version is refused', async () => {
    await start(anthropicAnswer([]));
    const settings = { firstTokenTimeoutMs: 1, idleTimeoutMs: 1, maxRetries: 0 };
    const old = { ...createAnthropic({ apiKey: 'k' })('claude'), specificationVersion: 'v2' };
    const attachments = { read: () => Promise.resolve(undefined) };
    expect(() => new AiSdkModelClient(old as never, settings, attachments)).toThrow('Parley needs v3');
  });
});

import type { ModelMessage } from '../../../ports/model-client.js';
import { collect, failureOf, request } from '../../testing/collect.js';
import { has, json, when } from '../../testing/repair-cases.js';
import {
  type ChatBody,
  openAiRefusal,
  type Refusal,
  type StrictServer,
  strictServer,
} from '../../testing/strict-server.js';
import { clientFor, expectError, KEY, waits } from '../../testing/upstream-client.js';

const MAX_TOKENS = has(
  'max_tokens',
  openAiRefusal(
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    'max_tokens',
    'unsupported_parameter',
  ),
);

describe('the repairs of a call (contract model-servers, section 0)', () => {
  let server: StrictServer | undefined;
  let lines: string[];

  beforeEach(() => {
    waits.length = 0;
    lines = [];
  });
  afterEach(() => server?.close());

  it('a chain of refusals is repaired with four more requests, and the next call needs none', async () => {
    const names = ['seed', 'stop', 'temperature', 'stream_options'];
    server = await strictServer(
      ...names.map((name) => has(name, openAiRefusal(`Unknown parameter: '${name}'.`, name))),
    );
    const client = clientFor(server.url, { maxRetries: 0 }, (line) => lines.push(line));
    const asked = request('hi', [], { seed: 1, stop: ['x'], temperature: 0.5 });
    expect((await collect(client, asked)).text).toBe('ok');
    expect(server.seen).toHaveLength(5);
    await collect(client, asked);
    expect(server.seen).toHaveLength(6);
  });

  it('the first refusal is reported if nothing helps, and nothing is remembered', async () => {
    let count = 0;
    server = await strictServer((body) => {
      count += 1;
      const name = Object.keys(body).find((key) => ['seed', 'stop', 'temperature'].includes(key));
      return openAiRefusal(`Unknown parameter: '${name ?? 'messages'}', upstream words ${count} ${KEY}`, name ?? null);
    });
    const client = clientFor(server.url, {}, (line) => lines.push(line));
    const { error } = await failureOf(client, request('hi', [], { seed: 1, stop: ['x'] }));
    const { cause } = expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(String(cause)).toContain('upstream words 1 [key]');
    expect(server.seen).toHaveLength(3);
    expect([lines, client.info.profile?.repairs]).toEqual([[], []]);
  });

  it('a call makes at most four repairs', async () => {
    server = await strictServer((body) => {
      const name = Object.keys(body).find((key) => !['model', 'messages', 'stream'].includes(key));
      return openAiRefusal(`Unknown parameter: '${name ?? 'messages'}'.`, name ?? 'messages');
    });
    const options = { seed: 1, stop: ['x'], temperature: 1, maxTokens: 5, presencePenalty: 1, reasoningEffort: 'low' };
    await failureOf(clientFor(server.url), request('hi', [], options));
    expect(server.seen.length).toBeLessThanOrEqual(5);
  });

  it.each<[string, Refusal, number]>([
    ['a key', json(401, { error: { message: "Unsupported parameter: 'max_tokens'" } }), 1],
    ['money', json(402, { error: { message: "Unsupported parameter: 'max_tokens'" } }), 1],
    ['a right', json(403, { error: { message: "Unsupported parameter: 'max_tokens'" } }), 1],
    [
      'the length',
      openAiRefusal("This model's maximum context length is 10 tokens, invalid 'max_tokens'", 'max_tokens'),
      1,
    ],
    [
      'an unknown model',
      json(404, { error: { message: 'The model `demo` does not exist', code: 'model_not_found' } }),
      1,
    ],
    [
      'the value of a limit',
      openAiRefusal(
        'max_tokens is too large: 64. This model supports at most 8 completion tokens',
        'max_tokens',
        'invalid_value',
      ),
      1,
    ],
  ])('what is about %s is not repaired', async (_, refusal, requests) => {
    server = await strictServer(() => refusal);
    await failureOf(clientFor(server.url), request('hi', [], { maxTokens: 64 }));
    expect(server.seen).toHaveLength(requests);
    expect(waits).toEqual([]);
  });

  it('what is about a filter is the end of the answer', async () => {
    const refusal = openAiRefusal("The response was filtered: 'max_tokens' is invalid", null, 'content_filter');
    server = await strictServer(() => refusal);
    const { finish } = await collect(clientFor(server.url), request('hi', [], { maxTokens: 64 }));
    expect([finish?.reason, server.seen.length]).toEqual(['content-filter', 1]);
  });

  it('a 500 that is no template is retried with back-off as before', async () => {
    server = await strictServer(() => json(500, { error: { message: "internal: invalid 'max_tokens'" } }));
    await failureOf(clientFor(server.url), request('hi', [], { maxTokens: 64 }));
    expect([server.seen.length, waits]).toEqual([3, [375, 750]]);
  });

  it('an error in the place of the first event is a refusal: MiniMax', async () => {
    const answers: string[] = [
      '{"base_resp":{"status_code":2013,"status_msg":"invalid params, unknown parameter: seed"}}',
    ];
    server = await strictServer((body) =>
      body['seed'] === undefined ? undefined : { status: 200, body: JSON.parse(answers[0] ?? '') as unknown },
    );
    expect((await collect(clientFor(server.url), request('hi', [], { seed: 1 }))).text).toBe('ok');
    expect(server.seen).toHaveLength(2);
  });

  it.each([
    'Invalid image data. Please make sure that your image is valid.',
    'Could not process image',
    'You uploaded an unsupported image. Please make sure your image has of one the following formats: png, jpeg',
    'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 7 MB > 5 MB',
    'image size must be greater than 10 pixels',
    'failed to decode image bytes',
  ])('an image that cannot be read is left out of its own requests only: %s', async (message) => {
    const isOdd = (body: ChatBody): boolean => JSON.stringify(body.messages).includes('AAAA');
    server = await strictServer(when(isOdd, openAiRefusal(message, null)));
    const client = clientFor(server.url, {}, (line) => lines.push(line));
    const shown = (data: string): ModelMessage => ({
      role: 'user',
      content: [{ type: 'image', url: `data:image/png;base64,${data}` }],
    });
    expect((await collect(client, request([shown('AAAA')]))).text).toBe('ok');
    expect((await collect(client, request([shown('BBBB')]))).text).toBe('ok');
    expect(server.seen).toHaveLength(3);
    expect(JSON.stringify(server.seen[1])).toContain('which this model cannot see');
    expect(JSON.stringify(server.seen[2])).toContain('BBBB');
    expect([client.info.profile?.repairs, lines]).toEqual([
      [],
      [expect.stringContaining('It was sent with texts only.')],
    ]);
  });

  it('models are remembered apart', async () => {
    server = await strictServer((body) =>
      body['model'] === 'old' ? has('seed', openAiRefusal("Unknown parameter: 'seed'", 'seed'))(body, '') : undefined,
    );
    const client = clientFor(server.url);
    await collect(client, request('hi', [], { seed: 1, model: 'old' }));
    await collect(client, request('hi', [], { seed: 1, model: 'new' }));
    expect(server.seen.map(({ seed }) => seed)).toEqual([1, undefined, 1]);
  });

  it('what was learned is shown as the setting that makes it unnecessary', async () => {
    server = await strictServer(MAX_TOKENS);
    const client = clientFor(server.url);
    await collect(client, request('hi', [], { maxTokens: 64 }));
    expect(client.info.profile?.overrides).toEqual({ limit: 'max_completion_tokens' });
    const other = clientFor(server.url, { overrides: { limit: 'max_completion_tokens' } });
    await collect(other, request('hi', [], { maxTokens: 64 }));
    expect(server.seen).toHaveLength(3);
  });
});

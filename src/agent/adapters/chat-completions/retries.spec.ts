import { inspect } from 'node:util';
import { LLMock } from '@copilotkit/aimock';
import type { ErrorCode } from '../../../common/index.js';
import { collect, failureOf, request } from '../testing/collect.js';
import { clientFor, expectError, KEY, waits } from '../testing/upstream-client.js';
import type { ChatCompletionsModelClient } from './chat-completions-model-client.js';

beforeEach(() => {
  waits.length = 0;
});

describe('errors, retries and abort against a model server', () => {
  const mock = new LLMock({ port: 0, chunkSize: 4, logLevel: 'silent' });
  let client: ChatCompletionsModelClient;

  beforeAll(async () => {
    await mock.start();
    client = clientFor(`${mock.url}/v1`);
  });
  afterAll(() => mock.stop());
  beforeEach(() => mock.reset());

  it.each<[number, ErrorCode]>([
    [400, 'MODEL_EXECUTION_FAILED'],
    [401, 'MODEL_UNAUTHORIZED_ACCESS'],
    [403, 'MODEL_UNAUTHORIZED_ACCESS'],
    [404, 'MODEL_NOT_FOUND'],
  ])('a %i fails with its code, without a retry', async (status, code) => {
    mock.onMessage('hi', { error: { message: `upstream words ${KEY}` }, status });
    const error = expectError((await failureOf(client, request('hi'))).error, code);
    expect(inspect(error.cause)).toContain('upstream words');
    expect(mock.getRequests()).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it.each([
    "This model's maximum context length is 8192 tokens.",
    'Range of input length should be [1, 30720]',
    'prompt is too long',
  ])('"%s" is recognized as a conversation that is too long', async (message) => {
    mock.onMessage('hi', { error: { message }, status: 400 });
    expectError((await failureOf(client, request('hi'))).error, 'MODEL_CONTEXT_LENGTH_EXCEEDED');
  });

  it('a 429 is retried after its Retry-After', async () => {
    mock.on({ userMessage: 'hi', sequenceIndex: 0 }, { error: { message: 'slow down' }, status: 429, retryAfter: 3 });
    mock.on({ userMessage: 'hi', sequenceIndex: 1 }, { content: 'at last' });
    const made = await collect(client, request('hi'));
    expect(made.text).toBe('at last');
    expect(mock.getRequests().map((entry) => entry.response.status)).toEqual([429, 200]);
    expect(waits).toEqual([3_000]);
  });

  it('a Retry-After over the limit fails at once', async () => {
    mock.onMessage('hi', { error: { message: 'no' }, status: 429, retryAfter: 3_600 });
    const error = expectError((await failureOf(client, request('hi'))).error, 'MODEL_RATE_LIMIT_EXCEEDED');
    expect(error.retryAfterSeconds).toBe(3_600);
    expect(mock.getRequests()).toHaveLength(1);
  });

  it('500s are retried with growing delays up to the limit', async () => {
    mock.onMessage('hi', { error: { message: 'upstream words' }, status: 500 });
    expectError((await failureOf(client, request('hi'))).error, 'MODEL_EXECUTION_FAILED');
    expect(mock.getRequests()).toHaveLength(3);
    expect(waits).toEqual([375, 750]);
  });

  it('a connection that breaks in the middle is reported without a retry', async () => {
    mock.onMessage('hi', { content: 'a rather long answer that breaks off' }, { truncateAfterChunks: 4, latency: 20 });
    const { error, events } = await failureOf(client, request('hi'));
    expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(events.length).toBeGreaterThan(0);
    expect(mock.getRequests()).toHaveLength(1);
  });

  it('nothing is yielded after an abort in the middle', async () => {
    mock.onMessage('hi', { content: 'word '.repeat(40) }, { latency: 5 });
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const seen: string[] = [];
    const run = async (): Promise<void> => {
      for await (const batch of client.stream(request('hi'), controller.signal)) {
        seen.push(...batch.map(({ type }) => type));
        if (seen.length === 3) controller.abort(reason);
      }
    };
    await expect(run()).rejects.toBe(reason);
    expect(seen).toHaveLength(3);
  });
});

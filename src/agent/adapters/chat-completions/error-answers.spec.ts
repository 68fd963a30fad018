import { inspect } from 'node:util';
import { until } from '../../../../test/support/until.js';
import type { ErrorCode } from '../../../common/index.js';
import { collect, failureOf, request } from '../testing/collect.js';
import { begin, end, type RawUpstream, refuse } from '../testing/raw-upstream.js';
import { clientFor, expectError, KEY, waits, upstreamOfEachTest } from '../testing/upstream-client.js';

const start = upstreamOfEachTest();

afterEach(() => {
  jest.useRealTimers();
});

describe('error responses of a model server', () => {
  it.each<[string, number, unknown, ErrorCode]>([
    [
      'OpenAI',
      401,
      { error: { message: 'upstream words', type: 'invalid_request_error', code: 'invalid_api_key' } },
      'MODEL_UNAUTHORIZED_ACCESS',
    ],
    [
      'OpenAI, too long',
      400,
      { error: { message: 'upstream words', code: 'context_length_exceeded' } },
      'MODEL_CONTEXT_LENGTH_EXCEEDED',
    ],
    ['Azure OpenAI', 404, { error: { code: 'DeploymentNotFound', message: 'upstream words' } }, 'MODEL_NOT_FOUND'],
    [
      'DashScope',
      400,
      {
        error: {
          code: 'invalid_parameter_error',
          message: 'upstream words: Range of input length should be [1, 6000]',
        },
      },
      'MODEL_CONTEXT_LENGTH_EXCEEDED',
    ],
    [
      'DeepSeek, no balance',
      402,
      { error: { message: 'upstream words', type: 'unknown_error', code: 'invalid_request_error' } },
      'MODEL_QUOTA_EXCEEDED',
    ],
    [
      'Gemini, a list',
      400,
      [{ error: { code: 400, message: 'upstream words: API key not valid.', status: 'INVALID_ARGUMENT' } }],
      'MODEL_UNAUTHORIZED_ACCESS',
    ],
    [
      'Mistral',
      422,
      {
        object: 'error',
        message: { detail: [{ type: 'missing', msg: 'upstream words' }] },
        type: 'invalid_request_error',
        code: null,
      },
      'MODEL_EXECUTION_FAILED',
    ],
    [
      'FastAPI',
      422,
      { detail: [{ loc: ['body'], msg: 'upstream words', type: 'value_error' }] },
      'MODEL_EXECUTION_FAILED',
    ],
    [
      'vLLM',
      400,
      { object: 'error', message: "upstream words: This model's maximum context length is 4096 tokens.", code: 400 },
      'MODEL_CONTEXT_LENGTH_EXCEEDED',
    ],
    ['Ollama', 404, { error: 'upstream words: model not found' }, 'MODEL_NOT_FOUND'],
    ['a proxy', 413, '<html>upstream words: request entity too large', 'MODEL_CONTEXT_LENGTH_EXCEEDED'],
  ])('%s has its own error code, and its text is logged', async (_, status, body, code) => {
    const { url } = await start((response) =>
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body)),
    );
    const error = expectError((await failureOf(clientFor(url), request('hi'))).error, code);
    expect(inspect(error.cause)).toContain('upstream words');
    expect(waits).toEqual([]);
  });

  it('the key is not logged', async () => {
    const { url } = await start(refuse(401, `Wrong key ${KEY}`));
    const { error } = await failureOf(clientFor(url), request('hi'));
    expect(inspect(error, { depth: 9 })).toContain('Wrong key [key]');
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
  });

  it('the beginning of an endless response is enough', async () => {
    const { url, hungUp } = await start((response) => {
      response.writeHead(400);
      const write = (): void => void (response.destroyed || response.write('x'.repeat(10_000), write));
      write();
    });
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_EXECUTION_FAILED');
    await hungUp;
  });

  describe('whose body does not end', () => {
    /** The result of a call, with timers that are moved on once the request is there. */
    async function settled<T>(call: Promise<T>, { seen }: RawUpstream, answer: () => void): Promise<T> {
      await until(() => seen.length === 1);
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
      answer();
      let isSettled = false;
      void call.finally(() => (isSettled = true));
      while (!isSettled) await jest.advanceTimersByTimeAsync(100);
      return call;
    }

    it.each([
      [400, '{"error":{"message":"upstream words: maximum context length', 'MODEL_CONTEXT_LENGTH_EXCEEDED'],
      [404, '', 'MODEL_NOT_FOUND'],
    ] as const)('%i is reported with what has arrived: %s', async (status, text, code) => {
      let answer = (): void => undefined;
      const server = await start(
        (response) => {
          answer = () => (response.writeHead(status).flushHeaders(), void (text && response.write(text)));
          // A 404 without a word is tried once with the other form of the base URL.
        },
        refuse(status, text),
      );
      const { error } = await settled(failureOf(clientFor(server.url), request('hi')), server, () => answer());
      expect(inspect(expectError(error, code).cause)).toContain(text);
      await server.hungUp;
    });

    it('is retried', async () => {
      let answer = (): void => undefined;
      const server = await start(
        (response) => (answer = () => response.writeHead(500).flushHeaders()),
        (response) => (begin(response, { content: 'ok' }), end(response)),
      );
      expect((await settled(collect(clientFor(server.url), request('hi')), server, () => answer())).text).toBe('ok');
    });
  });
});

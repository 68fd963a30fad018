import { inspect } from 'node:util';
import type { ErrorCode } from '../../../common/index.js';
import { failureOf, request } from '../testing/collect.js';
import { rawUpstream, type RawUpstream, refuse, type Script } from '../testing/raw-upstream.js';
import { clientFor, expectError, KEY, waits } from '../testing/upstream-client.js';

let upstream: RawUpstream | undefined;
const start = async (...scripts: readonly Script[]): Promise<RawUpstream> => (upstream = await rawUpstream(...scripts));

beforeEach(() => {
  waits.length = 0;
});
afterEach(async () => {
  await upstream?.close();
  upstream = undefined;
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
});

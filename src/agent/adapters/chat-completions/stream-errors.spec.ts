import { inspect } from 'node:util';
import type { ErrorCode } from '../../../common/index.js';
import { collect, failureOf, request } from '../testing/collect.js';
import { begin, end, type Script, send } from '../testing/raw-upstream.js';
import { clientFor, expectError, waits, upstreamOfEachTest } from '../testing/upstream-client.js';

const start = upstreamOfEachTest();

/** The events of a whole stream. */
const stream =
  (...chunks: (object | string)[]): Script =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const text = chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`);
    response.end(text.join(''));
  };

const WORDS = 'upstream words';
const RATE = 'MODEL_RATE_LIMIT_EXCEEDED';
const FAILED = 'MODEL_EXECUTION_FAILED';

describe('an error in the stream', () => {
  it.each<[object, ErrorCode, retries: number]>([
    [{ error: `${WORDS}: Rate limit exceeded` }, RATE, 2],
    [{ error: { message: `${WORDS}: Rate limit reached for m`, type: 'tokens', code: null } }, RATE, 2],
    [{ error: { message: WORDS, code: 429 } }, RATE, 2],
    [{ error: { message: WORDS, code: '429' } }, RATE, 2],
    [{ error: { message: WORDS, status: 'RESOURCE_EXHAUSTED' } }, RATE, 2],
    [{ error: { message: WORDS, type: 'insufficient_quota' } }, 'MODEL_QUOTA_EXCEEDED', 0],
    [{ error: [{ message: WORDS, code: 429 }] }, RATE, 2],
    [{ error: { error: { message: WORDS, code: 'rate_limit_exceeded' } } }, RATE, 2],
    [{ type: 'error', error: { type: 'rate_limit_error', message: WORDS } }, RATE, 2],
    [{ choices: [{ index: 0, error: { code: 429, message: WORDS }, finish_reason: 'error' }] }, RATE, 2],
    [{ code: 'Throttling.RateQuota', message: WORDS, request_id: 'r' }, RATE, 2],
    [{ base_resp: { status_code: 1002, status_msg: `${WORDS}: rate limit` } }, RATE, 2],
    [{ detail: `${WORDS}: Too many requests` }, RATE, 2],
    [{ errors: [{ message: `${WORDS}: rate limit` }] }, RATE, 2],
    [{ error: { message: WORDS, http_code: 529 } }, FAILED, 2],
    [{ error: { message: WORDS, type: 'overloaded_error' } }, FAILED, 2],
    [{ status: 'error', error_code: 336501, error_msg: WORDS }, FAILED, 0],
    [
      {
        error: {
          message: `${WORDS}: This model's maximum context length is 4096 tokens`,
          type: 'invalid_request_error',
          code: null,
        },
      },
      'MODEL_CONTEXT_LENGTH_EXCEEDED',
      0,
    ],
    [{ error: { message: WORDS, type: 'authentication_error' } }, 'MODEL_UNAUTHORIZED_ACCESS', 0],
    [{ error: { message: `${WORDS}: invalid API key` } }, 'MODEL_UNAUTHORIZED_ACCESS', 0],
    [{ error: { message: `${WORDS}: the permission service is unavailable` } }, FAILED, 2],
  ])('%j is mapped, retried if it may pass, and logged', async (chunk, code, retries) => {
    const { url } = await start(stream(chunk, '[DONE]'));
    const error = expectError((await failureOf(clientFor(url), request('hi'))).error, code);
    expect(inspect(error.cause, { depth: 9 })).toContain(WORDS);
    expect(waits).toHaveLength(retries);
  });

  it('an event named error may hold plain text', async () => {
    const { url } = await start((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`event: error\ndata: ${WORDS}: rate limit\n\n`);
    });
    const error = expectError((await failureOf(clientFor(url), request('hi'))).error, RATE);
    expect(inspect(error.cause)).toContain(WORDS);
  });

  it.each([
    { error: '' },
    { error: false },
    { error: {} },
    { error: [] },
    { code: 0 },
    { base_resp: { status_code: 0 } },
  ])('%j beside an answer is no error', async (members) => {
    const { url } = await start((response) => {
      begin(response, { content: 'a' });
      send(response, { ...members, choices: [{ index: 0, delta: { content: 'b' } }] });
      send(response, members);
      end(response);
    });
    expect((await collect(clientFor(url), request('hi'))).text).toBe('ab');
  });

  it('what follows the finish reason and is no JSON is skipped', async () => {
    const finished = { choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'stop' }] };
    const { url } = await start(stream(finished, '[DONE] ', 'garbage'));
    expect((await collect(clientFor(url), request('hi'))).finish?.reason).toBe('stop');
  });
});

describe('what follows the finish reason', () => {
  const finished = { choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'stop' }] };

  it('a chunk that is cut at the end of the body is skipped', async () => {
    const { url } = await start((response) => {
      begin(response);
      send(response, finished);
      response.end('data: {"choices":[],"usa');
    });
    const { text, finish } = await collect(clientFor(url), request('hi'));
    expect([text, finish]).toEqual(['ok', { type: 'finish', reason: 'stop', usage: null }]);
  });

  it('a chunk that is cut is skipped before the usage', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2 };
    const { url } = await start(stream(finished, '{"choices":[],"usa', { choices: [], usage }, '[DONE]'));
    const { finish } = await collect(clientFor(url), request('hi'));
    expect(finish).toEqual({ type: 'finish', reason: 'stop', usage: { input_tokens: 1, output_tokens: 2 } });
  });

  it('an error fails the call', async () => {
    const { url } = await start(stream(finished, { error: { message: WORDS, code: 429 } }));
    expectError((await failureOf(clientFor(url), request('hi'))).error, RATE);
  });
});

describe('the finish reason', () => {
  it.each([
    ['constructor', 'other'],
    ['__proto__', 'other'],
    ['model_context_window_exceeded', 'length'],
    ['content_filtered', 'content-filter'],
  ])('%s becomes %s', async (reason, mapped) => {
    const { url } = await start((response) => (begin(response, { content: 'x' }), end(response, reason)));
    expect((await collect(clientFor(url), request('hi'))).finish?.reason).toBe(mapped);
  });

  it('abort is a failure', async () => {
    const { url } = await start((response) => (begin(response, { content: 'x' }), end(response, 'abort')));
    expectError((await failureOf(clientFor(url), request('hi'))).error, FAILED);
  });
});

it('reasoning is read if reasoning_content is empty', async () => {
  const { url } = await start((response) => {
    begin(response, { reasoning_content: '', reasoning: 'Hm' }, { content: 'x' });
    end(response);
  });
  expect((await collect(clientFor(url), request('hi'))).reasoning).toBe('Hm');
});

it.each([{ tool_calls: [{}] }, { tool_calls: [{ index: 0, id: '', function: { name: '' } }] }, { function_call: {} }])(
  '%j calls no tool',
  async (delta) => {
    const { url } = await start((response) => (begin(response, { content: 'x' }, delta), end(response)));
    const made = await collect(clientFor(url), request('hi'));
    expect([made.text, made.calls, made.finish?.reason]).toEqual(['x', [], 'stop']);
  },
);

it.each(['1e400', '-1', '0.5', '9007199254740992', '"7"', 'null'])('the token count %s is missing', async (count) => {
  const details = `{"cached_tokens":${count},"reasoning_tokens":${count}}`;
  const usage = `{"prompt_tokens":${count},"completion_tokens":5,"total_tokens":${count},"prompt_tokens_details":${details},"completion_tokens_details":${details}}`;
  const finished = { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] };
  const { url } = await start(stream(finished, `{"choices":[],"usage":${usage}}`, '[DONE]'));
  const { finish } = await collect(clientFor(url), request('hi'));
  expect(finish?.usage).toEqual({ input_tokens: 0, output_tokens: 5 });
});

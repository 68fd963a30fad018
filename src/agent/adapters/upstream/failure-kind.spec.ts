import { inspect } from 'node:util';
import type { ErrorCode } from '../../../common/index.js';
import { failureOf, request } from '../testing/collect.js';
import { begin, type Script, send } from '../testing/raw-upstream.js';
import { clientFor, expectError, waits, upstreamOfEachTest } from '../testing/upstream-client.js';

const start = upstreamOfEachTest();
const WORDS = 'upstream words';

const answer =
  (status: number, body: unknown): Script =>
  (response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

const CONTEXT = 'MODEL_CONTEXT_LENGTH_EXCEEDED';
const QUOTA = 'MODEL_QUOTA_EXCEEDED';
const RATE = 'MODEL_RATE_LIMIT_EXCEEDED';
const FAILED = 'MODEL_EXECUTION_FAILED';
const KEY = 'MODEL_UNAUTHORIZED_ACCESS';

/** The name, the status, the body, the code of the error, and how often the call is repeated. */
type Row = [name: string, status: number, body: unknown, code: ErrorCode, retries: number];

/** Contract model-servers, section 1.4. */
const FORMS: Row[] = [
  ['OpenAI', 400, { error: { message: WORDS, type: 'invalid_request_error', param: 'x', code: null } }, FAILED, 0],
  ['Gemini', 429, [{ error: { code: 429, message: WORDS, status: 'RESOURCE_EXHAUSTED' } }], RATE, 2],
  ['Mistral, a text', 401, { object: 'error', message: WORDS, type: 'x', code: '1000' }, KEY, 0],
  [
    'Mistral, details',
    422,
    { object: 'error', message: { detail: [{ type: 'x', loc: ['body'], msg: WORDS }] } },
    FAILED,
    0,
  ],
  [
    'Cerebras',
    429,
    { message: WORDS, type: 'too_many_requests_error', param: 'quota', code: 'request_quota_exceeded' },
    RATE,
    2,
  ],
  ['xAI', 400, { code: 'Client specified an invalid argument', error: `${WORDS}: Incorrect API key provided` }, KEY, 0],
  ['LM Studio', 400, { error: WORDS }, FAILED, 0],
  ['NIM, Python', 400, `{'error': '${WORDS}: maximum context length'}`, CONTEXT, 0],
  ['NIM, problem details', 403, { title: 'Forbidden', status: 403, detail: WORDS }, KEY, 0],
  ['Databricks', 429, { error_code: 'REQUEST_LIMIT_EXCEEDED', message: WORDS }, RATE, 2],
  [
    'MiniMax',
    400,
    { type: 'error', error: { type: 'x', message: WORDS, http_code: '400' }, request_id: 'r' },
    FAILED,
    0,
  ],
  ['MiniMax, status 200, wrong key', 200, { base_resp: { status_code: 1004, status_msg: WORDS } }, KEY, 0],
  [
    'MiniMax, status 200, busy',
    200,
    { base_resp: { status_code: 1002, status_msg: WORDS }, usage: { total_tokens: 0 } },
    RATE,
    2,
  ],
  [
    'MiniMax, status 200, no balance',
    200,
    { choices: null, base_resp: { status_code: 1008, status_msg: WORDS } },
    QUOTA,
    0,
  ],
  ['Zhipu, no balance', 429, { error: { code: '1113', message: `${WORDS} 余额不足` } }, QUOTA, 0],
  ['Zhipu, busy', 429, { error: { code: '1302', message: WORDS } }, RATE, 2],
  ['Zhipu, status 200, wrong key', 200, { error: { code: '1001', message: WORDS } }, KEY, 0],
  ['Zhipu, status 200, too long', 200, { error: { code: '1261', message: `${WORDS} Prompt 超长` } }, CONTEXT, 0],
  [
    'OpenRouter, the body of another server as text',
    400,
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: `{"message":"${WORDS}: prompt is too long"}` },
      },
    },
    CONTEXT,
    0,
  ],
  [
    'LiteLLM, the body of another server in a sentence',
    400,
    {
      error: {
        message: `litellm.BadRequestError: b'{"error":{"code":"context_length_exceeded","message":"${WORDS}"}}'`,
        code: '400',
      },
    },
    CONTEXT,
    0,
  ],
  ['FastAPI', 422, { detail: [{ loc: ['body'], msg: WORDS, input: { text: 'maximum context length' } }] }, FAILED, 0],
  ['FastAPI, a text', 404, { detail: WORDS }, 'MODEL_NOT_FOUND', 0],
  [
    'llama.cpp, a template',
    500,
    { error: { code: 500, message: `${WORDS}: Jinja Exception: roles must alternate` } },
    FAILED,
    0,
  ],
  ['HTML', 502, `<html><title>${WORDS}</title>`, FAILED, 2],
  [
    'DeepSeek, an unknown model',
    400,
    { error: { message: `${WORDS}: Model Not Exist`, type: 'x' } },
    'MODEL_NOT_FOUND',
    0,
  ],
  ['DashScope, in arrears', 400, { error: { code: 'Arrearage', message: WORDS } }, QUOTA, 0],
  ['Anthropic, no credit', 400, { error: { message: `${WORDS}: Your credit balance is too low` } }, QUOTA, 0],
  [
    'OpenAI, no quota',
    429,
    { error: { message: `${WORDS}: You exceeded your current quota`, code: 'insufficient_quota' } },
    QUOTA,
    0,
  ],
  ['DeepSeek, no balance', 402, { error: { message: WORDS } }, QUOTA, 0],
  [
    'Groq, per day',
    429,
    { error: { message: `${WORDS}: Rate limit reached on tokens per day (TPD). Please try again in 14m24s.` } },
    QUOTA,
    0,
  ],
  [
    'Gemini, per day',
    429,
    [
      {
        error: {
          message: WORDS,
          details: [{ violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] }, { retryDelay: '30s' }],
        },
      },
    ],
    QUOTA,
    0,
  ],
  [
    'Gemini, per minute',
    429,
    [
      {
        error: {
          message: `${WORDS}: You exceeded your current quota, please check your plan and billing details`,
          details: [{ retryDelay: '34s' }],
        },
      },
    ],
    RATE,
    2,
  ],
];

/** All forms of a conversation that is too long. */
const TOO_LONG: [status: number, sentence: string][] = [
  [400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"],
  [400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."],
  [400, 'request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it'],
  [500, 'Context size has been exceeded.'],
  [400, 'prompt is too long: 210000 tokens > 200000 maximum'],
  [400, 'Prompt contains 50000 tokens, too large for model with 32768 maximum context length'],
  [400, 'Range of input length should be [1, 30720]'],
  [400, 'Invalid request: Your request exceeded model token limit: 262144'],
  [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
  [400, 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'],
  [400, '`inputs` tokens + `max_new_tokens` must be <= 4096'],
  [400, 'Please reduce the length of the messages or completion.'],
  [400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."],
  [400, 'Input is too long for requested model.'],
  [413, 'anything'],
  [413, 'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 12000'],
  [429, 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.'],
];

describe('the errors of model servers', () => {
  it.each(FORMS)('%s, %i: the code and the retries fit', async (_, status, body, code, retries) => {
    const { url } = await start(answer(status, body));
    const { error } = await failureOf(clientFor(url), request('hi'));
    expect(inspect(expectError(error, code).cause, { depth: 9 })).toContain(WORDS);
    expect(waits).toHaveLength(retries);
  });

  it.each(TOO_LONG)('%i "%s" is a conversation that is too long, and one call', async (status, message) => {
    const { url, seen } = await start(answer(status, { error: { message } }));
    expectError((await failureOf(clientFor(url), request('hi'))).error, CONTEXT);
    expect(seen).toHaveLength(1);
  });

  it.each([
    [400, { error: { code: 'exceed_context_size_error', message: 'x' } }],
    [400, { error: { type: 'exceed_context_size_error', code: 400, message: 'x', n_ctx: 4096 } }],
  ])('%i %j is one by its code', async (status, body) => {
    const { url } = await start(answer(status, body));
    expectError((await failureOf(clientFor(url), request('hi'))).error, CONTEXT);
  });

  it.each([
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40",
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens',
  ])('"%s" is about a value, not about the conversation', async (message) => {
    const { url } = await start(answer(400, { error: { message } }));
    expectError((await failureOf(clientFor(url), request('hi'))).error, FAILED);
  });
});

describe('what a client is told', () => {
  it.each<[string, Script, ErrorCode, RegExp]>([
    [
      'a rate limit',
      answer(429, { error: { message: WORDS } }),
      RATE,
      /^The model takes no more requests for the moment$/,
    ],
    ['an exhausted quota', answer(402, {}), QUOTA, /^The model quota is exhausted$/],
    ['an error of the server', answer(503, {}), FAILED, /^The model server answered with status 503$/],
    [
      'a connection that is closed without an answer',
      (response) => response.destroy(),
      FAILED,
      /closed the connection before/,
    ],
    [
      'a connection that is lost in the middle',
      (response) => {
        begin(response, { content: 'Half' });
        setImmediate(() => response.destroy());
      },
      FAILED,
      /^The connection to the model server was lost in the middle of the answer$/,
    ],
    [
      'an error in the stream',
      (response) => {
        begin(response, { content: 'Half' });
        send(response, { error: { message: WORDS, code: 'server_error' } });
        response.end();
      },
      FAILED,
      /^The model server reported an error of its own while it answered$/,
    ],
    [
      'another error in the stream',
      (response) => {
        begin(response);
        send(response, { error: { message: WORDS } });
        response.end();
      },
      FAILED,
      /^The model server reported an error in its answer$/,
    ],
    [
      'what is no chat completion',
      answer(200, '[1]'),
      FAILED,
      /^The model server sent an answer that is not a chat completion$/,
    ],
    ['a template', answer(500, { error: { message: 'Jinja Exception' } }), FAILED, /^The template of the model/],
  ])('%s', async (_, script, code, sentence) => {
    const { url } = await start(script);
    expect(expectError((await failureOf(clientFor(url), request('hi'))).error, code).message).toMatch(sentence);
  });
});

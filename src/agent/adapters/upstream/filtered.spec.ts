import { collect, failureOf, request } from '../testing/collect.js';
import { begin, type Script, send } from '../testing/raw-upstream.js';
import { clientFor, expectError, upstreamOfEachTest } from '../testing/upstream-client.js';

const start = upstreamOfEachTest();
const WORDS = 'upstream words';

const answer =
  (status: number, body: unknown): Script =>
  (response) =>
    response.writeHead(status).end(JSON.stringify(body));

describe('an error of the filter of a model server', () => {
  it.each<[string, number, unknown]>([
    [
      'OpenAI and Azure',
      400,
      { error: { code: 'content_filter', message: WORDS, innererror: { code: 'ResponsibleAIPolicyViolation' } } },
    ],
    [
      'OpenAI, a prompt',
      400,
      { error: { code: 'invalid_prompt', message: 'flagged as potentially violating our usage policy' } },
    ],
    ['DashScope', 400, { error: { code: 'data_inspection_failed', message: WORDS } }],
    ['DashScope, the older code', 400, { code: 'DataInspectionFailed', message: WORDS }],
    ['Zhipu', 400, { error: { code: '1301', message: '系统检测到输入或生成内容可能包含不安全或敏感内容' } }],
    ['MiniMax, a prompt', 200, { base_resp: { status_code: 1026, status_msg: WORDS } }],
    ['MiniMax, an answer', 200, { base_resp: { status_code: 1027, status_msg: WORDS } }],
    [
      'MiniMax, an error',
      400,
      { type: 'error', error: { message: 'invalid params, input new_sensitive (1026)', http_code: '400' } },
    ],
    [
      'Kimi',
      400,
      { error: { type: 'content_filter', message: 'The request was rejected because it was considered high risk' } },
    ],
    [
      'OpenRouter',
      403,
      {
        error: {
          code: 403,
          message: 'x requires moderation. Your input was flagged for "a".',
          metadata: { reasons: ['a'] },
        },
      },
    ],
    ['xAI', 403, { code: 'x', error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_X' }],
  ])('%s, %i: the answer is filtered, with one call', async (_, status, body) => {
    const { url, seen } = await start(answer(status, body));
    const { events } = await collect(clientFor(url), request('hi'));
    expect(events).toEqual([{ type: 'finish', reason: 'content-filter', usage: null }]);
    expect(seen).toHaveLength(1);
  });

  it('in the stream it keeps the text before it', async () => {
    const { url, seen } = await start((response) => {
      begin(response, { content: 'Once' });
      send(response, { error: { code: 'data_inspection_failed', message: WORDS } });
      response.end();
    });
    const { text, finish } = await collect(clientFor(url), request('hi'));
    expect([text, finish?.reason, seen.length]).toEqual(['Once', 'content-filter', 1]);
  });

  it('words of the request in an error are not taken for it', async () => {
    const detail = [{ loc: ['body', 'x'], msg: WORDS, input: 'content_policy_violation considered high risk' }];
    const { url } = await start(answer(422, { detail }));
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_EXECUTION_FAILED');
  });
});

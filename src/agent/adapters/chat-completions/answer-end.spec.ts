import { collect, failureOf, request } from '../testing/collect.js';
import { begin, end, type Script, send } from '../testing/raw-upstream.js';
import { clientFor, expectError, waits, upstreamOfEachTest } from '../testing/upstream-client.js';

const start = upstreamOfEachTest();

const tools = [{ name: 'look', description: '', parameters: { type: 'object' } }];
const text = (content: string): object => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const call = (args: string): object => ({
  choices: [
    {
      index: 0,
      delta: { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: args } }] },
      finish_reason: null,
    },
  ],
});
const ended = (reason: string): object => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const stream =
  (...chunks: (object | '[DONE]')[]): Script =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(chunks.map((one) => `data: ${one === '[DONE]' ? one : JSON.stringify(one)}\n\n`).join(''));
  };
/** Sends these chunks and breaks the connection. */
const cut =
  (...chunks: object[]): Script =>
  (response) => {
    begin(response);
    for (const chunk of chunks) send(response, chunk);
    setImmediate(() => response.destroy());
  };

describe('an answer without a finish reason', () => {
  it.each<[string, Script, reason: string]>([
    ['text and [DONE]', stream(text('Hello'), '[DONE]'), 'stop'],
    ['a call and [DONE]', stream(call('{"x":1}'), '[DONE]'), 'tool-calls'],
    ['text and a clean end', stream(text('Hello')), 'stop'],
    ['a call and a clean end', stream(call('{"x":1}')), 'tool-calls'],
    ['a refusal and a clean end', stream({ choices: [{ delta: { refusal: 'No.' } }] }), 'stop'],
  ])('is complete: %s', async (_, script, reason) => {
    const { url, seen } = await start(script);
    expect((await collect(clientFor(url), request('hi', tools))).finish?.reason).toBe(reason);
    expect(seen).toHaveLength(1);
  });

  it.each<[string, Script, events: number]>([
    ['text, cut', cut(text('Hello')), 1],
    ['a whole call, cut', cut(call('{"x":1}')), 1],
    ['an open call and a clean end', stream(call('{"x":')), 1],
    ['a call without arguments and a clean end', stream(call('')), 1],
    ['thoughts and a clean end', stream({ choices: [{ delta: { reasoning: 'Hm' } }] }), 1],
  ])('fails, and what has arrived is kept: %s', async (_, script, count) => {
    const { url } = await start(script);
    const { error, events } = await failureOf(clientFor(url), request('hi', tools));
    expect(expectError(error, 'MODEL_EXECUTION_FAILED').message).toMatch(/ended too early|in the middle of the answer/);
    expect(events).toHaveLength(count);
  });

  it('without JSON at its end it fails', async () => {
    const { url } = await start((response) => {
      begin(response, { content: 'Hello' });
      response.end('data: {"choices":[{"del');
    });
    expectError((await failureOf(clientFor(url), request('hi'))).error, 'MODEL_EXECUTION_FAILED');
  });
});

describe('an answer that a fault has ended', () => {
  const FAULTS = ['error', 'abort', 'network_error', 'insufficient_system_resource', 'malformed_function_call'];

  it.each([...FAULTS, 'MALFORMED_FUNCTION_CALL', 'function_call_filter: MALFORMED_FUNCTION_CALL'])(
    '%s before any text is tried once more',
    async (reason) => {
      const { url, seen } = await start(stream(text(''), ended(reason)), stream(text('ok'), ended('stop')));
      expect((await collect(clientFor(url), request('hi'))).text).toBe('ok');
      expect([seen.length, waits.length]).toEqual([2, 1]);
    },
  );

  it('it fails if that happens again', async () => {
    const { url, seen } = await start(stream(ended('malformed_function_call'), '[DONE]'));
    const { error } = await failureOf(clientFor(url), request('hi'));
    const { message } = expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(message).toBe('The model made a call that cannot be read');
    expect(seen).toHaveLength(2);
  });

  it('after thoughts alone it is tried once more', async () => {
    const thought = { choices: [{ index: 0, delta: { reasoning_content: 'Hm' } }] };
    const { url, seen } = await start(stream(thought, ended('abort')), stream(text('ok'), ended('stop')));
    expect((await collect(clientFor(url), request('hi'))).text).toBe('ok');
    expect(seen).toHaveLength(2);
  });

  it.each(FAULTS)('%s after text fails and keeps the text', async (reason) => {
    const { url, seen } = await start(stream(text('Half'), ended(reason), '[DONE]'));
    const { error, events } = await failureOf(clientFor(url), request('hi'));
    expectError(error, 'MODEL_EXECUTION_FAILED');
    expect([events, seen.length]).toEqual([[{ type: 'text-delta', text: 'Half' }], 1]);
  });
});

describe('an answer with nothing at all', () => {
  it.each<[string, Script]>([
    ['stop', stream(text(''), ended('stop'), '[DONE]')],
    ['tool_calls', stream(ended('tool_calls'))],
    ['[DONE]', stream('[DONE]')],
    ['no bytes', stream()],
    ['JSON', (response) => response.writeHead(200).end('{"choices":[{"message":{"content":""}}]}')],
  ])('is tried once more: %s', async (_, script) => {
    const { url, seen } = await start(script, stream(text('ok'), ended('stop')));
    expect((await collect(clientFor(url), request('hi'))).text).toBe('ok');
    expect(seen).toHaveLength(2);
  });

  it('a second one stands if it has a finish reason, and fails if not', async () => {
    const empty = await start(stream(ended('stop')));
    expect((await collect(clientFor(empty.url), request('hi'))).events).toEqual([
      { type: 'finish', reason: 'stop', usage: null },
    ]);
    expect(empty.seen).toHaveLength(2);
    await empty.close();
    const none = await start(stream('[DONE]'));
    const { error } = await failureOf(clientFor(none.url), request('hi'));
    expect(expectError(error, 'MODEL_EXECUTION_FAILED').message).toBe('The model sent an empty answer');
    expect(none.seen).toHaveLength(2);
  });

  it.each(['length', 'content_filter'])('%s is not tried again', async (reason) => {
    const { url, seen } = await start(stream(ended(reason)));
    await collect(clientFor(url), request('hi'));
    expect(seen).toHaveLength(1);
  });

  it('is not tried again without retries', async () => {
    const { url, seen } = await start(stream(ended('stop')));
    await collect(clientFor(url, { maxRetries: 0 }), request('hi'));
    expect(seen).toHaveLength(1);
  });
});

describe('the calls of an answer', () => {
  it('stop with calls is an answer that calls tools, tool_calls without calls is not', async () => {
    const made = await start(stream(call('{}'), ended('stop')));
    expect((await collect(clientFor(made.url), request('hi', tools))).finish?.reason).toBe('tool-calls');
    await made.close();
    const none = await start((response) => {
      begin(response, { content: 'Hi', tool_calls: [] }, { tool_calls: null });
      end(response, 'tool_calls');
    });
    const { calls, finish } = await collect(clientFor(none.url), request('hi', tools));
    expect([calls, finish?.reason]).toEqual([[], 'stop']);
  });

  it.each(['', 'null', ' null ', null, 'n'])('the arguments %j of a call that is cut are not made up', async (args) => {
    const { url } = await start(stream(call(args as string), ended('length')));
    const { calls, finish } = await collect(clientFor(url), request('hi', tools));
    expect(finish?.reason).toBe('length');
    expect(calls[0]?.arguments).toBe(args ?? '');
  });

  it.each(['', 'null', ' null\n', null])('the arguments %j are {}', async (args) => {
    const { url } = await start(stream(call(args as string), ended('tool_calls')));
    expect((await collect(clientFor(url), request('hi', tools))).calls[0]?.arguments).toBe('{}');
  });

  it('arguments that come as objects are read exactly', async () => {
    const made = (args: string): string => `{"type":"function","function":{"name":"look","arguments":${args}}}`;
    const exact = ['{"id": 2512292042121000001, "arguments": {"y": "}"}}', '{ "n":1.10 }'];
    const calls = [exact[0], '"{\\"arguments\\": {}}"', exact[1]].map((args = '') => made(args));
    const body = `{"x":{"arguments":{"n":2}},"choices":[{"message":{"content":"an \\"arguments\\":{} text","tool_calls":[${calls.join()}]}}]}`;
    const { url } = await start((response) => response.writeHead(200).end(body));
    const { calls: read } = await collect(clientFor(url), request('hi', tools));
    expect(read.map((one) => one.arguments)).toEqual([exact[0], '{"arguments": {}}', exact[1]]);
  });

  it('a message that repeats the deltas is not read', async () => {
    const message = { role: 'assistant', content: 'One two' };
    const { url } = await start(
      stream(
        { choices: [{ index: 0, delta: { content: 'One' }, message: { content: 'One' } }] },
        { choices: [{ index: 0, delta: { content: ' two' }, message }] },
        { choices: [{ index: 0, message, finish_reason: 'stop' }] },
      ),
    );
    expect((await collect(clientFor(url), request('hi'))).text).toBe('One two');
  });
});

describe('usage', () => {
  const usage = { prompt_tokens: 5, completion_tokens: 4 };
  const expected = { input_tokens: 5, output_tokens: 4 };

  it.each<[string, object[], object | null]>([
    ['in the choice', [{ choices: [{ delta: {}, finish_reason: 'stop', usage }] }], expected],
    ['in x_groq', [{ ...ended('stop'), x_groq: { id: 'r', usage } }], expected],
    [
      'cumulative',
      [
        { ...text('a'), usage: { prompt_tokens: 5, completion_tokens: 1 } },
        { ...ended('stop'), usage },
      ],
      expected,
    ],
    ['by other names', [{ ...ended('stop'), usage: { input_tokens: 5, output_tokens: 4 } }], expected],
    [
      'null at the end',
      [
        { ...text('a'), usage },
        { ...ended('stop'), usage: null },
      ],
      expected,
    ],
    ['without counts', [{ ...ended('stop'), usage: { cost: 1 } }], null],
    ...(
      [
        ['prompt_tokens_details', { prompt_tokens_details: { cached_tokens: 3 } }],
        ['cached_tokens on top', { cached_tokens: 3 }],
        ['prompt_cache_hit_tokens', { prompt_cache_hit_tokens: 3 }],
        ['cache_read_input_tokens', { cache_read_input_tokens: 3 }],
      ] as const
    ).map(([where, members]): [string, object[], object] => [
      `cached tokens in ${where}`,
      [{ ...ended('stop'), usage: { ...usage, ...members } }],
      { ...expected, cached_tokens: 3 },
    ]),
    ...(
      [
        ['completion_tokens_details', { completion_tokens_details: { reasoning_tokens: 2 } }],
        ['output_tokens_details', { output_tokens_details: { reasoning_tokens: 2 } }],
        ['reasoning_tokens on top', { reasoning_tokens: 2 }],
      ] as const
    ).map(([where, members]): [string, object[], object] => [
      `reasoning tokens in ${where}`,
      [{ ...ended('stop'), usage: { ...usage, ...members } }],
      { ...expected, reasoning_tokens: 2 },
    ]),
  ])('%s is read', async (_, chunks, read) => {
    const { url } = await start(stream(text('x'), ...chunks, '[DONE]'));
    expect((await collect(clientFor(url), request('hi'))).finish?.usage).toEqual(read);
  });
});

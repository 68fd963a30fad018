import { AppError, type ErrorCode } from '../../../common/index.js';
import type { RunsErrorCode } from '../runs.errors.js';
import {
  BINARY,
  type Body,
  decode,
  good,
  THREAD,
  TIME,
  USER,
  withBlock,
  without,
  withTime,
  withUser,
} from './testing/run-bodies.js';

/** What is wrong, the body, and the code, sentence and status it gets. */
type Row = [string, unknown, RunsErrorCode | ErrorCode, string, number];

/** A row of status 422. */
function row(title: string, body: unknown, code: RunsErrorCode, sentence: string): Row {
  return [title, body, code, sentence, 422];
}

/** The code that the client sees, in upper case. */
function codeOf({ wireCode, code }: AppError): string {
  return wireCode ?? code;
}

function refusal(body: unknown): AppError {
  try {
    decode(body);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(body).slice(0, 200)}`);
}

describe('the rules of a RunAgentInput', () => {
  it.each<Row>([
    ['a list', [], 'INVALID_JSON', 'invalid RunAgentInput', 400],
    ['null', null, 'INVALID_JSON', 'invalid RunAgentInput', 400],
    ['text', 'x', 'INVALID_JSON', 'invalid RunAgentInput', 400],
    ...(
      [
        ['no runId', without('runId')],
        ['an empty runId', good({ runId: '' })],
        ['a runId with NUL', good({ runId: 'a\0' })],
        ['a runId that is a broken surrogate', good({ runId: '\ud800' })],
        ['a number as runId', good({ runId: 5 })],
        ['no messages', without('messages')],
        ['messages that are an object', good({ messages: {} })],
        ['a message that is null', good({ messages: [USER, null] })],
        ['a message that is a list', good({ messages: [[USER]] })],
        ['a message without a role', good({ messages: [USER, { id: 'a', content: 'x' }] })],
        ['an unknown role', good({ messages: [USER, { id: 'a', role: 'robot', content: 'x' }] })],
        ['a role of the prototype', good({ messages: [USER, { id: 'a', role: 'constructor', content: 'x' }] })],
        ['a message without an id', good({ messages: [{ role: 'user', content: 'x' }] })],
        ['content that is a number', withUser(5)],
        ['content that is null', withUser(null)],
        ['a block of an unknown type', withBlock({ type: 'hologram' })],
        ['a block that is text', withUser(['x'])],
        ['a text block without text', withUser([{ type: 'text' }])],
        ['a tool message without toolCallId', good({ messages: [USER, { id: 't', role: 'tool', content: 'x' }] })],
        ['tool calls that are no list', good({ messages: [USER, { id: 'a', role: 'assistant', toolCalls: {} }] })],
        [
          'arguments that are an object',
          good({
            messages: [
              USER,
              {
                id: 'a',
                role: 'assistant',
                toolCalls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: {} } }],
              },
            ],
          }),
        ],
        ['a tool without parameters', good({ tools: [{ name: 'f', description: '' }] })],
        ['parameters that are a list', good({ tools: [{ name: 'f', description: '', parameters: [] }] })],
        ['tools that are an object', good({ tools: {} })],
        ['a context value that is an object', good({ context: [{ description: 'd', value: {} }] })],
        ['a parentRunId of 129', good({ parentRunId: 'p'.repeat(129) })],
        ['two spellings that differ', good({ run_id: 'other' })],
        [
          'two spellings in a message that differ',
          good({ messages: [USER, { id: 't', role: 'tool', content: '', toolCallId: 'a', tool_call_id: 'b' }] }),
        ],
      ] as const
    ).map(([title, body]) => row(title, body, 'INVALID_RUN_AGENT_INPUT', 'invalid RunAgentInput')),
    ...['x', '', 5, null, undefined, `{${THREAD}}`, `urn:uuid:${THREAD}`, THREAD.replaceAll('-', ''), `${THREAD} `].map(
      (threadId) =>
        row(
          `the threadId ${JSON.stringify(threadId)}`,
          good({ threadId }),
          'INVALID_THREAD_ID',
          'threadId must be a valid UUID',
        ),
    ),
    ['a runId of 129', good({ runId: 'r'.repeat(129) }), 'RUN_ID_TOO_LONG', 'runId exceeds length limit', 422],
    row(
      '201 messages',
      good({
        messages: [USER, ...Array.from({ length: 200 }, (_, id) => ({ id: `${id}`, role: 'system', content: '' }))],
      }),
      'TOO_MANY_MESSAGES',
      'RunAgentInput.messages exceeds limit',
    ),
    row(
      'no message',
      good({ messages: [] }),
      'USER_MESSAGE_COUNT',
      'RunAgentInput.messages must contain exactly one user message',
    ),
    row(
      'two user messages',
      good({ messages: [USER, { ...USER, id: 'b' }] }),
      'USER_MESSAGE_COUNT',
      'RunAgentInput.messages must contain exactly one user message',
    ),
    row(
      'a system message first',
      good({ messages: [{ id: 's', role: 'system', content: 'x' }, USER] }),
      'USER_MESSAGE_NOT_FIRST',
      'RunAgentInput.messages[0].role must be user',
    ),
    row(
      '10,001 characters',
      withUser('晴'.repeat(10_001)),
      'USER_TEXT_TOO_LONG',
      'RunAgentInput user message text exceeds limit',
    ),
    row(
      '10,001 characters in two blocks',
      withUser([
        { type: 'text', text: 'a'.repeat(5000) },
        { type: 'text', text: 'b'.repeat(5001) },
      ]),
      'USER_TEXT_TOO_LONG',
      'RunAgentInput user message text exceeds limit',
    ),
    row('four attachments', withUser([BINARY, BINARY, BINARY, BINARY]), 'TOO_MANY_ATTACHMENTS', 'Too many attachments'),
    ...[{ mimeType: 'application/pdf' }, { mimeType: undefined }, { mimeType: 'image/' }, { mimeType: 5 }].map((more) =>
      row(
        `an attachment of ${String(more.mimeType)}`,
        withBlock({ ...BINARY, ...more, data: 'x', url: '' }),
        'ATTACHMENT_NOT_IMAGE',
        'binary content requires image mimeType',
      ),
    ),
    row(
      'an audio part',
      withBlock({ type: 'audio', source: { type: 'url', value: 'https://x/a.mp3', mimeType: 'audio/mp3' } }),
      'ATTACHMENT_NOT_IMAGE',
      'binary content requires image mimeType',
    ),
    ...['', 'aGk=', 5].map((data) =>
      row(
        `data ${JSON.stringify(data)}`,
        withBlock({ type: 'binary', mimeType: 'image/png', data }),
        'ATTACHMENT_DATA',
        'binary content data is not allowed',
      ),
    ),
    row(
      'an image part with data',
      withBlock({ type: 'image', source: { type: 'data', value: 'aGk=', mimeType: 'image/png' } }),
      'ATTACHMENT_DATA',
      'binary content data is not allowed',
    ),
    ...[undefined, null, '', 5].map((url) =>
      row(
        `the url ${JSON.stringify(url)}`,
        withBlock({ type: 'binary', mimeType: 'IMAGE/SVG+xml', data: null, url }),
        'ATTACHMENT_URL_MISSING',
        'binary content requires url',
      ),
    ),
    ...[
      undefined,
      null,
      [],
      'worker',
      {},
      { agent_type: '' },
      { agent_type: 5 },
      { agent_type: 'nobody' },
      { agent_type: 'memory' },
      { agent_type: 'worker', more: 1 },
      { agentType: 'worker' },
      { agent_type: 'worker', clientTime: TIME },
      { agent_type: 'worker', client_time: null },
      { agent_type: 'worker', client_time: [] },
      { agent_type: 'worker', client_time: { ...TIME, more: 1 } },
    ].map((forwardedProps) =>
      row(
        `forwardedProps ${JSON.stringify(forwardedProps)}`,
        good({ forwardedProps }),
        'INVALID_FORWARDED_PROPS',
        'invalid RunAgentInput.forwardedProps',
      ),
    ),
    ...['Asia/Beijing', '', 'Z', '+08:00', '-05', 5, null].map((zone) =>
      row(
        `the zone ${JSON.stringify(zone)}`,
        withTime({ device_timezone: zone, client_now_iso: 'x' }),
        'INVALID_DEVICE_TIMEZONE',
        'invalid client_time.device_timezone',
      ),
    ),
    ...['2026-03-16T09:12:33', '2026-02-30T00:00:00Z', '2026-03-16', '2026-03-16T25:00:00Z', 'now', 5].map((now) =>
      row(
        `the time ${JSON.stringify(now)}`,
        withTime({ client_now_iso: now, client_epoch_ms: 'x' }),
        'INVALID_CLIENT_NOW_ISO',
        'invalid client_time.client_now_iso',
      ),
    ),
    ...['1', 1.5, true, -1, 1e300, null].map((epoch) =>
      row(
        `the epoch ${JSON.stringify(epoch)}`,
        withTime({ client_epoch_ms: epoch }),
        'INVALID_CLIENT_EPOCH_MS',
        'invalid client_time.client_epoch_ms',
      ),
    ),
  ])('%s is refused', (_, body, code, message, status) => {
    const error = refusal(body);
    expect({ code: codeOf(error), message: error.message, status: error.status }).toEqual({ code, message, status });
  });

  it('the first broken rule determines the error', () => {
    // Each step mends the rule that spoke last.
    const broken: Body = {
      threadId: 'x',
      runId: 5,
      messages: [
        { id: 's', role: 'system', content: '' },
        {
          ...USER,
          content: [{ type: 'text', text: 'a'.repeat(10_001) }, BINARY, BINARY, BINARY, { type: 'binary', data: 'x' }],
        },
        ...Array.from({ length: 199 }, () => USER),
      ],
      forwardedProps: {
        agent_type: 'worker',
        client_time: { device_timezone: 'x', client_now_iso: 'x', client_epoch_ms: 'x' },
      },
    };
    const texts = broken['messages'] as Body[];
    const blocks = (texts[1] as { content: Body[] }).content;
    const time = (broken['forwardedProps'] as { client_time: Body }).client_time;
    const last = blocks[4] as Body;
    const steps: [string, () => unknown][] = [
      ['INVALID_RUN_AGENT_INPUT', () => (broken['runId'] = 'r'.repeat(129))],
      ['INVALID_THREAD_ID', () => (broken['threadId'] = THREAD)],
      ['RUN_ID_TOO_LONG', () => (broken['runId'] = 'r'.repeat(128))],
      ['TOO_MANY_MESSAGES', () => texts.pop()],
      ['USER_MESSAGE_COUNT', () => texts.splice(2)],
      ['USER_MESSAGE_NOT_FIRST', () => texts.shift()],
      ['USER_TEXT_TOO_LONG', () => (blocks[0] = { type: 'text', text: '😀'.repeat(10_000) })],
      ['TOO_MANY_ATTACHMENTS', () => blocks.splice(1, 1)],
      ['ATTACHMENT_NOT_IMAGE', () => (last['mime_type'] = 'image/png')],
      ['ATTACHMENT_DATA', () => delete last['data']],
      ['ATTACHMENT_URL_MISSING', () => (last['url'] = 'x')],
      ['INVALID_DEVICE_TIMEZONE', () => (time['device_timezone'] = 'asia/shanghai')],
      ['INVALID_CLIENT_NOW_ISO', () => (time['client_now_iso'] = '2026-03-16T09:12:33.123Z')],
      ['INVALID_CLIENT_EPOCH_MS', () => (time['client_epoch_ms'] = 1.0)],
    ];
    for (const [code, mend] of steps) {
      expect(codeOf(refusal(broken))).toBe(code);
      mend();
    }
    expect(decode(broken).clientTime).toMatchObject({ device_timezone: 'Asia/Shanghai' });
  });

  it('every broken rule is listed with its numbers', () => {
    const many = Array.from({ length: 201 }, (_, id) => ({ ...USER, id: `${id}` }));
    const { details } = refusal(good({ threadId: 'x', messages: many }));
    expect(details).toEqual([
      { path: 'threadId', rule: 'uuid', message: 'threadId must be a valid UUID' },
      { path: 'messages', rule: 'max', limit: 200, actual: 201, message: 'RunAgentInput.messages exceeds limit' },
      {
        path: 'messages',
        rule: 'count',
        limit: 1,
        actual: 201,
        message: 'RunAgentInput.messages must contain exactly one user message',
      },
    ]);
    expect(refusal(withUser([{ type: 'text', text: 5 }])).details).toEqual([
      { path: 'messages[0].content[0].text', rule: 'type', message: 'messages[0].content[0].text must be a string' },
    ]);
  });
});

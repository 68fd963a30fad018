import fc from 'fast-check';
import { AppError } from '../../common/index.js';
import { dataOf, textOf } from '../../events/index.js';
import { answerOf, decodeAgKitRequest } from './ag-kit-request.decoder.js';
import { decodeBotRequest } from './ag-kit-submission.js';

type Body = Readonly<Record<string, unknown>>;

const agKit = (fields: Body) => decodeAgKitRequest({ conversationId: 'c1', ...fields }, 'seed');
const bot = (fields: Body) => decodeBotRequest(fields, 'seed');
function refusal(decode: () => unknown): [string, string | undefined] {
  try {
    decode();
  } catch (error) {
    if (error instanceof AppError) return [error.code, error.details?.[0]?.path];
    throw error;
  }
  throw new Error('it was taken');
}
const resumed = (payload: unknown) => agKit({ resume: { interruptId: 'i1', payload } }).resume?.payload;

describe('the AG-Kit request decoder', () => {
  it('the new messages are read and get ids', () => {
    const call = { id: 'k1', type: 'function', function: { name: 'set-bg', arguments: '{"color":"blue"}' } };
    const items = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'make it blue', id: 'mine' },
      { role: 'assistant', content: '', toolCalls: [call], id: 'mine' },
      { role: 'tool', content: 'ok', toolCallId: 'k1' },
    ];
    const { messages } = agKit({ messages: items });
    expect(messages.map(({ role, type }) => [role, type])).toEqual([
      ['system', 'message'],
      ['user', 'message'],
      ['assistant', 'function_call'],
      ['tool', 'function_call_output'],
    ]);
    expect(messages.slice(0, 2).map(textOf)).toEqual(['Be brief.', 'make it blue']);
    expect(dataOf(messages[2]!)).toMatchObject({ call_id: 'k1', name: 'set-bg', arguments: '{"color":"blue"}' });
    expect(dataOf(messages[3]!)).toMatchObject({ call_id: 'k1', output: 'ok' });
    const ids = messages.map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids).not.toContain('mine');
    const again = decodeAgKitRequest({ conversationId: 'c1', messages: items }, 'other');
    expect(again.messages.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual([]);
  });

  it('a schema may be JSON text, an object or absent', () => {
    const schema = { type: 'object', properties: { color: { type: 'string' } } };
    const { tools } = agKit({
      messages: [],
      tools: [
        { name: 'a', description: 'A', parameters: JSON.stringify(schema) },
        { name: 'b', parameters: schema },
        { name: 'c' },
      ],
    });
    expect(tools).toEqual([
      { name: 'a', description: 'A', parameters: schema },
      { name: 'b', description: '', parameters: schema },
      { name: 'c', description: '', parameters: { type: 'object', properties: {} } },
    ]);
  });

  it('unknown keys are passed on, except for those that only the server may set', () => {
    const { forwardedProps } = agKit({
      messages: [],
      botId: 'b',
      user_id: 'ana',
      userId: 'ana',
      mood: { good: true },
      __request_context__: { user: { id: 'root' } },
    });
    expect(forwardedProps).toEqual({ mood: { good: true } });
  });

  it.each([
    ['{"approved":true}', { approved: true }],
    ['"left"', 'left'],
    ['left', 'left'],
    ['', ''],
    [{ approved: false }, { approved: false }],
    [undefined, null],
  ])('the payload %j of an answer is read', (payload, expected) => {
    expect(resumed(payload)).toEqual(expected);
  });

  it('any JSON in text form without forbidden keys is read back', () => {
    const payloads = fc.jsonValue({ maxDepth: 4 }).filter((payload) => !JSON.stringify(payload).includes('__proto__'));
    fc.assert(
      fc.property(payloads, (payload) => {
        expect(JSON.stringify(resumed(JSON.stringify(payload)))).toBe(JSON.stringify(payload));
      }),
    );
  });

  it.each<[Body, [string, string]]>([
    [{ conversationId: undefined }, ['MISSING_PARAMETER', 'conversationId']],
    [{ conversationId: 7 }, ['PARAMETER_VALIDATION', 'conversationId']],
    [{}, ['MISSING_PARAMETER', 'messages']],
    [{ messages: {} }, ['PARAMETER_VALIDATION', 'messages']],
    [{ messages: ['hi'] }, ['PARAMETER_VALIDATION', 'messages[0]']],
    [{ messages: [{ role: 'user' }] }, ['MISSING_PARAMETER', 'messages[0].content']],
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, ['PARAMETER_VALIDATION', 'messages[0].content']],
    [{ messages: [], tools: [{}] }, ['MISSING_PARAMETER', 'tools[0].name']],
    [{ messages: [], tools: [{ name: 'a b' }] }, ['INVALID_PARAMETER', 'tools[0].name']],
    [{ messages: [], tools: [{ name: 'a', parameters: '{' }] }, ['INVALID_PARAMETER', 'tools[0].parameters']],
    [{ messages: [], tools: [{ name: 'a', parameters: '7' }] }, ['PARAMETER_VALIDATION', 'tools[0].parameters']],
    [{ resume: {} }, ['MISSING_PARAMETER', 'resume.interruptId']],
    [
      { resume: { interruptId: 'i', payload: '['.repeat(65) + ']'.repeat(65) } },
      ['INVALID_PARAMETER', 'resume.payload'],
    ],
  ])('%j is refused', (fields, expected) => {
    expect(refusal(() => agKit(fields))).toEqual(expected);
  });

  it('any input is accepted or refused without an exception', () => {
    const anything = fc.jsonValue({ maxDepth: 4 });
    const message = fc.record(
      {
        role: fc.constantFrom('user', 'system', 'assistant', 'tool', 'x'),
        content: anything,
        toolCallId: anything,
        toolCalls: anything,
      },
      { requiredKeys: [] },
    );
    const tool = fc.record({ name: anything, description: anything, parameters: anything }, { requiredKeys: [] });
    const bodies = fc.record(
      {
        conversationId: fc.oneof(fc.constant('c1'), anything),
        messages: fc.oneof(fc.array(message), anything),
        tools: fc.oneof(fc.array(tool), anything),
        resume: fc.oneof(fc.record({ interruptId: fc.string(), payload: anything }), anything),
        msg: fc.oneof(fc.string(), anything),
        history: fc.oneof(fc.array(message), anything),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(bodies, (body) => {
        for (const decode of [decodeAgKitRequest, decodeBotRequest]) {
          try {
            decode(body, 'seed');
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
            expect((error as AppError).status).toBe(400);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('the answer of a resume', () => {
  const answer = (payload: unknown) => answerOf({ interruptId: 'i1', payload: payload as never }, 'approval');

  it.each([
    [true, true],
    ['Yes', true],
    [' approve ', true],
    [{ approved: true }, true],
    [{ approve: 'ok' }, true],
    [false, false],
    ['rejected', false],
    [{ approved: 'no' }, false],
    ['{"approved":true}', true],
    ['{"approved":false}', false],
    ['true', true],
    ['maybe', undefined],
    ['{"approved":', undefined],
    [null, undefined],
    [{}, undefined],
    [1, undefined],
  ])('%j decides %s', (payload, approve) => {
    expect(answer(payload)).toEqual({
      interruptId: 'i1',
      status: 'resolved',
      ...(approve !== undefined && { approve }),
    });
  });

  it('an answer may have a reason and edited arguments', () => {
    const edited = { to: 'Eve' };
    expect(answer({ approved: true, reason: 'fine', arguments: edited })).toMatchObject({
      reason: 'fine',
      editedArguments: edited,
    });
    expect(answer({ approved: true, reason: 7, arguments: 'x' })).not.toHaveProperty('reason');
  });

  it('an answer may be quoted twice, as the client hook does', () => {
    const approval = { approved: true, reason: 'fine' };
    const quoted = JSON.stringify(JSON.stringify(approval));
    expect(answer(resumed(quoted))).toEqual({ interruptId: 'i1', status: 'resolved', approve: true, reason: 'fine' });
    expect(refusal(() => answer('['.repeat(100) + ']'.repeat(100)))).toEqual(['INVALID_PARAMETER', 'resume.payload']);
  });

  it('the answer to an input is the payload', () => {
    const text = answerOf({ interruptId: 'i1', payload: '{"approved":true}' }, 'input');
    expect(text).toEqual({ interruptId: 'i1', status: 'resolved', payload: '{"approved":true}' });
    const input = answerOf({ interruptId: 'i1', payload: { approved: true } }, 'input');
    expect(input).toEqual({ interruptId: 'i1', status: 'resolved', payload: { approved: true } });
  });
});

describe('the bot request decoder', () => {
  it('a message is read, and a history for a new conversation', () => {
    const history = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'Hello' },
    ];
    const request = bot({ msg: 'more', history, conversationId: 'c1', searchEnable: true, mood: 'good' });
    expect(request.history.map((one) => [one.role, textOf(one)])).toEqual([
      ['user', 'hi'],
      ['assistant', 'Hello'],
    ]);
    expect([textOf(request.message), request.conversationId]).toEqual(['more', 'c1']);
    expect(request.forwardedProps).toEqual({ mood: 'good' });
    expect(new Set([...request.history, request.message].map(({ id }) => id)).size).toBe(3);
    expect(bot({ msg: 'hi', files: [] }).conversationId).toBeUndefined();
  });

  it.each<[Body, string]>([
    [{}, 'MISSING_PARAMETER'],
    [{ msg: 7 }, 'PARAMETER_VALIDATION'],
    [{ msg: 'hi', files: ['cloud://a'] }, 'INVALID_PARAMETER'],
    [{ msg: 'hi', history: [{ role: 'tool', content: 'x' }] }, 'INVALID_PARAMETER'],
    [{ msg: 'hi', history: 'x' }, 'PARAMETER_VALIDATION'],
  ])('%j is refused', (body, code) => {
    expect(refusal(() => bot(body))[0]).toBe(code);
  });
});

import fc from 'fast-check';
import { CALLER } from '../../../test/support/caller.js';
import { AppError, DEFAULT_TENANT, SequentialIds } from '../../common/index.js';
import { type AgentRequest, decodeAgentRequest } from './agent-api-request.decoder.js';

const text = (value: unknown) => ({ type: 'text', text: value });
const user = { role: 'user', content: [text('hi')] };
const tool = (name: unknown, parameters: unknown = {}) => ({
  type: 'function',
  function: { name, description: 'd', parameters },
});
const clientTime = {
  device_timezone: 'asia/shanghai',
  client_now_iso: '2026-03-16T09:12:33+08:00',
  client_epoch_ms: 1773623553000,
};

function decode(body: unknown): AgentRequest {
  return decodeAgentRequest(body, { ids: new SequentialIds(), agentType: 'worker', onBusy: 'reject', caller: CALLER });
}

function withFields(fields: object): AgentRequest['request'] {
  return decode({ input: [user], session_id: 's', ...fields }).request;
}

describe('decodeAgentRequest', () => {
  it('the documented request is decoded', () => {
    expect(decode({ input: [user] })).toEqual({
      stream: true,
      request: {
        principal: { tenantId: DEFAULT_TENANT, userId: '1' },
        reach: { tenantId: DEFAULT_TENANT, of: 'tenant' },
        requester: null,
        sessionId: '1',
        agentType: 'worker',
        input: [
          {
            object: 'message',
            status: 'created',
            error: null,
            id: 'msg_1',
            type: 'message',
            role: 'user',
            content: [
              {
                object: 'content',
                status: 'completed',
                error: null,
                type: 'text',
                index: 0,
                delta: false,
                msg_id: 'msg_1',
                text: 'hi',
              },
            ],
            code: null,
            message: null,
            usage: null,
            metadata: null,
          },
        ],
        clientTools: [],
        modelOptions: {},
        forwardedProps: {},
        onBusy: 'reject',
      },
    });
  });

  it.each([
    ['an empty list', []],
    ['content null', [{ role: 'user', content: null }]],
    ['content absent', [{ role: 'user' }]],
    ['a role that is null', [{ role: null, content: [] }]],
    ['all roles', ['assistant', 'user', 'system', 'tool'].map((role) => ({ role, content: [] }))],
    [
      'fields of the chat UI',
      [
        {
          role: 'user',
          type: 'message',
          content: [{ type: 'file', file_url: 'u', file_name: 'f', file_size: 3, status: 'created' }],
        },
      ],
    ],
    ['unknown keys', [{ ...user, whatever: [null], content: [{ ...text('a'), more: 1 }] }]],
    ['a text that is null', [{ role: 'user', content: [text(null)] }]],
    ['every content', ['image', 'data', 'audio', 'file', 'refusal', 'video'].map((type) => ({ content: [{ type }] }))],
    [
      'replayed server output',
      [
        {
          object: 'message',
          status: 'completed',
          error: null,
          sequence_number: 7,
          id: 'msg_a',
          type: 'plugin_call',
          role: 'assistant',
          content: [
            {
              object: 'content',
              type: 'data',
              data: { call_id: 'c', name: 'n', arguments: '{}' },
              index: null,
              msg_id: null,
              status: null,
              delta: null,
            },
          ],
          code: null,
          message: null,
          usage: { input_tokens: 1, output_tokens: 2 },
          metadata: { original_id: 'x' },
        },
      ],
    ],
    [
      'an approval',
      [
        {
          type: 'mcp_approval_response',
          role: 'user',
          content: [{ type: 'data', data: { approve: true, id: 'i', approval_request_id: 'i', reason: null } }],
        },
      ],
    ],
  ])('input with %s is accepted', (_, input) => {
    expect(decode({ input }).request.input).toHaveLength(input.length);
  });

  it('both spellings of a tool and both forms of its parameters are read', () => {
    const schema = { type: 'object', properties: { a: {} } };
    expect(
      withFields({
        tools: [
          tool('a', schema),
          { name: 'b.c-d', parameters: JSON.stringify(schema) },
          { name: 'e', description: null },
        ],
      }).clientTools,
    ).toEqual([
      { name: 'a', description: 'd', parameters: schema },
      { name: 'b.c-d', description: '', parameters: schema },
      { name: 'e', description: '', parameters: { type: 'object', properties: {} } },
    ]);
  });

  it('any other object is accepted as a tool and ignored', () => {
    const others = [{}, { type: 'web_search' }, { type: 'mcp', name: 'x', server_url: 'http://x' }];
    expect(withFields({ tools: [...others, { name: 'a' }] }).clientTools.map(({ name }) => name)).toEqual(['a']);
  });

  it('the sampling fields are read', () => {
    const fields = {
      model: 'm',
      top_p: 0.5,
      temperature: 1,
      frequency_penalty: 0,
      presence_penalty: -1,
      max_tokens: 5,
      seed: 3,
      n: 2,
    };
    const options = {
      model: 'm',
      topP: 0.5,
      temperature: 1,
      frequencyPenalty: 0,
      presencePenalty: -1,
      maxTokens: 5,
      seed: 3,
    };
    expect(withFields({ ...fields, stop: 'x' }).modelOptions).toEqual({ ...options, stop: ['x'] });
    expect(withFields({ ...fields, stop: ['x', 'y'] }).modelOptions).toEqual({ ...options, stop: ['x', 'y'] });
    expect(withFields({ model: null, stop: null, n: null }).modelOptions).toEqual({});
  });

  it('a request without a user uses the session id as the user id', () => {
    expect(withFields({}).principal.userId).toBe('s');
    expect(withFields({ user_id: 'u' }).principal.userId).toBe('u');
  });

  it('unknown fields are kept and the client time is separated', () => {
    const run = withFields({
      biz_params: { a: 1 },
      state: [1],
      forwarded_props: { client_time: clientTime, x: { y: null } },
    });
    expect(run.forwardedProps).toEqual({ biz_params: { a: 1 }, state: [1], x: { y: null } });
    expect(run.clientTime).toEqual({ ...clientTime, device_timezone: 'Asia/Shanghai' });
  });

  it('a repeated message id stays with the first message', () => {
    const { input } = decode({
      input: [{ ...user, id: 'x' }, { ...user, id: 'x' }, user, { ...user, id: 'x' }],
    }).request;
    expect(input[0]?.id).toBe('x');
    expect(new Set(input.map(({ id }) => id)).size).toBe(4);
    expect(input.every(({ id, content }) => content?.every(({ msg_id }) => msg_id === id))).toBe(true);
  });

  it('a repeated request with a run id is decoded to the same message ids', () => {
    const body = { id: 'run-1', input: [user, user] };
    const ids = new SequentialIds();
    const [first, second] = [0, 1].map(() =>
      decodeAgentRequest(body, { ids, agentType: 'worker', onBusy: 'reject', caller: CALLER }),
    );
    expect(first).toEqual(second);
    expect(first?.request.runId).toBe('run-1');
    expect(first?.request.sessionId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(new Set(first?.request.input.map(({ id }) => id)).size).toBe(2);
    expect(decode({ ...body, id: undefined, response_id: 'run-1' }).request).toEqual(first?.request);
  });

  it('the type of a message without a role determines the role', () => {
    const types = ['message', 'plugin_call', 'mcp_approval_response', 'reasoning', 'plugin_call_output'];
    const roles = types.map((type) => ({ type, content: [] }));
    expect(decode({ input: roles }).request.input.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
    ]);
  });

  it('an unknown message type is kept', () => {
    expect(decode({ input: [{ ...user, type: 'poem' }] }).request.input[0]).toMatchObject({
      type: 'message',
      metadata: { original_type: 'poem' },
    });
  });

  it('an output that is not text becomes JSON text', () => {
    const content = [{ type: 'data', data: { call_id: 'c', output: { ok: true } } }];
    const { input } = decode({ input: [{ type: 'function_call_output', content }] }).request;
    expect(input[0]?.content?.[0]).toMatchObject({ data: { call_id: 'c', output: '{"ok":true}' } });
  });

  it('any input gives a request or an AppError', () => {
    const junk = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, 0, -1, 1.5, '', 'user', 'text', 'data', 'function_call_output'),
        fc.string(),
        fc.array(tie('value'), { maxLength: 3 }),
        record(tie('value')),
      ),
    })).value;
    let refused = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          junk,
          record(junk),
          record(junk).map((fields) => ({ input: [fields], ...fields })),
        ),
        (body) => {
          try {
            decode(JSON.parse(JSON.stringify(body) ?? 'null'));
          } catch (error) {
            refused += 1;
            expect(error).toBeInstanceOf(AppError);
          }
        },
      ),
      { numRuns: 2000 },
    );
    expect(refused).toBeGreaterThan(0);
  });
});

function record(value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const names = [
    'input',
    'content',
    'type',
    'text',
    'data',
    'role',
    'tools',
    'function',
    'name',
    'parameters',
    'forwarded_props',
    'client_time',
    'stop',
    'id',
    'metadata',
    'usage',
    'constructor',
    'toString',
  ];
  return fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 });
}

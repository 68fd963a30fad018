import fc from 'fast-check';
import { AppError, DEFAULT_TENANT, SequentialIds } from '../../common/index.js';
import { type AgentRequest, decodeAgentRequest } from './agent-request.decoder.js';

const text = (value: unknown) => ({ type: 'text', text: value });
const user = { role: 'user', content: [text('hi')] };
const tool = (name: unknown, parameters: unknown = {}) => ({ type: 'function', function: { name, description: 'd', parameters } });
const clientTime = { device_timezone: 'asia/shanghai', client_now_iso: '2026-03-16T09:12:33+08:00', client_epoch_ms: 1773623553000 };

function decode(body: unknown): AgentRequest {
  return decodeAgentRequest(body, { ids: new SequentialIds(), agentType: 'worker', onBusy: 'reject' });
}

function withFields(fields: object): AgentRequest['run'] {
  return decode({ input: [user], session_id: 's', ...fields }).run;
}

function refusal(body: unknown): { code: string; message: string; path: string | undefined } {
  try {
    decode(body);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.status).toBe(400);
    return { code: error.code, message: error.message, path: error.details?.[0]?.path };
  }
  throw new Error('The request was accepted');
}

describe('decodeAgentRequest', () => {
  it('decodes the documented request', () => {
    expect(decode({ input: [user] })).toEqual({
      stream: true,
      run: {
        principal: { tenantId: DEFAULT_TENANT, userId: '1' },
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
            content: [{ object: 'content', status: 'completed', error: null, type: 'text', index: 0, delta: false, msg_id: 'msg_1', text: 'hi' }],
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
    ['fields of the chat UI', [{ role: 'user', type: 'message', content: [{ type: 'file', file_url: 'u', file_name: 'f', file_size: 3, status: 'created' }] }]],
    ['unknown keys', [{ ...user, whatever: [null], content: [{ ...text('a'), more: 1 }] }]],
    ['a text that is null', [{ role: 'user', content: [text(null)] }]],
    ['every content', ['image', 'data', 'audio', 'file', 'refusal', 'video'].map((type) => ({ content: [{ type }] }))],
    ['replayed server output', [{ object: 'message', status: 'completed', error: null, sequence_number: 7, id: 'msg_a', type: 'plugin_call', role: 'assistant', content: [{ object: 'content', type: 'data', data: { call_id: 'c', name: 'n', arguments: '{}' }, index: null, msg_id: null, status: null, delta: null }], code: null, message: null, usage: { input_tokens: 1, output_tokens: 2 }, metadata: { original_id: 'x' } }]],
    ['an approval', [{ type: 'mcp_approval_response', role: 'user', content: [{ type: 'data', data: { approve: true, id: 'i', approval_request_id: 'i', reason: null } }] }]],
  ])('accepts input with %s', (_, input) => {
    expect(decode({ input }).run.input).toHaveLength(input.length);
  });

  it.each<[string, unknown, string, string, string?]>([
    ['no object', [user], 'PARAMETER_VALIDATION', 'The request body must be a JSON object, not a list'],
    ['no body', undefined, 'PARAMETER_VALIDATION', 'The request body must be a JSON object, not null'],
    ['no input', {}, 'MISSING_PARAMETER', 'input is required: a list of messages', 'input'],
    ['input null', { input: null }, 'MISSING_PARAMETER', 'input is required: a list of messages', 'input'],
    ['a plain string', { input: 'hi' }, 'PARAMETER_VALIDATION', 'input must be a list, not a string', 'input'],
    ['an item that is null', { input: [null] }, 'PARAMETER_VALIDATION', 'input[0] must be an object, not null', 'input[0]'],
    ['a nested list', { input: [[user]] }, 'PARAMETER_VALIDATION', 'input[0] must be an object, not a list', 'input[0]'],
    ['content that is a string', { input: [{ content: 'hi' }] }, 'PARAMETER_VALIDATION', 'input[0].content must be a list, not a string', 'input[0].content'],
    ['a content that is null', { input: [{ content: [null] }] }, 'PARAMETER_VALIDATION', 'input[0].content[0] must be an object, not null', 'input[0].content[0]'],
    ['a content without type', { input: [{ content: [{ text: 'a' }] }] }, 'MISSING_PARAMETER', 'input[0].content[0].type is required', 'input[0].content[0].type'],
    ['an unknown content type', { input: [user, { content: [{ type: 'smell' }] }] }, 'INVALID_PARAMETER', 'input[1].content[0].type must be one of text, image, data, audio, file, refusal, video', 'input[1].content[0].type'],
    ['a text that is a number', { input: [{ content: [text(1)] }] }, 'PARAMETER_VALIDATION', 'input[0].content[0].text must be a string, not a number', 'input[0].content[0].text'],
    ['data that is a list', { input: [{ content: [{ type: 'data', data: [] }] }] }, 'PARAMETER_VALIDATION', 'input[0].content[0].data must be an object, not a list'],
    ['the role developer', { input: [{ role: 'developer', content: [] }] }, 'INVALID_PARAMETER', 'input[0].role must be one of assistant, user, system, tool, or null', 'input[0].role'],
    ['an empty message id', { input: [{ ...user, id: '' }] }, 'INVALID_PARAMETER', 'input[0].id must have 1 to 256 characters'],
    ['an output that answers no call', { input: [{ type: 'function_call_output', content: [{ type: 'data', data: { output: 'x' } }] }] }, 'MISSING_PARAMETER', 'input[0].content[0].data.call_id is required'],
    ['1001 messages', { input: Array(1001).fill(user) }, 'INVALID_PARAMETER', 'input must have at most 1000 items, not 1001'],
    ['a stream that is a string', { input: [], stream: 'false' }, 'PARAMETER_VALIDATION', 'stream must be true or false, not a string', 'stream'],
    ['an integer user_id', { input: [], user_id: 7 }, 'PARAMETER_VALIDATION', 'user_id must be a string, not a number', 'user_id'],
    ['an empty session_id', { input: [], session_id: '' }, 'INVALID_PARAMETER', 'session_id must have 1 to 256 characters', 'session_id'],
    ['a long user_id', { input: [], user_id: 'u'.repeat(257) }, 'INVALID_PARAMETER', 'user_id must have 1 to 256 characters', 'user_id'],
    ['n of 9', { input: [], n: 9 }, 'INVALID_PARAMETER', 'n must be from 1 to 5', 'n'],
    ['n of 1.5', { input: [], n: 1.5 }, 'PARAMETER_VALIDATION', 'n must be an integer', 'n'],
    ['a temperature that is a string', { input: [], temperature: '1' }, 'PARAMETER_VALIDATION', 'temperature must be a number, not a string', 'temperature'],
    ['a model that is a list', { input: [], model: ['m'] }, 'PARAMETER_VALIDATION', 'model must be a string, not a list', 'model'],
    ['max_tokens of 0', { input: [], max_tokens: 0 }, 'INVALID_PARAMETER', 'max_tokens must be at least 1', 'max_tokens'],
    ['a stop that is a number', { input: [], stop: 1 }, 'PARAMETER_VALIDATION', 'stop must be a list, not a number', 'stop'],
    ['a stop list with a null', { input: [], stop: ['a', null] }, 'PARAMETER_VALIDATION', 'stop[1] must be a string, not null', 'stop[1]'],
    ['an id with a space', { input: [], id: 'a b' }, 'INVALID_PARAMETER', 'id must have 1 to 128 printable ASCII characters without spaces', 'id'],
    ['a long response_id', { input: [], response_id: 'r'.repeat(129) }, 'INVALID_PARAMETER', 'response_id must have 1 to 128 printable ASCII characters without spaces', 'response_id'],
    ['two different ids', { input: [], id: 'a', response_id: 'b' }, 'INVALID_PARAMETER', 'response_id differs from id: they name the same thing', 'response_id'],
    ['tools that are an object', { input: [], tools: {} }, 'PARAMETER_VALIDATION', 'tools must be a list, not an object', 'tools'],
    ['a tool that is a string', { input: [], tools: ['t'] }, 'PARAMETER_VALIDATION', 'tools[0] must be an object, not a string', 'tools[0]'],
    ['a tool without a name', { input: [], tools: [tool(undefined)] }, 'MISSING_PARAMETER', 'tools[0].function.name is required'],
    ['a tool name with a space', { input: [], tools: [{ name: 'a b' }] }, 'INVALID_PARAMETER', 'tools[0].name must have 1 to 128 characters of A-Z, a-z, 0-9, _, . and -'],
    ['another kind of tool', { input: [], tools: [{ type: 'web_search' }] }, 'INVALID_PARAMETER', 'tools[0].type must be function: other kinds of tools are not offered'],
    ['tools of one name', { input: [], tools: [tool('t'), { name: 't' }] }, 'INVALID_PARAMETER', 'tools[1] repeats the name t', 'tools[1]'],
    ['parameters of bad JSON', { input: [], tools: [tool('t', '{')] }, 'INVALID_PARAMETER', 'tools[0].function.parameters is not valid JSON'],
    ['parameters that are a list', { input: [], tools: [tool('t', [])] }, 'PARAMETER_VALIDATION', 'tools[0].function.parameters must be a JSON Schema object or its JSON text, not a list'],
    ['parameters of deep JSON text', { input: [], tools: [tool('t', `{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`)] }, 'INVALID_PARAMETER', 'tools[0].function.parameters is refused: The JSON is nested more than 64 levels deep'],
    ['101 tools', { input: [], tools: Array.from({ length: 101 }, (_, index) => tool(`t${index}`)) }, 'INVALID_PARAMETER', 'tools must have at most 100 items, not 101'],
    ['forwarded_props that are a list', { input: [], forwarded_props: [] }, 'PARAMETER_VALIDATION', 'forwarded_props must be an object, not a list', 'forwarded_props'],
    ['client_time that is a string', { input: [], forwarded_props: { client_time: 'now' } }, 'INVALID_PARAMETER', 'invalid forwarded_props.client_time', 'forwarded_props.client_time'],
    ['client_time with another key', { input: [], forwarded_props: { client_time: { ...clientTime, x: 1 } } }, 'INVALID_PARAMETER', 'invalid forwarded_props.client_time'],
    ...['Asia/Beijing', '', 'Z', '+08:00', 8, undefined].map((device_timezone): [string, unknown, string, string] => [`the zone ${device_timezone}`, { input: [], forwarded_props: { client_time: { ...clientTime, device_timezone } } }, 'INVALID_PARAMETER', 'invalid client_time.device_timezone']),
    ...['2026-03-16T09:12:33', '2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-03-16', '2026-03-16T25:00:00Z', 5].map((client_now_iso): [string, unknown, string, string] => [`the time ${client_now_iso}`, { input: [], forwarded_props: { client_time: { ...clientTime, client_now_iso } } }, 'INVALID_PARAMETER', 'invalid client_time.client_now_iso']),
    ...['1', true, 1.5, -1, 1e300, null].map((client_epoch_ms): [string, unknown, string, string] => [`the epoch ${client_epoch_ms}`, { input: [], forwarded_props: { client_time: { ...clientTime, client_epoch_ms } } }, 'INVALID_PARAMETER', 'invalid client_time.client_epoch_ms']),
  ])('refuses %s', (_, body, code, message, ...[path]) => {
    expect(refusal(body)).toMatchObject({ code, message, ...(path !== undefined && { path }) });
  });

  it('reads both spellings of a tool and both forms of its parameters', () => {
    const schema = { type: 'object', properties: { a: {} } };
    expect(withFields({ tools: [tool('a', schema), { name: 'b.c-d', parameters: JSON.stringify(schema) }, { name: 'e', description: null }] }).clientTools).toEqual([
      { name: 'a', description: 'd', parameters: schema },
      { name: 'b.c-d', description: '', parameters: schema },
      { name: 'e', description: '', parameters: { type: 'object', properties: {} } },
    ]);
  });

  it('reads the sampling fields', () => {
    const fields = { model: 'm', top_p: 0.5, temperature: 1, frequency_penalty: 0, presence_penalty: -1, max_tokens: 5, seed: 3, n: 2 };
    const options = { model: 'm', topP: 0.5, temperature: 1, frequencyPenalty: 0, presencePenalty: -1, maxTokens: 5, seed: 3 };
    expect(withFields({ ...fields, stop: 'x' }).modelOptions).toEqual({ ...options, stop: ['x'] });
    expect(withFields({ ...fields, stop: ['x', 'y'] }).modelOptions).toEqual({ ...options, stop: ['x', 'y'] });
    expect(withFields({ model: null, stop: null, n: null }).modelOptions).toEqual({});
  });

  it('names the user by the session when the request does not', () => {
    expect(withFields({}).principal.userId).toBe('s');
    expect(withFields({ user_id: 'u' }).principal.userId).toBe('u');
  });

  it('keeps fields it does not know and takes the client time out', () => {
    const run = withFields({ biz_params: { a: 1 }, state: [1], forwarded_props: { client_time: clientTime, x: { y: null } } });
    expect(run.forwardedProps).toEqual({ biz_params: { a: 1 }, state: [1], x: { y: null } });
    expect(run.clientTime).toEqual({ ...clientTime, device_timezone: 'Asia/Shanghai' });
  });

  it('lets a repeated message id stay with its first message', () => {
    const { input } = decode({ input: [{ ...user, id: 'x' }, { ...user, id: 'x' }, user, { ...user, id: 'x' }] }).run;
    expect(input[0]?.id).toBe('x');
    expect(new Set(input.map(({ id }) => id)).size).toBe(4);
    expect(input.every(({ id, content }) => content?.every(({ msg_id }) => msg_id === id))).toBe(true);
  });

  it('decodes a repeated request that names its run in the same way, whoever counts ids', () => {
    const body = { id: 'run-1', input: [user, user] };
    const ids = new SequentialIds();
    const [first, second] = [0, 1].map(() => decodeAgentRequest(body, { ids, agentType: 'worker', onBusy: 'reject' }));
    expect(first).toEqual(second);
    expect(first?.run.runId).toBe('run-1');
    expect(first?.run.sessionId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(new Set(first?.run.input.map(({ id }) => id)).size).toBe(2);
    expect(decode({ ...body, id: undefined, response_id: 'run-1' }).run).toEqual(first?.run);
  });

  it('takes a message without a role for whose its type says it is', () => {
    const roles = ['message', 'plugin_call', 'reasoning', 'function_call_output', 'mcp_approval_response'].map((type) => ({ type, content: [] }));
    expect(decode({ input: roles }).run.input.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'tool', 'user']);
  });

  it('keeps an unknown message type beside the message', () => {
    expect(decode({ input: [{ ...user, type: 'poem' }] }).run.input[0]).toMatchObject({ type: 'message', metadata: { original_type: 'poem' } });
  });

  it('turns an output that is no text into JSON text', () => {
    const content = [{ type: 'data', data: { call_id: 'c', output: { ok: true } } }];
    const { input } = decode({ input: [{ type: 'function_call_output', content }] }).run;
    expect(input[0]?.content?.[0]).toMatchObject({ data: { call_id: 'c', output: '{"ok":true}' } });
  });

  it('answers anything with a request or an AppError', () => {
    const junk = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.constantFrom(null, true, 0, -1, 1.5, '', 'user', 'text', 'data', 'function_call_output'), fc.string(), fc.array(tie('value'), { maxLength: 3 }), record(tie('value'))),
    })).value;
    let refused = 0;
    fc.assert(
      fc.property(fc.oneof(junk, record(junk), record(junk).map((fields) => ({ input: [fields], ...fields }))), (body) => {
        try {
          decode(JSON.parse(JSON.stringify(body) ?? 'null'));
        } catch (error) {
          refused += 1;
          expect(error).toBeInstanceOf(AppError);
        }
      }),
      { numRuns: 2000 },
    );
    expect(refused).toBeGreaterThan(0);
  });
});

function record(value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const names = ['input', 'content', 'type', 'text', 'data', 'role', 'tools', 'function', 'name', 'parameters', 'forwarded_props', 'client_time', 'stop', 'id', 'metadata', 'usage', 'constructor', 'toString'];
  return fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 });
}

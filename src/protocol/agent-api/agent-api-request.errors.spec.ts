import { CALLER } from '../../../test/support/caller.js';
import { AppError, SequentialIds } from '../../common/index.js';
import { decodeAgentRequest } from './agent-api-request.decoder.js';

const user = { role: 'user', content: [{ type: 'text', text: 'hi' }] };
const time = {
  device_timezone: 'Europe/Berlin',
  client_now_iso: '2026-03-16T09:12:33Z',
  client_epoch_ms: 1773623553000,
};
const manyTools = Array.from({ length: 101 }, (_, index) => ({ name: `t${index}` }));
const deepText = `{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;

/** The error of a request; a list stands for `input`, an object is added to an empty one. */
function refusal(fields: object): { code: string; message: string; path: string | undefined } {
  const body = Array.isArray(fields) ? { input: fields as unknown[] } : { input: [], ...fields };
  try {
    decodeAgentRequest(body, { ids: new SequentialIds(), agentType: 'worker', onBusy: 'reject', caller: CALLER });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.status).toBe(400);
    return { code: error.code, message: error.message, path: error.details?.[0]?.path };
  }
  throw new Error('The request was accepted');
}

/** One content of one message. */
const content = (value: unknown): object => [{ content: [value] }];
const nestedTool = (fields: object): object => ({ tools: [{ type: 'function', function: { name: 't', ...fields } }] });

const MISSING: readonly [string, object][] = [
  ['input is required: a list of messages', { input: undefined }],
  ['input is required: a list of messages', { input: null }],
  ['input[0].content[0].type is required', content({ text: 'a' })],
  ['input[0].content must have a data content with the call_id', [{ type: 'function_call_output', content: [] }]],
  ['input[0].content must have a data content with the call_id', [{ type: 'function_call_output' }]],
  [
    'input[0].content[0].data.call_id is required',
    [{ type: 'function_call_output', content: [{ type: 'data', data: {} }] }],
  ],
  ['tools[0].function.name is required', nestedTool({ name: null })],
  ['tools[0].name is required', { tools: [{ type: 'function' }] }],
];

const WRONG_TYPE: readonly [string, object][] = [
  ['input must be a list, not a string', { input: 'hi' }],
  ['input[0] must be an object, not null', [null]],
  ['input[0] must be an object, not a list', [[user]]],
  ['input[0].content must be a list, not a string', [{ content: 'hi' }]],
  ['input[0].content[0] must be an object, not null', content(null)],
  ['input[0].content[0] must be an object, not a list', content([user])],
  ['input[0].content[0].text must be a string, not a number', content({ type: 'text', text: 1 })],
  ['input[0].content[0].image_url must be a string, not an object', content({ type: 'image', image_url: {} })],
  ['input[0].content[0].data must be an object, not a list', content({ type: 'data', data: [] })],
  ['input[0].id must be a string, not a number', [{ id: 1 }]],
  ['input[0].metadata must be an object, not a list', [{ metadata: [] }]],
  ['stream must be true or false, not a string', { stream: 'false' }],
  ['user_id must be a string, not a number', { user_id: 7 }],
  ['session_id must be a string, not a number', { session_id: 7 }],
  ['temperature must be a number, not a string', { temperature: '1' }],
  ['top_p must be a number, not a boolean', { top_p: true }],
  ['model must be a string, not a list', { model: ['m'] }],
  ['seed must be an integer', { seed: 0.5 }],
  ['n must be an integer', { n: 1.5 }],
  ['stop must be a list, not a number', { stop: 1 }],
  ['stop[1] must be a string, not null', { stop: ['a', null] }],
  ['id must be a string, not a number', { id: 1 }],
  ['tools must be a list, not an object', { tools: {} }],
  ['tools[0] must be an object, not a string', { tools: ['t'] }],
  [
    'tools[0].function.parameters must be a JSON Schema object or its JSON text, not a list',
    nestedTool({ parameters: [] }),
  ],
  ['forwarded_props must be an object, not a list', { forwarded_props: [] }],
];

const WRONG_VALUE: readonly [string, object][] = [
  [
    'input[0].content[0].type must be one of text, image, data, audio, file, refusal, video',
    content({ type: 'smell' }),
  ],
  ['input[0].role must be one of assistant, user, system, tool, or null', [{ role: 'developer' }]],
  ['input[0].id must have 1 to 256 characters', [{ id: '' }]],
  ['input must have at most 1000 items, not 1001', Array<object>(1001).fill(user)],
  ['session_id must have 1 to 256 characters', { session_id: '' }],
  ['user_id must have 1 to 256 characters', { user_id: 'u'.repeat(257) }],
  ['n must be from 1 to 5', { n: 9 }],
  ['max_tokens must be at least 1', { max_tokens: 0 }],
  ['id must have 1 to 128 printable ASCII characters without spaces', { id: 'a b' }],
  ['response_id must have 1 to 128 printable ASCII characters without spaces', { response_id: 'r'.repeat(129) }],
  ['response_id differs from id: they name the same thing', { id: 'a', response_id: 'b' }],
  ['tools[0].name must have 1 to 128 characters of A-Z, a-z, 0-9, _, . and -', { tools: [{ name: 'a b' }] }],
  ['tools[1] repeats the name t', { tools: [{ name: 't' }, { name: 't' }] }],
  ['tools[0].function.parameters is not valid JSON', nestedTool({ parameters: '{' })],
  [
    'tools[0].parameters is refused: The JSON is nested more than 64 levels deep',
    { tools: [{ name: 't', parameters: deepText }] },
  ],
  ['tools must have at most 100 items, not 101', { tools: manyTools }],
];

const WRONG_TIME: readonly [string, unknown][] = [
  ['invalid forwarded_props.client_time', 'now'],
  ['invalid forwarded_props.client_time', { ...time, more: 1 }],
  ['invalid client_time.device_timezone', {}],
  ...['Asia/Beijing', '', 'Z', '+08:00', 8].map((device_timezone): [string, unknown] => [
    'invalid client_time.device_timezone',
    { ...time, device_timezone },
  ]),
  ...[
    '2026-03-16T09:12:33',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-03-16',
    '2026-03-16T25:00:00Z',
    5,
  ].map((client_now_iso): [string, unknown] => ['invalid client_time.client_now_iso', { ...time, client_now_iso }]),
  ...['1', true, 1.5, -1, 1e300, null].map((client_epoch_ms): [string, unknown] => [
    'invalid client_time.client_epoch_ms',
    { ...time, client_epoch_ms },
  ]),
];

describe('decodeAgentRequest with invalid input', () => {
  it.each([
    ['a list', []],
    ['null', undefined],
    ['a string', 'hi'],
  ])('a body that is %s is refused', (kind, body) => {
    const decode = () =>
      decodeAgentRequest(body, { ids: new SequentialIds(), agentType: 'worker', onBusy: 'reject', caller: CALLER });
    expect(decode).toThrow(new AppError('PARAMETER_VALIDATION', `The request body must be a JSON object, not ${kind}`));
  });

  it.each(MISSING)('a missing field is refused: %s', (message, fields) => {
    expect(refusal(fields)).toEqual({ code: 'MISSING_PARAMETER', message, path: message.split(' ')[0] });
  });

  it.each(WRONG_TYPE)('a wrong type is refused: %s', (message, fields) => {
    expect(refusal(fields)).toEqual({ code: 'PARAMETER_VALIDATION', message, path: message.split(' ')[0] });
  });

  it.each(WRONG_VALUE)('a wrong value is refused: %s', (message, fields) => {
    expect(refusal(fields)).toEqual({ code: 'INVALID_PARAMETER', message, path: message.split(' ')[0] });
  });

  it.each(WRONG_TIME)('a wrong time is refused: %s of %j', (message, client_time) => {
    const path = `forwarded_props.${message.replace(/^invalid (forwarded_props.)?/, '')}`;
    expect(refusal({ forwarded_props: { client_time } })).toEqual({ code: 'INVALID_PARAMETER', message, path });
  });
});

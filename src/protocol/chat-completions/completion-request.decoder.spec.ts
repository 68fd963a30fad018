import { AppError } from '../../common/index.js';
import { toHttpError } from '../http/errors/http-error.js';
import { errorBody } from './chat-completions.errors.js';
import { decodeCompletionRequest } from './completion-request.decoder.js';

const MAX_BYTES = 1000;
const user = { role: 'user', content: 'Hi' };
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const calling = { role: 'assistant', content: null, tool_calls: [call] };
const tool = (name: unknown, more: object = {}): object => ({ type: 'function', function: { name, ...more } });
const part = (value: object): object => ({ messages: [{ role: 'user', content: [value] }] });

/** The error that a body gets. */
function refusal(body: unknown): unknown {
  try {
    decodeCompletionRequest(body, MAX_BYTES);
  } catch (error) {
    if (error instanceof AppError) return errorBody(toHttpError(error)).error;
    throw error;
  }
  throw new Error('The body was accepted');
}

describe('a request for a completion', () => {
  it.each<[unknown, string | null, string]>([
    [[], null, 'invalid_json'],
    ['x', null, 'invalid_json'],
    [{}, 'messages', 'missing_required_parameter'],
    [{ messages: 'x' }, 'messages', 'invalid_type'],
    [{ messages: [] }, 'messages', 'invalid_value'],
    [{ messages: Array.from({ length: 10_001 }, () => user) }, 'messages', 'invalid_value'],
    [{ messages: [1] }, 'messages[0]', 'invalid_type'],
    [{ messages: [{ content: 'x' }] }, 'messages[0].role', 'missing_required_parameter'],
    [{ messages: [{ role: 'boss', content: 'x' }] }, 'messages[0].role', 'invalid_value'],
    [{ messages: [{ role: 'function', content: 'x' }] }, 'messages[0].role', 'unsupported_value'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content', 'missing_required_parameter'],
    [{ messages: [{ role: 'user', content: 5 }] }, 'messages[0].content', 'invalid_type'],
    [{ messages: [{ role: 'user', content: '' }] }, 'messages[0].content', 'invalid_value'],
    [{ messages: [{ role: 'user', content: [] }] }, 'messages[0].content', 'invalid_value'],
    [part({ text: 'x' }), 'messages[0].content[0].type', 'missing_required_parameter'],
    [part({ type: 'smell' }), 'messages[0].content[0].type', 'invalid_value'],
    [part({ type: 'text' }), 'messages[0].content[0].text', 'missing_required_parameter'],
    [
      part({ type: 'image_url', image_url: { url: 'data:image/png;base64,***' } }),
      'messages[0].content[0].image_url.url',
      'invalid_value',
    ],
    [
      part({ type: 'input_audio', input_audio: { data: 'AA', format: 'ogg' } }),
      'messages[0].content[0].input_audio.format',
      'invalid_value',
    ],
    [part({ type: 'file', file: {} }), 'messages[0].content[0].file.file_data', 'missing_required_parameter'],
    [{ messages: [user, { role: 'tool', content: 'x' }] }, 'messages[1].tool_call_id', 'missing_required_parameter'],
    [
      { messages: [user, { role: 'tool', tool_call_id: 'x', content: 'x' }] },
      'messages[1].tool_call_id',
      'tool_call_not_found',
    ],
    [
      {
        messages: [
          user,
          calling,
          { role: 'tool', tool_call_id: 'c', content: '1' },
          { role: 'tool', tool_call_id: 'c', content: '2' },
        ],
      },
      'messages[3].tool_call_id',
      'invalid_value',
    ],
    [{ messages: [user], tools: [5] }, 'tools[0]', 'invalid_type'],
    [{ messages: [user], tools: [tool(undefined)] }, 'tools[0].function.name', 'missing_required_parameter'],
    [{ messages: [user], tools: [tool('a b')] }, 'tools[0].function.name', 'invalid_value'],
    [{ messages: [user], tools: [tool('f'), tool('f')] }, 'tools[1].function.name', 'invalid_value'],
    [{ messages: [user], tools: [tool('f', { parameters: 1 })] }, 'tools[0].function.parameters', 'invalid_type'],
    [{ messages: [user], tool_choice: 'some' }, 'tool_choice', 'invalid_value'],
    [{ messages: [user], tool_choice: { type: 'custom' } }, 'tool_choice.type', 'invalid_value'],
    [
      { messages: [user], tool_choice: { type: 'function', function: { name: 'g' } } },
      'tool_choice.function.name',
      'invalid_value',
    ],
    [{ messages: [user], temperature: 3 }, 'temperature', 'invalid_value'],
    [{ messages: [user], temperature: 'hot' }, 'temperature', 'invalid_type'],
    [{ messages: [user], top_p: -1 }, 'top_p', 'invalid_value'],
    [{ messages: [user], presence_penalty: -3 }, 'presence_penalty', 'invalid_value'],
    [{ messages: [user], max_tokens: 0 }, 'max_tokens', 'invalid_value'],
    [{ messages: [user], seed: 1.5 }, 'seed', 'invalid_type'],
    [{ messages: [user], stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'invalid_value'],
    [{ messages: [user], stop: ['a', ''] }, 'stop[1]', 'invalid_value'],
    [{ messages: [user], stop: '' }, 'stop', 'invalid_value'],
    [{ messages: [user], reasoning_effort: 'huge' }, 'reasoning_effort', 'invalid_value'],
    [{ messages: [user], response_format: { type: 'xml' } }, 'response_format.type', 'invalid_value'],
    [
      { messages: [user], response_format: { type: 'json_schema', json_schema: { name: 'a' } } },
      'response_format.json_schema.schema',
      'missing_required_parameter',
    ],
    [{ messages: [user], n: 2 }, 'n', 'unsupported_value'],
    [{ messages: [user], logprobs: true }, 'logprobs', 'unsupported_value'],
    [{ messages: [user], top_logprobs: 1 }, 'top_logprobs', 'unsupported_value'],
    [{ messages: [user], logit_bias: { 1: 1 } }, 'logit_bias', 'unsupported_value'],
    [{ messages: [user], modalities: ['text', 'audio'] }, 'modalities', 'unsupported_value'],
    [{ messages: [user], audio: {} }, 'audio', 'unsupported_value'],
    [{ messages: [user], functions: [] }, 'functions', 'unsupported_value'],
    [{ messages: [user], function_call: 'auto' }, 'function_call', 'unsupported_value'],
    [{ messages: [user], metadata: 1 }, 'metadata', 'invalid_type'],
    [{ messages: [user], metadata: { a: 1 } }, 'metadata.a', 'invalid_type'],
    [{ messages: [user], metadata: { a: 'x'.repeat(513) } }, 'metadata.a', 'invalid_value'],
    [{ messages: [user], stream: 'yes' }, 'stream', 'invalid_type'],
  ])('%# is refused', (body, param, code) => {
    expect(refusal(body)).toMatchObject({ type: 'invalid_request_error', param, code });
  });

  it('null and fields without effect are accepted', () => {
    const nothing = { n: 1, logprobs: false, top_logprobs: 0, logit_bias: {}, modalities: ['text'], audio: null };
    const absent = { temperature: null, tools: null, stop: null, response_format: null, functions: null, store: null };
    const unknown = { prediction: {}, web_search_options: {}, service_tier: 'flex', verbosity: 'low' };
    const request = decodeCompletionRequest({ messages: [user], ...nothing, ...absent, ...unknown }, MAX_BYTES);
    expect(request).toMatchObject({ stream: false, includeUsage: false, modelOptions: {}, store: undefined });
  });

  it('max_completion_tokens wins, and tool_choice none takes the tools of the client away', () => {
    const limits = { max_completion_tokens: 5, max_tokens: 9 };
    const { modelOptions, tools } = decodeCompletionRequest(
      {
        messages: [user],
        ...limits,
        tools: [tool('f')],
        tool_choice: 'none',
      },
      MAX_BYTES,
    );
    expect(modelOptions).toEqual({ maxTokens: 5 });
    expect(tools.clientTools).toEqual([]);
  });

  it('equal requests have equal messages', () => {
    const body = { messages: [user, calling, { role: 'tool', tool_call_id: 'c', content: 'x' }] };
    const [one, two] = [
      decodeCompletionRequest(body, MAX_BYTES),
      decodeCompletionRequest({ messages: [...body.messages] }, MAX_BYTES),
    ];
    expect(one).toEqual(two);
    const ids = one.messages.flatMap(({ messages }) => messages.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

import { toHttpError } from '../http/errors/http-error.js';
import { itemSources } from './testing/encoded.js';
import { type CreateRequest, decodeCreateRequest } from './responses-request.decoder.js';

const decode = (body: unknown): CreateRequest =>
  decodeCreateRequest(body, { items: itemSources(), defaultModel: 'worker' });
const f = (name: string, more: object = {}): object => ({ type: 'function', name, ...more });
const pairs = (count: number, key = 'k', value: unknown = 'v'): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [key + at, value]));

function refusalOf(body: unknown): unknown[] {
  try {
    decode(body);
  } catch (error) {
    const { status, code, details } = toHttpError(error);
    return [status, code, details?.[0]?.path];
  }
  return [];
}

describe('the Responses request decoder', () => {
  it('every absent field has a default', () => {
    const { echo, ...request } = decode({});
    expect(request).toMatchObject({ stream: false, background: false, store: true, input: [], modelOptions: {} });
    expect(echo).toEqual({
      background: false,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      model: 'worker',
      parallel_tool_calls: true,
      previous_response_id: null,
      conversation: null,
      prompt_cache_key: null,
      reasoning: { effort: null, summary: null },
      safety_identifier: null,
      service_tier: 'default',
      store: true,
      temperature: 1,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      top_logprobs: 0,
      text: { format: { type: 'text' }, verbosity: 'medium' },
      tool_choice: 'auto',
      tools: [],
      truncation: 'disabled',
      user: null,
      metadata: {},
    });
  });

  it('null is an absent field, and unknown fields are ignored', () => {
    const names = [...Object.keys(decode({}).echo), 'input', 'stream', 'include', 'prompt', 'context_management'];
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    expect(decode(nulls).echo).toEqual(decode({}).echo);
    const unknown = { moderation: {}, prompt_cache_retention: '24h', include: [7], x: 1 };
    expect(decode(unknown).echo).toEqual(decode({}).echo);
  });

  it('options for the model are passed on', () => {
    const schema = { type: 'object', properties: {} };
    const { modelOptions, echo } = decode({
      temperature: 0,
      top_p: 0.5,
      frequency_penalty: -2,
      presence_penalty: 2,
      max_output_tokens: 16,
      parallel_tool_calls: false,
      reasoning: { effort: 'low', generate_summary: 'auto' },
      tools: [f('look')],
      tool_choice: { type: 'function', name: 'look' },
      text: { format: { type: 'json_schema', name: 'animal', schema, strict: true }, verbosity: 'low' },
    });
    expect(modelOptions).toEqual({
      temperature: 0,
      topP: 0.5,
      frequencyPenalty: -2,
      presencePenalty: 2,
      maxTokens: 16,
      parallelToolCalls: false,
      reasoningEffort: 'low',
      toolChoice: { name: 'look' },
      responseFormat: { type: 'json_schema', name: 'animal', schema, strict: true },
    });
    expect(echo).toMatchObject({
      parallel_tool_calls: false,
      tool_choice: { type: 'function', name: 'look' },
      reasoning: { effort: 'low', summary: 'auto' },
      tools: [{ type: 'function', name: 'look', description: null, parameters: null, strict: null }],
    });
  });

  it.each<[string, object, Partial<CreateRequest>]>([
    ['an id of a conversation', { conversation: 'conv_1' }, { conversationId: 'conv_1' }],
    ['an object for a conversation', { conversation: { id: 'conv_1' } }, { conversationId: 'conv_1' }],
    ['a predecessor', { previous_response_id: 'resp_1' }, { previousResponseId: 'resp_1' }],
    ['a user', { user: 'alice', safety_identifier: 'x' }, { user: 'alice' }],
    ['who it is for', { safety_identifier: 'alice' }, { user: 'alice' }],
    [
      'instructions in messages',
      { instructions: [{ content: [{ text: 'a' }] }, { content: 'b' }] },
      { instructions: 'a\nb' },
    ],
    [
      'tools that others host',
      { tools: [{ type: 'web_search' }, { type: 'custom', name: 'x' }] },
      { skippedTools: ['web_search', 'custom'], clientTools: [] },
    ],
    [
      'tools of which only some are allowed',
      { tools: [f('a'), f('b')], tool_choice: { type: 'allowed_tools', mode: 'required', tools: [f('b')] } },
      { clientTools: [expect.objectContaining({ name: 'b' })], modelOptions: { toolChoice: 'required' } },
    ],
    [
      'a tool of a server',
      { tool_choice: { type: 'mcp', server_label: 's', name: 'x' } },
      { modelOptions: { toolChoice: { name: 'x' } } },
    ],
    ['no call', { tool_choice: 'none' }, { modelOptions: { toolChoice: 'none' } }],
  ])('%s is accepted', (_name, body, expected) => {
    expect(decode(body)).toMatchObject(expected);
  });

  it('the credentials of a tool are not stored', () => {
    const tool = { type: 'mcp', server_label: 's', headers: { authorization: 'secret' }, authorization: 'secret' };
    expect(JSON.stringify(decode({ tools: [tool] }))).not.toContain('secret');
  });

  it.each<[string, object]>([
    ['pairs of metadata', { metadata: { ...pairs(15), ['k'.repeat(64)]: 'v'.repeat(512) } }],
    ['the widest numbers', { temperature: 2, top_p: 1, top_logprobs: 20, max_tool_calls: 1, max_output_tokens: 16 }],
    ['a long key', { safety_identifier: 'x'.repeat(64) }],
    ['truncation', { truncation: 'auto' }],
    ['many tools', { tools: Array.from({ length: 128 }, (_, at) => f(`f${at}`)) }],
  ])('%s is accepted up to the limit of the contract', (_name, body) => {
    expect(refusalOf(body)).toEqual([]);
  });

  const TYPE = 'PARAMETER_VALIDATION';
  const VALUE = 'INVALID_PARAMETER';
  const MISSING = 'MISSING_PARAMETER';
  it.each<[string, unknown, string, string | undefined]>([
    ['a list for a body', [], TYPE, undefined],
    ['no body', undefined, TYPE, undefined],
    ['a number for a model', { model: 7 }, TYPE, 'model'],
    ['an empty model', { model: '' }, VALUE, 'model'],
    ['a number for the input', { input: 7 }, TYPE, 'input'],
    ['a text for a flag', { stream: 'true' }, TYPE, 'stream'],
    ['a number for a flag', { store: 1 }, TYPE, 'store'],
    ['what would be kept and not kept', { background: true, store: false }, VALUE, 'background'],
    ['two predecessors', { previous_response_id: 'r', conversation: 'c' }, VALUE, 'previous_response_id'],
    ['a conversation without an id', { conversation: {} }, MISSING, 'conversation.id'],
    ['a list for a conversation', { conversation: [] }, TYPE, 'conversation'],
    ['too hot', { temperature: 2.1 }, VALUE, 'temperature'],
    ['a text for a number', { temperature: '1' }, TYPE, 'temperature'],
    ['no chance at all', { top_p: -0.1 }, VALUE, 'top_p'],
    ['a penalty out of range', { presence_penalty: 3 }, VALUE, 'presence_penalty'],
    ['too few tokens', { max_output_tokens: 15 }, VALUE, 'max_output_tokens'],
    ['half a token', { max_output_tokens: 16.5 }, TYPE, 'max_output_tokens'],
    ['no calls', { max_tool_calls: 0 }, VALUE, 'max_tool_calls'],
    ['too many logprobs', { top_logprobs: 21 }, VALUE, 'top_logprobs'],
    ['a truncation there is not', { truncation: 'maybe' }, VALUE, 'truncation'],
    ['a text for parallel calls', { parallel_tool_calls: 'no' }, TYPE, 'parallel_tool_calls'],
    ['too much metadata', { metadata: pairs(17) }, VALUE, 'metadata'],
    ['a long name of metadata', { metadata: pairs(1, 'k'.repeat(64)) }, VALUE, `metadata.${'k'.repeat(64)}0`],
    ['a long value of metadata', { metadata: pairs(1, 'k', 'v'.repeat(513)) }, VALUE, 'metadata.k0'],
    ['a number in metadata', { metadata: pairs(1, 'k', 7) }, TYPE, 'metadata.k0'],
    ['a list for metadata', { metadata: [] }, TYPE, 'metadata'],
    ['a long safety identifier', { safety_identifier: 'x'.repeat(65) }, VALUE, 'safety_identifier'],
    ['a long cache key', { prompt_cache_key: 'x'.repeat(65) }, VALUE, 'prompt_cache_key'],
    ['a format there is not', { text: { format: { type: 'xml' } } }, VALUE, 'text.format.type'],
    ['a schema without a name', { text: { format: { type: 'json_schema', schema: {} } } }, MISSING, 'text.format.name'],
    ['no schema', { text: { format: { type: 'json_schema', name: 'a' } } }, MISSING, 'text.format.schema'],
    [
      'a name with a blank',
      { text: { format: { type: 'json_schema', name: 'a b', schema: {} } } },
      VALUE,
      'text.format.name',
    ],
    ['a text for the text', { text: 'plain' }, TYPE, 'text'],
    ['a verbosity there is not', { text: { verbosity: 'shouting' } }, VALUE, 'text.verbosity'],
    ['an effort that is a number', { reasoning: { effort: 7 } }, TYPE, 'reasoning.effort'],
    ['a choice there is not', { tool_choice: 'maybe' }, VALUE, 'tool_choice'],
    ['a choice without a kind', { tool_choice: {} }, MISSING, 'tool_choice.type'],
    ['the choice of an absent tool', { tool_choice: { type: 'function', name: 'x' } }, VALUE, 'tool_choice.name'],
    [
      'an absent tool among the allowed',
      { tool_choice: { type: 'allowed_tools', tools: [f('x')] } },
      VALUE,
      'tool_choice.tools[0].name',
    ],
    ['a call that must be made without tools', { tool_choice: { type: 'function' } }, MISSING, 'tool_choice.name'],
    ['a tool that is a text', { tools: ['look'] }, TYPE, 'tools[0]'],
    ['a tool without a kind', { tools: [{ name: 'look' }] }, MISSING, 'tools[0].type'],
    ['a function without a name', { tools: [{ type: 'function' }] }, MISSING, 'tools[0].name'],
    ['a function with a blank', { tools: [f('look it up')] }, VALUE, 'tools[0].name'],
    ['a function twice', { tools: [f('a'), f('a')] }, VALUE, 'tools[1].name'],
    ['parameters that are a text', { tools: [f('a', { parameters: '{}' })] }, TYPE, 'tools[0].parameters'],
    ['a server without a label', { tools: [{ type: 'mcp' }] }, MISSING, 'tools[0].server_label'],
    ['too many tools', { tools: Array.from({ length: 129 }, (_, at) => f(`f${at}`)) }, VALUE, 'tools'],
    ['a user with a NUL', { user: 'a\0b' }, VALUE, 'user'],
  ])('%s is refused', (_name, body, code, path) => {
    expect(refusalOf(body)).toEqual([400, code, path]);
  });
});

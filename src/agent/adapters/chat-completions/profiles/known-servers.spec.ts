import type { JsonObject } from '../../../../common/index.js';
import type { ToolDeclaration } from '../../../tools/index.js';
import type { ModelMessage, ModelOptions, ModelRequest } from '../../../ports/model-client.js';
import { request, user } from '../../testing/collect.js';
import { KNOWN_SERVERS } from '../../testing/known-servers.js';
import { rulesOf, type ServerDouble } from '../../testing/server-doubles.js';
import type { ChatBody } from '../../testing/strict-server.js';
import { originOf } from '../model-address.js';
import { writtenRequest } from '../request/request-body.js';
import { chooseProfile } from './profile-choice.js';
import { ruleSetOf } from './wire-rules.js';

const ORIGIN = 'https://server.example';
const lookup: ToolDeclaration = {
  name: 'lookup',
  description: 'Finds things',
  parameters: { type: 'object', properties: { id: { type: 'string' } } },
};
const schema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { n: { type: 'array', items: { type: 'string', pattern: '^a' }, minItems: 1 } },
};
const sampling: ModelOptions = {
  maxTokens: 64,
  temperature: 0.2,
  topP: 0.5,
  frequencyPenalty: 0.1,
  presencePenalty: 0.1,
  stop: ['END'],
  seed: 7,
  parallelToolCalls: true,
};

/** What the servers of the table give with an answer, each in its own form. */
function stateOf({ host = '', model }: ServerDouble, ids: readonly string[]): JsonObject {
  const text = 'Hm.';
  const origin = originOf(new URL(ORIGIN), model);
  const details = { details: [{ type: 'reasoning.text', text, index: 0 }] };
  const parts = {
    reasoning: { field: 'content-parts', text, parts: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] },
  };
  const extra = { google: { thought_signature: 'EjQK' } };
  const calls = {
    calls: Object.fromEntries(ids.slice(0, 1).map((id) => [id, { place: 0, extra: { extra_content: extra } }])),
  };
  const named = (field: string): JsonObject => ({ reasoning: { field, text } });
  const given = /openrouter|minimax/.test(host)
    ? details
    : /mistral\.ai/.test(host)
      ? parts
      : /googleapis/.test(host)
        ? calls
        : named(/groq|cerebras|llamacpp/.test(host) ? 'reasoning' : 'reasoning_content');
  return { 'chat-completions': { origin, ...given } };
}

/** Three turns: two calls at once, a call after some words, and a turn that waits for the answer. */
function conversation(double: ServerDouble, last: string): ModelMessage[] {
  const calls = (...ids: string[]): ModelMessage & { role: 'assistant' } => ({
    role: 'assistant',
    content: ids.length > 1 ? '' : 'Let me see.',
    toolCalls: ids.map((id) => ({ id, name: 'lookup', arguments: '{"id":"a"}' })),
    replay: stateOf(double, ids),
  });
  const result = (callId: string, content: string): ModelMessage => ({ role: 'tool', callId, name: 'lookup', content });
  return [
    { role: 'system', content: 'Be brief.' },
    user('one'),
    calls('call_with_an_id_that_is_longer_than_forty_characters', 'call_2'),
    result('call_with_an_id_that_is_longer_than_forty_characters', 'a'),
    result('call_2', ' '),
    { role: 'assistant', content: 'First.', toolCalls: [] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'two' },
        { type: 'text', text: 'and more' },
      ],
    },
    calls('call_3'),
    result('call_3', 'b'),
    user(last),
  ];
}

/** Requests of all kinds. */
function requestsFor(double: ServerDouble): Readonly<Record<string, ModelRequest>> {
  const messages = conversation(double, 'three');
  const tools = [lookup];
  const withImage: ModelMessage[] = [
    ...messages.slice(0, -1),
    {
      role: 'user',
      content: [
        { type: 'text', text: 'see' },
        { type: 'image', url: 'https://a.example/b.png' },
      ],
    },
  ];
  return {
    'the first turn': request([{ role: 'system', content: 'Be brief.' }, user('one')], tools, sampling),
    'a conversation with tools': request(messages, tools, sampling),
    'the results of a step': request(messages.slice(0, 5), tools, sampling),
    'a named tool': request(messages, tools, { toolChoice: { name: 'lookup' } }),
    'a required call': request(messages, tools, { toolChoice: 'required', reasoningEffort: 'high' }),
    'no call': request(messages, tools, { toolChoice: 'none' }),
    'calls without tools': request(messages, [], {}),
    'a JSON schema': request(messages, [], {
      responseFormat: { type: 'json_schema', name: 'x', schema, strict: true },
    }),
    'a JSON object': request(messages, [], { responseFormat: { type: 'json_object' }, reasoningEffort: 'low' }),
    'no thinking': request(messages, [], { ...sampling, reasoningEffort: 'none' }),
    images: request(withImage, tools, {}),
  };
}

describe.each(Object.entries(KNOWN_SERVERS))('requests to %s', (_, double) => {
  const { host = '127.0.0.1', model, ownedBy } = double;
  const { rules } = chooseProfile({ hostname: host, model, ownedBy });

  it.each(Object.entries(requestsFor(double)))('%s is taken without a repair', (__, asked) => {
    const form = { model, origin: originOf(new URL(ORIGIN), model), rules: ruleSetOf(rules, {}) };
    const body = JSON.parse(writtenRequest(asked, form).body) as ChatBody;
    expect(rulesOf(double)(body, '')).toBeUndefined();
  });
});

import type { Json, JsonObject } from '../../../../common/index.js';
import type { ModelMessage } from '../../../ports/model-client.js';
import { request, user } from '../../testing/collect.js';
import { GENERIC_RULES, overridden, type RuleChange, ruleSetOf } from '../profiles/wire-rules.js';
import { writtenRequest, type WrittenRequest } from './request-body.js';

const ORIGIN = 'server.example';
const EXTRA = { extra_content: { google: { thought_signature: 'EjQK' } } };

function written(
  messages: readonly ModelMessage[],
  change: RuleChange = {},
  options = {},
  tools: string[] = [],
): WrittenRequest {
  const rules = ruleSetOf(overridden(GENERIC_RULES, change), {});
  const declared = tools.map((name) => ({ name, description: '', parameters: { type: 'object', properties: {} } }));
  return writtenRequest(request(messages, declared, options), { model: 'demo', origin: ORIGIN, rules });
}
const bodyOf = (...args: Parameters<typeof written>): Record<string, Json> =>
  JSON.parse(written(...args).body) as Record<string, Json>;
const messagesOf = (...args: Parameters<typeof written>): JsonObject[] => bodyOf(...args)['messages'] as JsonObject[];
const answer = (state: JsonObject, content = 'Let me see.', id = 'c1'): ModelMessage => ({
  role: 'assistant',
  content,
  toolCalls: [{ id, name: 'w', arguments: '{}' }],
  replay: { 'chat-completions': { origin: ORIGIN, ...state } },
});
const reasoning = (field: string, parts?: Json[]): JsonObject => ({
  reasoning: { field, text: 'Hm.', ...(parts && { parts }) },
});
const result: ModelMessage = { role: 'tool', callId: 'c1', name: 'w', content: 'x' };
const turn = (state: JsonObject): ModelMessage[] => [user('a'), answer(state), result];

describe('what a server wants back with an answer (contract model-servers, section 2.1)', () => {
  it.each<[string, JsonObject, RuleChange, JsonObject]>([
    ['reasoning_content, as it came', reasoning('reasoning_content'), {}, { reasoning_content: 'Hm.' }],
    ['reasoning, as it came', reasoning('reasoning'), {}, { reasoning: 'Hm.' }],
    ['reasoning_text, as it came', reasoning('reasoning_text'), {}, { reasoning_text: 'Hm.' }],
    ['a fixed member', reasoning('reasoning_content'), { thoughts: 'reasoning' }, { reasoning: 'Hm.' }],
    ['nothing', reasoning('reasoning_content'), { thoughts: 'never' }, {}],
    [
      'details instead of their text',
      { ...reasoning('reasoning'), details: [{ type: 'x' }] },
      {},
      { reasoning_details: [{ type: 'x' }] },
    ],
    ['thinking blocks', { thinkingBlocks: [{ signature: 's' }] }, {}, { thinking_blocks: [{ signature: 's' }] }],
    ['no details', { details: [{ type: 'x' }] }, { details: false }, {}],
    [
      'parts',
      reasoning('content-parts', [{ type: 'thinking' }]),
      {},
      { content: [{ type: 'thinking' }, { type: 'text', text: 'Let me see.' }] },
    ],
    ['no parts', reasoning('content-parts', [{ type: 'thinking' }]), { thoughtParts: false }, {}],
    ['tags are left out', reasoning('tags', ['<think>Hm.</think>\n']), {}, {}],
    [
      'tags, as they came',
      reasoning('tags', ['<think>Hm.</think>\n']),
      { thoughtTags: true },
      { content: '<think>Hm.</think>\nLet me see.' },
    ],
    ['tags of a text', reasoning('tags'), { thoughtTags: true }, { content: '<think>\nHm.\n</think>\n\nLet me see.' }],
    ['no thoughts beside text and calls', reasoning('reasoning'), { thoughtsWithText: false }, {}],
    ['members of the message', { extra: { google: 1 } }, {}, { extra_content: { google: 1 } }],
  ])('%s', (_, state, change, expected) => {
    const call = { id: 'c1', type: 'function', function: { name: 'w', arguments: '{}' } };
    expect(messagesOf(turn(state), change)[1]).toEqual({
      role: 'assistant',
      content: 'Let me see.',
      tool_calls: [call],
      ...expected,
    });
  });

  it('members of a call go back with it, also if its id was changed', () => {
    for (const key of ['c1', 'earlier']) {
      const messages = messagesOf(turn({ calls: { [key]: { place: 0, extra: EXTRA } } }));
      expect(messages[1]?.['tool_calls']).toEqual([expect.objectContaining({ id: 'c1', ...EXTRA })]);
    }
    expect(
      JSON.stringify(messagesOf(turn({ calls: { c1: { place: 0, extra: EXTRA } } }), { callExtras: false })),
    ).not.toContain('EjQK');
  });

  it('state of another server is left out', () => {
    const state = { ...reasoning('reasoning_content'), details: [{ type: 'x' }], origin: 'other.example' };
    expect(Object.keys(messagesOf(turn(state))[1] ?? {})).toEqual(['role', 'content', 'tool_calls']);
  });

  it('answers without calls have it too, those of earlier turns only where they are wanted', () => {
    const messages = [
      ...turn(reasoning('reasoning')),
      { ...answer(reasoning('reasoning')), toolCalls: [] },
      user('b'),
      answer(reasoning('reasoning'), '', 'c2'),
    ];
    const which = (change: RuleChange): boolean[] =>
      messagesOf(messages, change).flatMap(({ role, reasoning: text }) =>
        role === 'assistant' ? [text === 'Hm.'] : [],
      );
    expect(which({})).toEqual([true, true, true]);
    expect(which({ thoughtsOf: 'turn' })).toEqual([false, false, true]);
  });

  it('images of results do not end the turn', () => {
    const images: ModelMessage = {
      role: 'user',
      content: [{ type: 'image', url: 'data:image/png;base64,AA' }],
      isOfResults: true,
    };
    const conversation = [...turn(reasoning('reasoning_content')), images];
    const [, sent] = messagesOf(conversation, { thoughtsOf: 'turn' });
    expect(sent?.['reasoning_content']).toBe('Hm.');
    const next = [...conversation, { role: 'assistant', content: 'Red.', toolCalls: [] } as const, user('b')];
    expect(JSON.stringify(messagesOf(next, { thoughtsOf: 'turn' }))).not.toContain('reasoning_content');
  });

  it('thoughts that are needed within a turn are not added to earlier ones', () => {
    const change: RuleChange = { thoughtsOf: 'turn', thoughtsNeeded: true };
    const [, first, , , , second] = messagesOf(
      [
        ...turn(reasoning('reasoning_content')),
        { role: 'assistant', content: 'x', toolCalls: [] },
        user('b'),
        answer({}, '', 'c2'),
        { ...result, callId: 'c2' },
      ],
      change,
    );
    expect([first?.['reasoning_content'], second?.['reasoning_content']]).toEqual([undefined, '']);
  });

  it('needed thoughts are empty where none are known, in turns with calls', () => {
    const plain = (content: string, id?: string): ModelMessage => ({
      role: 'assistant',
      content,
      toolCalls: id === undefined ? [] : [{ id, name: 'w', arguments: '{}' }],
    });
    const messages = [user('a'), plain('x'), user('b'), plain('', 'c1'), result, plain('y')];
    const thoughts = messagesOf(messages, { thoughtsNeeded: true }).map(({ reasoning_content: text }) => text);
    expect(thoughts).toEqual([undefined, undefined, undefined, '', undefined, '']);
  });
});

describe('the order of messages', () => {
  const roles = (messages: readonly ModelMessage[], change: RuleChange): string =>
    messagesOf(messages, change)
      .map(({ role }) => (role as string)[0])
      .join('');
  const says = (content: string): ModelMessage => ({ role: 'assistant', content, toolCalls: [] });
  const system: ModelMessage = { role: 'system', content: 's' };

  it.each<[string, ModelMessage[], RuleChange, string]>([
    ['every order', [says('a'), system, user('b'), user('c')], {}, 'asuu'],
    ['one system message', [system, system, user('b')], { system: 'first' }, 'su'],
    ['no system message', [system, user('b'), says('a')], { system: 'user' }, 'ua'],
    ['turns', [system, says('a'), user('b'), user('c'), says('d'), says('e')], { alternate: true }, 'suaua'],
    ['turns around calls', [user('a'), answer({}), result, user('b')], { alternate: true }, 'uatau'],
    [
      'an answer that goes on with calls',
      [user('a'), says('b'), answer({}), result, says('c')],
      { alternate: true },
      'uata',
    ],
    ['calls at the beginning', [answer({}), result, user('b')], { alternate: true }, 'uatau'],
    ['a bridge', [user('a'), answer({}), result, user('b')], { bridge: true }, 'uatau'],
    ['the user at the end', [user('a'), says('b')], { endsWithUser: true }, 'uau'],
    ['no tools', [user('a'), answer({}), result, user('b')], { tools: false, alternate: true }, 'uau'],
  ])('%s', (_, messages, change, expected) => {
    expect(roles(messages, change)).toBe(expected);
  });
});

describe('what is sent and what is not', () => {
  it('nothing that was not asked for', () => {
    expect(bodyOf([user('a')])).toEqual({
      model: 'demo',
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'a' }],
      stream: true,
    });
    const auto = bodyOf([user('a')], {}, { toolChoice: 'auto', stop: [] }, ['w']);
    expect(Object.keys(auto).sort()).toEqual(['messages', 'model', 'stream', 'stream_options', 'tools']);
  });

  it('a choice that cannot be forced is left to the model, with a note', () => {
    const { body, notes } = written([user('a')], { toolChoices: ['none'] }, { toolChoice: { name: 'w' } }, ['w']);
    expect(body).not.toContain('tool_choice');
    expect(notes).toEqual(['The tool choice {"name":"w"} is left to the model: the server cannot force it.']);
    expect(bodyOf([user('a')], { toolChoices: [] }, { toolChoice: 'none' }, ['w'])).not.toHaveProperty('tools');
    expect(bodyOf([user('a')], { requiredWord: 'any' }, { toolChoice: 'required' }, ['w'])['tool_choice']).toBe('any');
  });

  it('at most as many tools as the server takes, with a note', () => {
    const names = Array.from({ length: 130 }, (_, at) => `t${at}`);
    const { body, notes } = written([user('a')], {}, {}, names);
    expect((JSON.parse(body) as { tools: unknown[] }).tools).toHaveLength(128);
    expect(notes).toEqual(['Only 128 tools are sent; these are left out: t128, t129.']);
  });

  it('tools and thinking that exclude each other: no thinking, with a note', () => {
    const change: RuleChange = { toolsEffort: 'none', omit: ['temperature'], withoutThinking: { omit: [] } };
    const { body, notes } = written([user('a')], change, { reasoningEffort: 'high', temperature: 1 }, ['w']);
    expect(JSON.parse(body)).toMatchObject({ reasoning_effort: 'none', temperature: 1 });
    expect(notes).toEqual([expect.stringContaining('The reasoning effort is none instead of high')]);
    const plain = bodyOf([user('a')], change, { reasoningEffort: 'high', temperature: 1 });
    expect(plain).toMatchObject({ reasoning_effort: 'high' });
    expect(plain).not.toHaveProperty('temperature');
  });
});

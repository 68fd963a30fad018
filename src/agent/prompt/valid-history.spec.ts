import fc from 'fast-check';
import { isObjectText } from '../../common/index.js';
import type { ModelMessage, ModelPart, ModelToolCall } from '../ports/model-client.js';
import { NO_RESULT } from './prompt.js';
import { validHistory } from './valid-history.js';

const system = (content: string): ModelMessage => ({ role: 'system', content });
const user = (...texts: string[]): ModelMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
});
const says = (content: string, ...toolCalls: ModelToolCall[]): ModelMessage => ({
  role: 'assistant',
  content,
  toolCalls,
});
const calls = (id: string, text = '{}', name = 'look'): ModelToolCall => ({ id, name, arguments: text });
const result = (callId: string, content = 'ok'): ModelMessage => ({ role: 'tool', callId, name: 'look', content });
const image = (url: string) => ({ type: 'image', url }) as const;
const roles = (messages: readonly ModelMessage[]): string => messages.map(({ role }) => role[0]).join('');

describe('validHistory', () => {
  it('valid messages are returned as they are', () => {
    const messages = [
      system('s'),
      user('u'),
      says('', calls('a'), calls('b')),
      result('a'),
      result('b'),
      says('t'),
      user('v'),
    ];
    const valid = validHistory(messages);
    expect(valid).toEqual(messages);
    valid.forEach((message, index) => expect(message).toBe(messages[index]));
  });

  it('system texts of the beginning are one message, later ones marked texts of the user', () => {
    const messages = [system('a'), system('b'), user('u'), says('t'), system('c'), user('v')];
    expect(validHistory(messages)).toEqual([
      system('a\n\nb'),
      user('u'),
      says('t'),
      user('Instruction of the application:\nc', 'v'),
    ]);
    expect(roles(validHistory(messages, { systemAnywhere: true }))).toBe('suasu');
  });

  it('neighbors of one role are joined, and what a provider wants back is the last answer’s', () => {
    const replay = { x: 1 };
    const messages = [user('a'), user('b'), says('c'), { ...says('d', calls('1')), replay }, result('1'), says('e')];
    expect(validHistory([...messages, user('f')])).toEqual([
      user('a', 'b'),
      { ...says('c\nd', calls('1')), replay },
      result('1'),
      says('e'),
      user('f'),
    ]);
  });

  it('the first message is the user’s, and an answer is not the last one', () => {
    expect(roles(validHistory([system('s'), says('t')]))).toBe('suau');
    expect(roles(validHistory([says('', calls('a')), result('a')]))).toBe('uat');
    expect(validHistory([system('s')])).toEqual([system('s'), user('Continue.')]);
    expect(validHistory([])).toEqual([user('Continue.')]);
  });

  it('answers without text and calls are left out, and blank texts too', () => {
    expect(validHistory([user('a'), says(' \n'), user('b'), says(' ', calls('1')), result('1')])).toEqual([
      user('a', 'b'),
      says('', calls('1')),
      result('1'),
    ]);
    expect(validHistory([user(' ')])).toEqual([user('[empty message]')]);
  });

  it('each call has one result, directly after its answer and in order', () => {
    const messages = [
      user('u'),
      says('t', calls('a'), calls('b'), calls('c')),
      result('c', '3'),
      user('v'),
      result('a', '1'),
      result('a', 'again'),
      result('stranger'),
    ];
    expect(validHistory(messages)).toEqual([
      user('u'),
      says('t', calls('a'), calls('b'), calls('c')),
      result('a', '1'),
      result('b', NO_RESULT),
      result('c', '3'),
      says('Noted.'),
      user('v'),
    ]);
  });

  it('ids that occur twice are renamed on both sides', () => {
    const messages = [
      user('u'),
      says('', calls('a')),
      result('a', '1'),
      says('', calls('a'), calls('a')),
      result('a', '2'),
    ];
    expect(validHistory([...messages, result('a', '3'), says('', calls('a_2')), result('a_2', '4')])).toEqual([
      user('u'),
      says('', calls('a')),
      result('a', '1'),
      says('', calls('a_3'), calls('a_4')),
      result('a_3', '2'),
      result('a_4', '3'),
      says('', calls('a_2')),
      result('a_2', '4'),
    ]);
  });

  it('halves of characters are replaced, and arguments that cannot be read are wrapped', () => {
    const messages = [
      user('a\ud800'),
      says('b\udc00', calls('1', '{"a":"\ud800"}'), calls('2', '{"a'), calls('3', '')),
    ];
    expect(validHistory([...messages, result('1', '\ud800')]).slice(0, 3)).toEqual([
      user('a\ufffd'),
      says('b\ufffd', calls('1', '{"a":"\ufffd"}'), calls('2', '{"invalid_json":"{\\"a"}'), calls('3', '{}')),
      result('1', '\ufffd'),
    ]);
  });

  it('the images of results are in one message of the user after all results of the answer', () => {
    const a = { ...result('a', 'Two:'), images: [image('1'), image('2')] } as ModelMessage;
    const b = { ...result('b', ''), images: [image('3')] } as ModelMessage;
    expect(validHistory([user('u'), says('', calls('a'), calls('b')), a, b, user('v')])).toEqual([
      user('u'),
      says('', calls('a'), calls('b')),
      result('a', 'Two:\n[image 1 of 3]\n[image 2 of 3]'),
      result('b', '[image 3 of 3]'),
      {
        role: 'user',
        content: [
          { type: 'text', text: '[The images of the tool results, in order:]' },
          image('1'),
          image('2'),
          image('3'),
          { type: 'text', text: 'v' },
        ],
      },
    ]);
  });

  it('a sentence stands for each image where the model takes none', () => {
    const seen: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'See' }, image('1')] };
    expect(validHistory([seen], { hasEyes: false })).toEqual([user('See', '[An image that this model cannot see.]')]);
  });

  it('a bridge leads from results to the user’s next message, and where it must be to images', () => {
    const seen = { ...result('a', ''), images: [image('1')] } as ModelMessage;
    const history = [user('u'), says('', calls('a')), seen];
    expect(roles(validHistory(history))).toBe('uatu');
    expect(validHistory(history).at(-1)).toMatchObject({ isOfResults: true });
    expect(roles(validHistory(history, { imagesAfterResults: false }))).toBe('uatau');
    expect(roles(validHistory([user('u'), says('', calls('a')), result('a'), user('v')]))).toBe('uatau');
  });

  it('is valid for any history', () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 24 }), (messages) => expectValid(validHistory(messages))),
      {
        numRuns: 2000,
      },
    );
  });

  it('changes nothing that is valid', () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 24 }), (messages) => {
        const valid = validHistory(messages);
        expect(validHistory(valid)).toEqual(valid);
      }),
    );
  });
});

const anyText = fc.oneof(
  fc.constantFrom('', ' ', '\n', 'text', '\ud800', 'x\udc00y', '{"a":1}', '{"a', 'null', '[]'),
  fc.string({ unit: 'binary' }),
);
const anyId = fc.oneof(fc.constantFrom('a', 'b', 'a_2', ''), fc.string({ maxLength: 50 }));
const anyPart: fc.Arbitrary<ModelPart> = fc.oneof(
  anyText.map((text): ModelPart => ({ type: 'text', text })),
  fc.constant(image('data:image/png;base64,AAAA')),
);
const anyMessage: fc.Arbitrary<ModelMessage> = fc.oneof(
  anyText.map(system),
  fc.array(anyPart, { maxLength: 3 }).map((content): ModelMessage => ({ role: 'user', content })),
  fc
    .tuple(anyText, fc.array(fc.tuple(anyId, anyText, anyText), { maxLength: 3 }))
    .map(([content, made]) => says(content, ...made.map(([id, text, name]) => calls(id, text, name)))),
  fc
    .tuple(anyId, anyText, fc.array(fc.constant(image('x')), { maxLength: 2 }))
    .map(([callId, content, images]): ModelMessage => ({ role: 'tool', callId, name: 'n', content, images })),
);

/** What the strictest server checks. */
function expectValid(messages: readonly ModelMessage[]): void {
  const [first, ...others] = messages;
  let afterResult = false;
  const spoken = first?.role === 'system' ? others : messages;
  const ids = new Set<string>();
  const open: string[] = [];
  let turn = 'assistant';
  expect(JSON.stringify(messages)).not.toMatch(/\\ud[89a-f]/i);
  for (const message of spoken) {
    if (message.role === 'tool') {
      expect(message.callId).toBe(open.shift());
      expect(message.images).toBeUndefined();
      afterResult = true;
      continue;
    }
    expect(open).toEqual([]);
    if (message.role === 'assistant') {
      expect(message.content.trim() !== '' || message.toolCalls.length > 0).toBe(true);
      for (const { id, arguments: text } of message.toolCalls) {
        expect(id !== '' && !ids.has(id) && isObjectText(text)).toBe(true);
        ids.add(id);
        open.push(id);
      }
      // Calls and results are looked through.
      if (message.toolCalls.length > 0) continue;
    }
    if (message.role === 'user') {
      expect(message.content.length).toBeGreaterThan(0);
      expect(message.content.every((part) => part.type !== 'text' || part.text.trim() !== '')).toBe(true);
    }
    const hasImages = message.role === 'user' && message.content.some(({ type }) => type === 'image');
    if (!(afterResult && hasImages)) expect(message.role).toBe(turn === 'user' ? 'assistant' : 'user');
    afterResult = false;
    turn = message.role;
  }
  expect(open).toEqual([]);
  expect(spoken[0]?.role).toBe('user');
  expect(['user', 'tool']).toContain(spoken.at(-1)?.role);
}

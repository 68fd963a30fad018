import fc from 'fast-check';
import type { Content, Message } from '../../events/index.js';
import { dataMessage, testMessage, textContent, userMessage } from '../testing/test-run.js';
import { NO_RESULT, toModelMessages, toPrompt } from './prompt.js';

const slot = { object: 'content', status: 'completed', index: 0, delta: false, msg_id: null } as const;
const says = (words: string, fields: Partial<Message> = {}): Message =>
  testMessage({ content: [textContent(words)], ...fields });
const makes = (id: string, name = 'look', type: Message['type'] = 'plugin_call'): Message =>
  dataMessage(type, { call_id: id, name, arguments: '{"a":1}' });
const gives = (id: string, output = 'result', type: Message['type'] = 'plugin_call_output'): Message =>
  dataMessage(type, { call_id: id, output }, 'tool');

describe('toModelMessages', () => {
  it('the system prompt comes first, and an empty one is left out', () => {
    expect(toModelMessages('Be brief.', [userMessage('Hi')])).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    ]);
    expect(toModelMessages('', [])).toEqual([]);
  });

  it('every part that a user can send is converted', () => {
    const content: Content[] = [
      textContent('See'),
      { ...slot, type: 'image', image_url: 'https://x/y.png' },
      { ...slot, type: 'audio', data: 'AAAA', format: 'mp3' },
      { ...slot, type: 'file', file_url: null, file_id: null, filename: 'a.pdf', file_data: 'BBBB' },
      { ...slot, type: 'file', file_url: null, file_id: 'f1', filename: 'b.pdf', file_data: null },
      { ...slot, type: 'data', data: { a: 1 } },
      { ...slot, type: 'video', video_url: 'https://x/y.mp4' },
    ];
    const [message] = toModelMessages('', [testMessage({ role: 'user', content })]);
    expect(message?.content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'image', url: 'https://x/y.png' },
      { type: 'audio', data: 'AAAA', format: 'mp3' },
      { type: 'file', url: null, data: 'BBBB', filename: 'a.pdf' },
      { type: 'text', text: '[The user attached the file b.pdf; its content is not available.]' },
      { type: 'text', text: '{"a":1}' },
      { type: 'text', text: '[The user attached the video https://x/y.mp4]' },
    ]);
  });

  it('text and calls of one answer are joined, and each output follows its calls', () => {
    const messages = [
      says('Looking.'),
      makes('c0'),
      makes('c1', 'browse', 'function_call'),
      gives('c0', 'A'),
      gives('c1', 'B', 'function_call_output'),
      says('Found.'),
    ];
    expect(toModelMessages('', messages)).toEqual([
      {
        role: 'assistant',
        content: 'Looking.',
        toolCalls: [
          { id: 'c0', name: 'look', arguments: '{"a":1}' },
          { id: 'c1', name: 'browse', arguments: '{"a":1}' },
        ],
      },
      { role: 'tool', callId: 'c0', name: 'look', content: 'A' },
      { role: 'tool', callId: 'c1', name: 'browse', content: 'B' },
      { role: 'assistant', content: 'Found.', toolCalls: [] },
    ]);
  });

  it('an open call is answered and an output without a call dropped', () => {
    const messages = [userMessage('Hi'), makes('c0'), userMessage('Never mind'), gives('stranger')];
    expect(toModelMessages('', messages).slice(1)).toEqual([
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', callId: 'c0', name: 'look', content: NO_RESULT },
      expect.objectContaining({ role: 'user' }),
    ]);
  });

  it.each([
    ['failed', 'No result: the run failed before the call was finished.'],
    ['canceled', 'No result: the run was stopped before the call was finished.'],
    ['incomplete', 'No result: a limit ended the answer, so the call was not made.'],
    ['interrupted', NO_RESULT],
  ])('an open call of a run that is %s: %s', (status, content) => {
    const call = makes('c0');
    const { messages } = toPrompt('', [call, userMessage('Well?')], new Map(), new Map([[call.id, status]]));
    expect(messages[1]).toEqual({ role: 'tool', callId: 'c0', name: 'look', content });
  });

  it('an image of an answer is told, and shown after it', () => {
    const drawn = testMessage({ content: [{ ...slot, type: 'image', image_url: 'https://a.example/b.png' }] });
    expect(toModelMessages('', [userMessage('Draw'), drawn, userMessage('Blue')]).slice(1)).toEqual([
      { role: 'assistant', content: '[image 1 of 1]', toolCalls: [] },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[The image of your answer:]' },
          { type: 'image', url: 'https://a.example/b.png' },
        ],
        isOfResults: true,
      },
      expect.objectContaining({ role: 'user' }),
    ]);
  });

  it('a repeated id belongs to the newest call, and only the first output counts', () => {
    const messages = [makes('c0'), gives('c0', 'first'), gives('c0', 'forged'), makes('c0'), gives('c0', 'second')];
    const outputs = toModelMessages('', messages).flatMap((message) =>
      message.role === 'tool' ? [message.content] : [],
    );
    expect(outputs).toEqual(['first', 'second']);
  });

  it('reasoning, incomplete messages without text and incomplete calls are left out', () => {
    const messages = [
      says('thoughts', { type: 'reasoning' }),
      testMessage({ status: 'failed' }),
      { ...makes('c0'), status: 'incomplete' as const },
      says('partial', { status: 'incomplete' }),
    ];
    expect(toModelMessages('', messages)).toEqual([{ role: 'assistant', content: 'partial', toolCalls: [] }]);
  });

  it('arguments and outputs may be objects', () => {
    const messages = [
      dataMessage('function_call', { call_id: 'c0', name: 'x', arguments: { a: 1 } }),
      dataMessage('function_call_output', { call_id: 'c0', output: { ok: true } }, 'user'),
    ];
    expect(toModelMessages('', messages)).toEqual([
      { role: 'assistant', content: '', toolCalls: [{ id: 'c0', name: 'x', arguments: '{"a":1}' }] },
      { role: 'tool', callId: 'c0', name: 'x', content: '{"ok":true}' },
    ]);
  });

  it('no prompt holds an open call or an output without a call', () => {
    const ids = fc.constantFrom('a', 'b', 'c');
    const message = fc.oneof(
      fc.constant(userMessage('u')),
      fc.constant(says('s')),
      ids.map((id) => makes(id)),
      ids.map((id) => gives(id)),
      ids.map((id) => ({ ...makes(id), status: 'canceled' as const })),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 20 }), (messages) => {
        const open: string[] = [];
        for (const model of toModelMessages('', messages)) {
          if (model.role === 'tool') expect(open.shift()).toBe(model.callId);
          else expect(open).toEqual([]);
          if (model.role === 'assistant') open.push(...model.toolCalls.map(({ id }) => id));
        }
        expect(open).toEqual([]);
      }),
    );
  });
});

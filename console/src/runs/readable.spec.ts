import { readable } from './readable.js';

describe('what a message says', () => {
  it('a message of a user is its texts and what else it has', () => {
    const content = [{ type: 'text', text: 'Hello' }, { type: 'image', image_url: 'data:x' }, { type: 'audio' }];
    expect(readable({ role: 'user', content })).toEqual({ role: 'user', parts: ['Hello', '(an image)', '(audio)'] });
  });

  it('an answer is its text and its calls', () => {
    const toolCalls = [{ id: 'c1', name: 'pay', arguments: '{"amount":5}' }];
    expect(readable({ text: 'I pay.', toolCalls })).toEqual({
      role: 'assistant',
      parts: ['I pay.', 'Calls pay', { label: 'Arguments of pay', value: '{"amount":5}' }],
    });
  });

  it('a result is text, or the value that its JSON says', () => {
    expect(readable({ name: 'look', output: 'seen' })).toEqual({ role: 'result of look', parts: ['seen'] });
    expect(readable({ name: 'look', output: '{"a":1}' }).parts).toEqual([
      { label: 'Result of look', value: '{"a":1}' },
    ]);
  });
});

import { type Message, textMessage } from '../../events/index.js';
import { firstWords } from './first-words.js';

const said = (role: 'user' | 'assistant', text: string): Message => textMessage({ id: 'm', role, text });

describe('the first words of an input', () => {
  it('are those of the newest text of the user, as one line', () => {
    const input = [said('user', 'Older'), said('user', '  Hello\n\tworld ')];
    expect(firstWords(input)).toBe('Hello world');
    expect(firstWords([said('assistant', 'Hello')])).toBeNull();
    expect(firstWords([])).toBeNull();
  });

  it('have at most 200 characters, none of which is half of one', () => {
    const words = firstWords([said('user', `${'x'.repeat(199)}😀 and more`)]);
    expect(words).toBe('x'.repeat(199));
  });

  it('can be stored: without control characters and lone surrogates', () => {
    expect(firstWords([said('user', 'a\0b\ud800c')])).toBe('a bc');
  });
});

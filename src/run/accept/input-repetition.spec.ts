import { AppError } from '../../common/index.js';
import { dataMessage, type Message, textMessage } from '../../events/index.js';
import { checkToolResults, withoutRepetition } from './input-repetition.js';

const user = (text: string, id: string): Message => textMessage({ id, role: 'user', text });
const call = (callId: string, id: string): Message =>
  dataMessage({
    id,
    role: 'assistant',
    type: 'function_call',
    data: { call_id: callId, name: 'look', arguments: '{}' },
  });
const output = (callId: string, text: string, id: string): Message =>
  dataMessage({ id, role: 'tool', type: 'function_call_output', data: { call_id: callId, output: text } });

const KNOWN = [
  user('Look', 'u1'),
  call('c1', 'a1'),
  output('c1', 'seen', 'o1'),
  textMessage({ id: 'a2', text: 'Done', role: 'assistant' }),
];
const byId = new Map(KNOWN.map((message) => [message.id, message]));
const accepted = (...input: Message[]): string[] => {
  const fresh = withoutRepetition(input, byId, KNOWN);
  checkToolResults(fresh, KNOWN);
  return fresh.map(({ id }) => id);
};
const refused = (...input: Message[]): unknown => {
  try {
    return accepted(...input);
  } catch (error) {
    return error instanceof AppError ? error.code : error;
  }
};

describe('input that repeats the session', () => {
  it('input is left out up to the last message that the session has', () => {
    expect(accepted(...KNOWN, user('More', 'u2'))).toEqual(['u2']);
    expect(accepted(user('Look', 'x'), ...KNOWN.slice(1), user('More', 'u2'))).toEqual(['u2']);
    expect(accepted(user('Look', 'u1'))).toEqual(['u1']);
  });

  it('an output without an id is recognized by its call', () => {
    expect(accepted(user('Look', 'n1'), call('c1', 'n2'), output('c1', 'seen', 'n3'), user('More', 'n4'))).toEqual([
      'n4',
    ]);
  });

  it('another output or a second answer is not taken for it', () => {
    expect(refused(user('Look', 'n1'), output('c1', 'else', 'n3'), user('More', 'n4'))).toBe('INVALID_PARAMETER');
    expect(refused(output('c1', 'seen', 'n3'))).toBe('INVALID_PARAMETER');
    expect(refused(user('Look', 'n1'), output('c1', 'seen', 'n3'))).toBe('INVALID_PARAMETER');
    expect(refused(output('c2', 'seen', 'n3'), user('More', 'n4'))).toBe('INVALID_PARAMETER');
  });

  it('an answer to an open call is accepted', () => {
    expect(accepted(call('c3', 'n1'), output('c3', 'seen', 'n2'))).toEqual(['n1', 'n2']);
  });
});

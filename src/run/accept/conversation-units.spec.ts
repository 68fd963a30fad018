import { dataMessage, type Message, type RunStatus, textMessage } from '../../events/index.js';
import { alignmentOf, unitsOf } from './conversation-units.js';

let ids = 0;
const message = (role: 'user' | 'assistant', text: string, status: RunStatus = 'completed'): Message => ({
  ...textMessage({ id: `m${(ids += 1)}`, role, text }),
  status,
});
const user = (text: string): Message => message('user', text);
const answer = (text: string, status?: RunStatus): Message => message('assistant', text, status);
const call = dataMessage({ id: 'c', role: 'assistant', type: 'plugin_call', data: { call_id: 'c', name: 'f' } });

/** How many of the resent messages are known; those of equal words are told apart by their places. */
function known(resent: readonly Message[], stored: readonly Message[]): number {
  const units = unitsOf(resent);
  const alignment = alignmentOf(units, unitsOf(stored));
  return alignment ? (units[alignment.length - 1]?.indexes.at(-1) ?? -1) + 1 : 0;
}

describe('a conversation that is compared with another', () => {
  it('is known up to its last equal answer', () => {
    const stored = [user('a'), answer('1'), user('b'), answer('2')];
    expect(known([user('a'), answer('1'), user('b'), answer('2'), user('c')], stored)).toBe(4);
    expect(known([user('a'), answer('1'), user('x')], stored)).toBe(2);
    expect(known([user('b'), answer('2'), user('c')], stored)).toBe(2);
    expect(known([user('a'), answer('other'), user('c')], stored)).toBe(0);
  });

  it('is not known by questions alone', () => {
    expect(known([user('yes'), user('yes')], [user('yes'), answer('ok')])).toBe(0);
    expect(known([user('yes')], [user('yes'), answer('ok')])).toBe(0);
    expect(known([user('yes'), answer('ok'), user('yes')], [user('yes'), answer('ok')])).toBe(2);
  });

  it('may divide answers in another way and leave tools out', () => {
    const stored = [user('a'), answer('Let me look.'), call, answer('It is 21 °C.')];
    expect(known([user('a'), answer('Let me look.\nIt is 21 °C.'), user('b')], stored)).toBe(2);
    expect(known([user('a'), answer('Let me'), answer('look. It is 21 °C.'), user('b')], stored)).toBe(3);
  });

  it('may have less of an answer that was stopped', () => {
    expect(known([user('a'), answer('Once'), user('b')], [user('a'), answer('Once upon', 'canceled')])).toBe(2);
    expect(known([user('a'), answer('Once'), user('b')], [user('a'), answer('Once upon')])).toBe(0);
  });

  it('is compared in time in proportion to its length', () => {
    const turns = (count: number): Message[] => Array.from({ length: count }, () => [user('yes'), answer('ok')]).flat();
    const [resent, stored] = [
      [...turns(5000), user('yes'), answer('end'), user('more')],
      [...turns(4999), answer('other'), ...turns(5000)],
    ];
    const begun = process.cpuUsage();
    expect(known(resent, stored)).toBe(10_000);
    const { user: used } = process.cpuUsage(begun);
    expect(used / 1000).toBeLessThan(2000);
  });
});

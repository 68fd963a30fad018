import { ByteBudget } from '../../../common/index.js';
import type { Message } from '../../../events/index.js';
import { ConversationMemory } from './conversation-memory.js';

const ROOM = { key: 'all', limit: 1000 };

describe('ConversationMemory', () => {
  let budget: ByteBudget;
  let memory: ConversationMemory;

  beforeEach(() => {
    budget = new ByteBudget();
    memory = new ConversationMemory((bytes) => budget.tryTake([ROOM], bytes));
  });

  const conversation = (characters: number): readonly Message[] =>
    [{ content: 'x'.repeat(characters) }] as unknown as readonly Message[];
  const known = (...ids: string[]): boolean[] => ids.map((id) => memory.get(id) !== undefined);

  it('forgets the oldest conversations when there is no room for all', () => {
    for (const id of ['a', 'b', 'c']) memory.set(id, conversation(400));
    expect(known('a', 'b', 'c')).toEqual([false, true, true]);
  });

  it('does not remember a conversation that is too large alone', () => {
    memory.set('a', conversation(2000));
    expect(known('a')).toEqual([false]);
    memory.set('b', conversation(900));
    expect(known('b')).toEqual([true]);
  });

  it('remembers sixteen', () => {
    for (let id = 0; id < 17; id += 1) memory.set(String(id), []);
    expect(known('0', '1', '16')).toEqual([false, true, true]);
  });

  it('keeps no room once it is closed, also for a response that ends later', () => {
    memory.set('a', conversation(900));
    memory.close();
    memory.set('b', conversation(900));
    expect(known('a', 'b')).toEqual([false, false]);
    expect(budget.tryTake([ROOM], ROOM.limit)).toBeDefined();
  });
});

import { isUnavailable } from './database.js';
import { KeyedTurns } from './keyed-turns.js';

describe('turns of writes that lock the same rows', () => {
  it('come one after the other, and at once for another key', async () => {
    const turns = new KeyedTurns();
    const order: number[] = [];
    expect([turns.take('a', 60_000), turns.take('b', 60_000)]).toEqual([undefined, undefined]);
    const waiting = [1, 2].map((index) => turns.take('a', 60_000)?.then(() => order.push(index)));
    turns.release('a');
    await waiting[0];
    expect(order).toEqual([1]);
    turns.release('a');
    await waiting[1];
    turns.release('a');
    expect([order, turns.take('a', 60_000)]).toEqual([[1, 2], undefined]);
  });

  it('are waited for only so long, and the next one is not kept waiting by those that gave up', async () => {
    const turns = new KeyedTurns();
    void turns.take('a', 60_000);
    const error: unknown = await turns.take('a', 5)?.catch((reason: unknown) => reason);
    expect(isUnavailable(error)).toBe(true);
    const next = turns.take('a', 60_000);
    turns.release('a');
    await next;
  });
});

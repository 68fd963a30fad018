import { LogReads } from './log-reads.js';

/** Lets everything that is ready happen, once. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('LogReads', () => {
  it('a few pages are read in each turn of the event loop, in the order of the requests', async () => {
    const order: number[] = [];
    const reads = new LogReads({
      read: (runRowId) => {
        order.push(runRowId);
        return Promise.resolve([]);
      },
      length: () => Promise.resolve(0),
    });
    const all = Array.from({ length: 20 }, (_, runRowId) => reads.read(runRowId, 0, 1));
    for (let before = 0; order.length < 20; await turn()) {
      expect(order.length - before).toBeLessThanOrEqual(6);
      before = order.length;
    }
    await Promise.all(all);
    expect(order).toEqual(Array.from({ length: 20 }, (_, runRowId) => runRowId));
  });

  it('reads that take long are few at once, and one that fails makes room for the next', async () => {
    const failures: ((error: Error) => void)[] = [];
    const reads = new LogReads({
      read: () => new Promise((_, reject) => failures.push(reject)),
      length: () => Promise.resolve(7),
    });
    const all = Array.from({ length: 8 }, () => reads.read(1, 0, 1).catch((error: Error) => error.message));
    await turn();
    expect([failures.length, await reads.length(1)]).toEqual([6, 7]);
    failures[0]?.(new Error('lost'));
    await turn();
    await turn();
    expect(failures).toHaveLength(7);
    for (const fail of failures) fail(new Error('lost'));
    await turn();
    await turn();
    for (const fail of failures) fail(new Error('lost'));
    expect(await Promise.all(all)).toEqual(Array.from({ length: 8 }, () => 'lost'));
  });
});

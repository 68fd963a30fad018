import { ByteBudget, type ByteHold } from './byte-budget.js';

const all = { key: 'all', limit: 100 };
const [a, b] = [
  { key: 'a', limit: 60 },
  { key: 'b', limit: 60 },
];

describe('ByteBudget', () => {
  let budget: ByteBudget;
  let granted: string[];

  beforeEach(() => {
    budget = new ByteBudget();
    granted = [];
  });

  function take(name: string, account: typeof a, bytes: number): ByteHold {
    const hold = budget.take([account, all], bytes);
    if (hold.granted) void hold.granted.then(() => granted.push(name));
    else granted.push(name);
    return hold;
  }

  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('grants bytes at once while every account has room', () => {
    take('first', a, 60);
    take('second', b, 40);
    expect(granted).toEqual(['first', 'second']);
  });

  it('lets an account that is full delay no other', async () => {
    const first = take('first', a, 60);
    take('waits', a, 1);
    take('other', b, 40);
    expect(granted).toEqual(['first', 'other']);
    first.release();
    await settled();
    expect(granted).toEqual(['first', 'other', 'waits']);
  });

  it('grants in the order of one account, also a large one before a small one', async () => {
    const first = take('first', a, 50);
    take('large', a, 60);
    take('small', a, 5);
    first.shrink(10);
    await settled();
    expect(granted).toEqual(['first']);
    first.release();
    await settled();
    expect(granted).toEqual(['first', 'large']);
  });

  it('grants what waits as soon as the part that it still wants has room', async () => {
    take('first', a, 50);
    const large = take('large', a, 60);
    large.shrink(10);
    await settled();
    expect(granted).toEqual(['first', 'large']);
    expect(budget.tryTake([a, all], 1)).toBeUndefined();
  });

  it('counts more than the smallest limit as that limit', () => {
    expect(budget.take([a, all], 1000).granted).toBeUndefined();
    expect(budget.tryTake([a, all], 1)).toBeUndefined();
    expect(budget.tryTake([b, all], 40)).toBeDefined();
  });

  it('forgets who waits no longer, and takes nothing back twice', async () => {
    const first = take('first', a, 60);
    const left = take('left', a, 60);
    take('next', a, 60);
    left.release();
    left.release();
    first.release();
    first.release();
    await settled();
    expect(granted).toEqual(['first', 'next']);
    expect(budget.tryTake([a, all], 1)).toBeUndefined();
  });
});

import { LookupCache } from './lookup-cache.js';

describe('LookupCache', () => {
  let now = 1000;
  let cache: LookupCache<{ readonly n: number }>;
  beforeEach(() => {
    now = 1000;
    cache = new LookupCache({ now: () => now }, { maxAgeMs: 5000, maxEntries: 3 });
  });
  const load = (key: string, n = 0): Promise<{ readonly n: number }> => cache.load(key, () => Promise.resolve({ n }));

  it('a result is remembered until its age is reached', async () => {
    await load('a', 1);
    now += 4999;
    expect(cache.get('a')).toEqual({ n: 1 });
    now += 1;
    expect(cache.get('a')).toBeUndefined();
  });

  it('the age of a result counts from the begin of its lookup', async () => {
    const lookup = cache.load('a', () => {
      now += 4000;
      return Promise.resolve({ n: 1 });
    });
    await lookup;
    now += 1000;
    expect(cache.get('a')).toBeUndefined();
  });

  it('lookups of one key at the same time are made once', async () => {
    let lookups = 0;
    const look = (): Promise<{ n: number }> => Promise.resolve({ n: (lookups += 1) });
    const found = await Promise.all([cache.load('a', look), cache.load('a', look)]);
    expect(found).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it('an error is not remembered', async () => {
    await expect(cache.load('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await load('a', 2)).toEqual({ n: 2 });
  });

  it('the least recently used entry is dropped', async () => {
    for (const key of ['a', 'b', 'c']) await load(key);
    cache.get('a');
    await load('d');
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key))).toEqual(['a', 'c', 'd']);
  });

  it('nothing is remembered that was looked up before it was cleared', async () => {
    await load('a');
    let finish: (value: { n: number }) => void = () => undefined;
    const early = cache.load('b', () => new Promise((resolve) => (finish = resolve)));
    cache.clear();
    expect(cache.get('a')).toBeUndefined();
    const late = load('b', 2);
    finish({ n: 1 });
    expect([await early, await late]).toEqual([{ n: 1 }, { n: 2 }]);
    expect(cache.get('b')).toEqual({ n: 2 });
  });

  it('nothing is remembered of one key that was looked up before it was forgotten', async () => {
    await load('a', 1);
    let finish: (value: { n: number }) => void = () => undefined;
    const early = cache.load('b', () => new Promise((resolve) => (finish = resolve)));
    cache.forget('b');
    finish({ n: 1 });
    expect(await early).toEqual({ n: 1 });
    expect([cache.get('a'), cache.get('b')]).toEqual([{ n: 1 }, undefined]);
    cache.forget('a');
    expect(cache.newest('a')).toBeUndefined();
  });

  it('the newest result can be read when it is too old to be used', async () => {
    await load('a', 1);
    now += 5000;
    expect([cache.get('a'), cache.newest('a')]).toEqual([undefined, { n: 1 }]);
  });

  it('a clock that is set back forgets', async () => {
    await load('a');
    now -= 1;
    expect(cache.get('a')).toBeUndefined();
  });
});

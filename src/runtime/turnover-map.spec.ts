import { TurnoverMap, TurnoverSet } from './turnover-map.js';

describe('TurnoverMap', () => {
  it('is a map, however often its table was replaced', () => {
    const map = new TurnoverMap<number, string>();
    const expected = new Map<number, string>();
    for (let round = 0; round < 500; round += 1) {
      map.set(round, `value ${round}`);
      expected.set(round, `value ${round}`);
      const gone = round - (round % 7);
      expect(map.delete(gone)).toBe(expected.delete(gone));
      expect(map.size).toBe(expected.size);
    }
    expect([...map]).toEqual([...expected]);
    expect([...map.keys()]).toEqual([...expected.keys()]);
    expect([...map.values()]).toEqual([...expected.values()]);
    expect([...map.entries()]).toEqual([...expected.entries()]);
    expect(map.get(499)).toBe('value 499');
    expect(map.has(0)).toBe(false);
    const seen: [number, string][] = [];
    map.forEach((value, key) => seen.push([key, value]));
    expect(seen).toEqual([...expected]);
  });

  it('finishes an iteration during which everything is deleted', () => {
    const set = new TurnoverSet<number>();
    for (let member = 0; member < 100; member += 1) set.add(member);
    const seen = new Set<number>();
    for (const member of set) {
      seen.add(member);
      set.delete(member);
    }
    expect(seen.size).toBe(100);
    expect(set.size).toBe(0);
    expect(set.has(1)).toBe(false);
  });
});

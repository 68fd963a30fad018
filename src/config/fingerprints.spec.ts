import { disagreements, Fingerprints, keyFingerprints } from './fingerprints.js';

describe('fingerprints', () => {
  const keys = (...kids: string[]) => ({
    KEYS: keyFingerprints(
      'KEYS',
      kids.map((kid) => ({ kid, secret: `secret of ${kid}` })),
    ),
  });

  it('they tell keys apart and hold nothing of a secret', () => {
    const [one, other] = keyFingerprints('KEYS', [
      { kid: 'a', secret: 'secret-1' },
      { kid: 'a', secret: 'secret-2' },
    ]);
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(one).not.toBe(other);
  });

  it('they are read when they are needed', () => {
    const fingerprints = new Fingerprints();
    let reads = 0;
    fingerprints.add('KEYS', () => [String((reads += 1))]);
    expect(reads).toBe(0);
    expect(fingerprints.read()).toEqual({ KEYS: ['1'] });
  });

  it.each([
    ['equal lists', ['a'], ['a'], []],
    ['a key that is announced', ['old', 'new'], ['old'], []],
    ['a key that is replaced', ['new', 'old'], ['old', 'new'], []],
    ['an old key that is removed', ['new'], ['new', 'old'], []],
    ['a new key that the other does not know', ['new', 'old'], ['old'], ['KEYS']],
    ['different keys', ['a'], ['b'], ['KEYS']],
  ])('%s', (_, one, other, expected) => {
    expect(disagreements(keys(...one), keys(...other))).toEqual(expected);
    expect(disagreements(keys(...other), keys(...one))).toEqual(expected);
  });

  it('a setting that only one instance knows is ignored', () => {
    expect(disagreements({ NEW: ['a'] }, {})).toEqual([]);
    expect(disagreements({}, { OLD: ['a'] })).toEqual([]);
  });
});

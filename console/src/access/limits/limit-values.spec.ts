import { draftOf, overridesOf, titleOf, valuesIn } from './limit-values.js';

const LIMITS = {
  user: { requests: { perMinute: 300, burst: 100 }, activeRuns: 20 },
  admin: { requests: { perMinute: 60, burst: 20 } },
};

describe('the form of limits', () => {
  it('has a field for each number', () => {
    expect(valuesIn(LIMITS).map(({ path, value }) => `${path.join('.')}=${value}`)).toEqual([
      'user.requests.perMinute=300',
      'user.requests.burst=100',
      'user.activeRuns=20',
      'admin.requests.perMinute=60',
      'admin.requests.burst=20',
    ]);
    expect(titleOf(['requests', 'perMinute'])).toBe('Requests, per minute');
  });

  it('begins with what differs from the defaults, and gives the same back', () => {
    const overrides = { user: { activeRuns: 7 } };
    expect([...draftOf(overrides)]).toEqual([['user.activeRuns', '7']]);
    expect(overridesOf(LIMITS, draftOf(overrides))).toEqual(overrides);
  });

  it('completes a rate that was entered in part, and leaves emptied fields out', () => {
    const draft = new Map([
      ['user.requests.burst', '50'],
      ['user.activeRuns', ' '],
    ]);
    expect(overridesOf(LIMITS, draft)).toEqual({ user: { requests: { perMinute: 300, burst: 50 } } });
    expect(overridesOf(LIMITS, new Map())).toEqual({});
  });
});

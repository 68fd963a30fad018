import { type Budget, budgetsOf, type BudgetTerms, budgetWords, dayOf, resetOf } from './budget.js';

let made = 0;
function budget(terms: Partial<BudgetTerms>): Budget {
  made += 1;
  const rest = { rowId: made, id: `b${made}`, tenantId: 't', createdAt: 0, updatedAt: 0 };
  return {
    subject: 'user',
    name: '*',
    window: 'day',
    tokens: 1,
    cost: null,
    action: 'block',
    warnAt: [],
    ...rest,
    ...terms,
  };
}

const spender = { userId: 'alice', agent: 'worker', account: 'ci', rootRunRowId: 17, day: '2026-11-26' };

describe('the budgets that a call must fit into', () => {
  it('are those of its tenant, user, agent and account, each in its period', () => {
    const budgets = [
      budget({ subject: 'account', window: 'total' }),
      budget({ subject: 'tenant', window: 'month' }),
      budget({ subject: 'agent', name: 'worker', window: 'run' }),
      budget({ subject: 'agent', name: 'other' }),
      budget({ subject: 'user' }),
    ];
    expect(budgetsOf(budgets, spender).map(({ name, period }) => [name, period])).toEqual([
      ['ci', 'total'],
      ['*', '2026-11'],
      ['worker', 'run:17'],
      ['alice', '2026-11-26'],
    ]);
    expect(budgetsOf(budgets, { ...spender, account: '' })).toHaveLength(3);
  });

  it('of a name replace those for each in the same window alone', () => {
    const each = budget({});
    const eachMonth = budget({ window: 'month' });
    const own = budget({ name: 'alice' });
    const budgets = [each, eachMonth, own];
    expect(budgetsOf(budgets, spender).map((one) => one.budget)).toEqual([eachMonth, own]);
    expect(budgetsOf(budgets, { ...spender, userId: 'bob' }).map((one) => one.budget)).toEqual([each, eachMonth]);
  });

  it('of a user whose name is a star are those for each', () => {
    expect(budgetsOf([budget({})], { ...spender, userId: '*' })).toHaveLength(1);
  });
});

describe('periods', () => {
  it('begin in the time zone of the tenant', () => {
    const at = Date.parse('2026-11-30T23:30:00Z');
    expect([dayOf(at, 'UTC'), dayOf(at, 'Asia/Tokyo')]).toEqual(['2026-11-30', '2026-12-01']);
    expect(resetOf('day', '2026-12-01', 'Asia/Tokyo')).toBe(Date.parse('2026-12-01T15:00:00Z'));
    expect(resetOf('month', '2026-12-01', 'Asia/Tokyo')).toBe(Date.parse('2026-12-31T15:00:00Z'));
    expect([resetOf('total', '2026-12-01', 'UTC'), resetOf('run', '2026-12-01', 'UTC')]).toEqual([null, null]);
  });

  it('have 23 or 25 hours where the clock changes', () => {
    const lengthOf = (day: string, next: string): number =>
      ((resetOf('day', next, 'Europe/Berlin') ?? 0) - (resetOf('day', day, 'Europe/Berlin') ?? 0)) / 3_600_000;
    expect(lengthOf('2026-03-28', '2026-03-29')).toBe(23);
    expect(lengthOf('2026-10-24', '2026-10-25')).toBe(25);
  });

  it('are named without anything about others', () => {
    expect(budgetWords({ subject: 'tenant', window: 'month' })).toBe('The budget of the tenant per month');
    expect(budgetWords({ subject: 'account', window: 'total' })).toBe('The budget of the account in total');
  });
});

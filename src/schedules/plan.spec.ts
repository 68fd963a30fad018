import { AppError } from '../common/index.js';
import { checkPlan, nextTime, nextTimes, type Plan } from './plan.js';

const cron = (text: string): Plan => ({ kind: 'cron', cron: text });
const times = (rule: string, zone: string, after: string, count: number): readonly string[] =>
  nextTimes(cron(rule), zone, Date.parse(after), count).map((time) => new Date(time).toISOString().slice(0, 16));

describe('the times of a rule over the changes of a year', () => {
  it.each([
    // The gap ends at 3:00 local time, 07:00 UTC.
    ['America/New_York', '30 2 * * *', '2026-03-07T12:00Z', ['2026-03-08T07:00', '2026-03-09T06:30']],
    // 1:30 comes twice: the first one, at 05:30 UTC.
    ['America/New_York', '30 1 * * *', '2026-10-31T12:00Z', ['2026-11-01T05:30', '2026-11-02T06:30']],
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    // Half an hour: from 2:00 to 2:30, and from 2:00 back to 1:30.
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T12:00Z', ['2026-10-03T15:30', '2026-10-04T15:15']],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T12:00Z', ['2026-04-04T14:45', '2026-04-05T15:15']],
    // The change is at midnight: a day begins at 1:00, and another one has two midnights before.
    ['America/Santiago', '0 0 * * *', '2026-09-05T12:00Z', ['2026-09-06T04:00', '2026-09-07T03:00']],
    ['America/Santiago', '30 23 * * *', '2026-04-04T12:00Z', ['2026-04-05T02:30', '2026-04-06T03:30']],
    ['Pacific/Apia', '0 9 * * *', '2026-04-04T00:00Z', ['2026-04-04T20:00', '2026-04-05T20:00']],
    ['Pacific/Apia', '0 9 * * *', '2026-09-26T00:00Z', ['2026-09-26T20:00', '2026-09-27T20:00']],
  ])('%s, %s', (zone, rule, after, expected) => {
    expect(times(rule, zone, after, 2)).toEqual(expected);
  });

  it('a rule of every half hour leaves the second hour of two out, and counts a gap once', () => {
    expect(times('*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:00Z', 3)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T02:00',
      '2026-10-25T02:30',
    ]);
    expect(times('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:00Z', 3)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:00',
      '2026-03-29T01:30',
    ]);
  });

  it.each(['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago', 'Pacific/Apia', 'UTC'])(
    'in %s each day of a year has one time, in order',
    (zone) => {
      const found = nextTimes(cron('30 2 * * *'), zone, Date.parse('2026-01-01T12:00Z'), 365);
      const gaps = found.slice(1).map((time, index) => (time - (found[index] ?? 0)) / 3_600_000);
      expect(found).toHaveLength(365);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(22.5);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(25.5);
    },
  );

  it('an interval counts elapsed time', () => {
    const anchor = Date.parse('2026-03-29T00:30Z');
    const plan: Plan = { kind: 'every', every: 'PT1H' };
    expect(nextTime(plan, 'Europe/Berlin', anchor, anchor)).toBe(anchor + 3_600_000);
    expect(nextTime(plan, 'Europe/Berlin', anchor + 3_600_000, anchor)).toBe(anchor + 7_200_000);
  });
});

describe('a plan', () => {
  it.each(['0 9 * * mon-fri', '@daily', '0 0 L * *', '*/15 8-10 * JAN,FEB 1', '0 12 * * 1,3,5'])(
    '%s is a rule',
    (text) => {
      expect(() => checkPlan(cron(text))).not.toThrow();
    },
  );

  it.each(['* * * * * *', '61 * * * *', 'soon', '', '@reboot', '0 0 31 2 *', 'x'.repeat(300)])(
    '%s is refused',
    (text) => {
      expect(() => checkPlan(cron(text))).toThrow(AppError);
    },
  );

  it.each(['PT1M', 'PT90S', 'P1D', 'P1W', 'P1DT12H'])('%s is an interval', (every) => {
    expect(() => checkPlan({ kind: 'every', every })).not.toThrow();
  });

  it.each(['PT59S', 'P1M', 'P1Y', 'P', 'PT', 'P1DT', '1h', 'P999D', 'PT-5M'])('%s is no interval', (every) => {
    expect(() => checkPlan({ kind: 'every', every })).toThrow(AppError);
  });

  it('of one moment has no time after it', () => {
    expect(nextTime({ kind: 'at', at: 10 }, 'UTC', 9, 0)).toBe(10);
    expect(nextTime({ kind: 'at', at: 10 }, 'UTC', 10, 0)).toBeUndefined();
  });
});

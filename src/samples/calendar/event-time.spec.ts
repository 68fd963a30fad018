import { dayOf, momentOf, startOfDay } from './event-time.js';

describe('the time of calendar events', () => {
  it.each([
    ['2026-03-17T15:00:00', 'Asia/Shanghai', '2026-03-17T07:00:00.000Z'],
    ['2026-03-17 15:00', 'America/Los_Angeles', '2026-03-17T22:00:00.000Z'],
    ['2026-03-17T15:00:00Z', 'America/Los_Angeles', '2026-03-17T15:00:00.000Z'],
    ['2026-03-17T15:00:00+09:00', 'America/Los_Angeles', '2026-03-17T06:00:00.000Z'],
    ['2026-03-08T02:30:00', 'America/New_York', '2026-03-08T07:30:00.000Z'],
    ['2026-11-01T01:30:00', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ])('%s in %s', (text, zone, utc) => {
    expect(new Date(momentOf(text, zone) ?? 0).toISOString()).toBe(utc);
  });

  it.each(['', 'tomorrow', '2026-03-17', '2026-02-30T10:00', '2026-03-17T25:00', '15:00', '2026-W10-1T10:00'])(
    '%p is refused',
    (text) => {
      expect(momentOf(text, 'UTC')).toBeUndefined();
    },
  );

  it('short and long days of a zone are handled', () => {
    const hours = (day: string, zone: string): number => {
      const range = dayOf(day, zone);
      return ((range?.until ?? 0) - (range?.from ?? 0)) / 3_600_000;
    };
    expect(hours('2026-03-08', 'America/New_York')).toBe(23);
    expect(hours('2026-11-01', 'America/New_York')).toBe(25);
    expect(dayOf('2026-02-30', 'UTC')).toBeUndefined();
    expect(startOfDay(Date.UTC(2026, 2, 16, 23), 'Asia/Shanghai')).toBe(Date.UTC(2026, 2, 16, 16));
  });
});

import { isTimeZone, localTime, resolveTimeZone } from './time-zone.js';

describe('time zones', () => {
  it.each([
    'UTC',
    'Asia/Shanghai',
    'asia/shanghai',
    'EST',
    'PST8PDT',
    'Etc/GMT+8',
    'Asia/Kolkata',
    'America/Argentina/Buenos_Aires',
  ])('%s is a valid time zone', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each(['', 'Z', '+08:00', '-05:00', '08:00', 'Asia/Beijing', 'Moon/Base', 'UTC\n', null, undefined, 8, {}])(
    '%p is not a time zone',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );

  it('the first valid candidate is used, or UTC', () => {
    expect(resolveTimeZone(['Asia/Shanghai', 'Europe/Berlin'])).toBe('Asia/Shanghai');
    expect(resolveTimeZone(['Asia/Beijing', undefined, '+08:00', 'europe/berlin'])).toBe('Europe/Berlin');
    expect(resolveTimeZone(['Asia/Kolkata'])).toBe('Asia/Kolkata');
    expect(resolveTimeZone([])).toBe('UTC');
    expect(resolveTimeZone([null, 7])).toBe('UTC');
  });
});

describe('localTime', () => {
  it.each([
    ['Asia/Shanghai', '2026-03-17T00:09:13+08:00', 'Tuesday'],
    ['America/Los_Angeles', '2026-03-16T09:09:13-07:00', 'Monday'],
    ['Asia/Kolkata', '2026-03-16T21:39:13+05:30', 'Monday'],
    ['UTC', '2026-03-16T16:09:13+00:00', 'Monday'],
  ])('a time is shown in %s', (zone, iso, weekday) => {
    expect(localTime(Date.UTC(2026, 2, 16, 16, 9, 13, 500), zone)).toMatchObject({ iso, weekday });
  });

  it('midnight is shown as 00', () => {
    expect(localTime(Date.UTC(2026, 2, 16), 'UTC').time).toBe('00:00:00');
  });
});

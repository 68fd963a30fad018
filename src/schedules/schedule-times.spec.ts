import type { Schedule } from './schedule.types.js';
import { planAfter, turnOf } from './schedule-times.js';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-06-01T12:00Z');

function schedule(fields: Partial<Schedule> = {}): Schedule & { readonly nextAt: number } {
  const plan = { kind: 'every', every: 'PT1H' } as const;
  const base = { id: 'sch_1', plan, timezone: 'UTC', anchorAt: NOON - 100 * HOUR, jitterSeconds: 0, expiresAt: null };
  return { ...base, catchUp: 'last', nextAt: NOON, ...fields } as Schedule & { readonly nextAt: number };
}

describe('what is done at a planned time', () => {
  it('in time, its run starts and the next one is planned', () => {
    expect(turnOf(schedule(), NOON + 59_000)).toEqual({
      missed: [],
      plannedAt: NOON,
      next: { nextAt: NOON + HOUR, dueAt: NOON + HOUR },
    });
  });

  it.each([
    ['none', { missed: [NOON, NOON + HOUR, NOON + 2 * HOUR], plannedAt: undefined, nextAt: NOON + 3 * HOUR }],
    ['last', { missed: [NOON, NOON + HOUR], plannedAt: NOON + 2 * HOUR, nextAt: NOON + 3 * HOUR }],
    ['all', { missed: [], plannedAt: NOON, nextAt: NOON + HOUR }],
  ] as const)('late, catchUp %s decides', (catchUp, { missed, plannedAt, nextAt }) => {
    const turn = turnOf(schedule({ catchUp }), NOON + 2 * HOUR + 120_000);
    expect(turn).toEqual({ missed, plannedAt, next: { nextAt, dueAt: nextAt } });
  });

  it('of a long absence at most 24 are made up for', () => {
    const now = NOON + 100 * HOUR + 120_000;
    const { plannedAt = 0 } = turnOf(schedule({ catchUp: 'all' }), now);
    expect(plannedAt).toBe(NOON + 77 * HOUR);
  });

  it('a time of this minute is not missed, although those before it are', () => {
    const turn = turnOf(schedule({ catchUp: 'none' }), NOON + HOUR + 10_000);
    expect(turn).toMatchObject({ missed: [NOON], plannedAt: NOON + HOUR });
  });

  it('is spread by its jitter, always alike, and never early', () => {
    const times = ['sch_1', 'sch_2', 'sch_3'].map((id) => planAfter(schedule({ id, jitterSeconds: 600 }), NOON));
    const late = times.map(({ nextAt, dueAt }) => Number(dueAt) - Number(nextAt));
    expect(late.every((ms) => ms >= 0 && ms < 600_000)).toBe(true);
    expect(new Set(late).size).toBe(3);
    expect(planAfter(schedule({ jitterSeconds: 600 }), NOON)).toEqual(times[0]);
  });

  it('nothing is planned after it has expired', () => {
    expect(planAfter(schedule({ expiresAt: NOON + HOUR / 2 }), NOON)).toEqual({ nextAt: null, dueAt: null });
  });
});

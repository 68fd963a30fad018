import { Metrics } from '../../common/index.js';
import { readSettings } from '../../config/index.js';
import { RunSettings } from '../run.settings.js';
import { EventLoopLag } from './event-loop-lag.js';
import { ExecutionSlots } from './execution-slots.js';

const settings = readSettings(RunSettings, { RUN_CONCURRENCY: '4' });
const slotsFor = (tenantShare: number): ExecutionSlots =>
  new ExecutionSlots(
    settings,
    { tenantShare, countStart: () => Promise.resolve(undefined) },
    new Metrics(),
    new EventLoopLag(),
  );

describe('execution slots', () => {
  it('without a share, one tenant can have them all', () => {
    const slots = slotsFor(1);
    expect(slots.perTenant).toBeUndefined();
    expect([1, 2, 3, 4, 5].map(() => slots.reserve('a'))).toEqual([true, true, true, true, false]);
    expect(slots.free).toBe(0);
  });

  it('a tenant has no more than its share, and others are not held up', () => {
    const slots = slotsFor(0.5);
    expect([1, 2, 3].map(() => slots.reserve('a'))).toEqual([true, true, false]);
    expect([1, 2].map(() => slots.reserve('b'))).toEqual([true, true]);
  });

  it('a run of a tenant waits behind the runs of its tenant that wait', async () => {
    const slots = slotsFor(0.5);
    for (let run = 0; run < 3; run += 1) slots.reserve('a');
    slots.release('a');
    expect(slots.isAwaited('a')).toBe(true);
    expect(slots.isAwaited('b')).toBe(false);
    expect(slots.reserve('a')).toBe(false);
    expect((await slots.fill(() => Promise.resolve([{ tenantId: 'a' }]))).isFull).toBe(false);
    expect(slots.reserve('a')).toBe(false);
    slots.release('a');
    await slots.fill(() => Promise.resolve([]));
    expect(slots.reserve('a')).toBe(true);
  });

  it('after all slots were taken, new runs wait until a sweep finds none that wait', async () => {
    const slots = slotsFor(1);
    for (let run = 0; run < 5; run += 1) slots.reserve('a');
    slots.release('a');
    expect(slots.reserve('b')).toBe(false);
    expect((await slots.fill(() => Promise.resolve([{ tenantId: 'a' }]))).isFull).toBe(true);
    slots.release('a');
    expect(slots.reserve('b')).toBe(false);
    await slots.fill(() => Promise.resolve([]));
    expect(slots.reserve('b')).toBe(true);
  });

  it('a run that was claimed for a slot which a new run has taken meanwhile is surplus', async () => {
    const slots = slotsFor(1);
    slots.reserve('a');
    const filled = await slots.fill((limit) => {
      expect([slots.reserve('b'), slots.hold('b')]).toEqual([true, 'held']);
      return Promise.resolve(Array.from({ length: limit }, (_, no) => ({ tenantId: 'a', no })));
    });
    expect(filled.claimed.map(({ no }) => no)).toEqual([0]);
    expect(filled.surplus.map(({ no }) => no)).toEqual([1, 2]);
    expect([slots.free, filled.isFull, slots.isAnyAwaited]).toEqual([0, false, true]);
  });
});

import { Logger } from '@nestjs/common';
import { Metrics, SystemClock } from '../../common/index.js';
import { readSettings } from '../../config/index.js';
import { RunLeases } from '../ports/run-leases.js';
import type { RunRecord } from '../run-record.js';
import { RunSettings } from '../run.settings.js';
import { EventLoopLag } from './event-loop-lag.js';
import { ExecutionSlots } from './execution-slots.js';
import { HeldRuns } from './held-runs.js';
import type { WorkerLease } from './worker-lease.js';

const settings = readSettings(RunSettings, { RUN_CONCURRENCY: '3' });
const run = (rowId: number): RunRecord => ({ rowId, fence: 1, tenantId: 'a' }) as RunRecord;

/** A keeper with a lease, over a ledger whose queue never ends. */
function keeperWith(changes: Partial<RunLeases>, isHigh = false) {
  const limits = { tenantShare: 1, countStart: () => Promise.resolve(undefined) };
  const slots = new ExecutionSlots(settings, limits, new Metrics(), { isHigh } as EventLoopLag);
  const asked: number[] = [];
  const leases: Partial<RunLeases> = {
    claim: (_, limit) => {
      asked.push(limit);
      return Promise.resolve(Array.from({ length: limit }, (_one, index) => run(index + 1)));
    },
    sweep: () =>
      Promise.resolve({ owned: [], suspects: [{ id: 'other', isOpen: true }], isQueued: true, isLost: false } as never),
    ...changes,
  };
  const worker = { current: { owner: 'me' }, removeLost: () => Promise.resolve(false) } as unknown as WorkerLease;
  return { asked, slots, keeper: new HeldRuns(leases as RunLeases, worker, slots, settings, new SystemClock()) };
}

describe('claiming runs under a lease', () => {
  it('runs whose slots were taken meanwhile are put back, and those that have a slot are kept if that fails', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const released: number[] = [];
    const { keeper, slots } = keeperWith({
      claim: () => {
        expect([slots.reserve('b'), slots.reserve('b')]).toEqual([true, true]);
        return Promise.resolve([run(1), run(2), run(3)]);
      },
      release: (rowId) => {
        released.push(rowId);
        return rowId === 2 ? Promise.reject(new Error('no database')) : Promise.resolve();
      },
    });
    expect((await keeper.claim(true)).claimed.map(({ rowId }) => rowId)).toEqual([1]);
    expect(released).toEqual([2, 3]);
    jest.restoreAllMocks();
  });

  it('a process whose event loop is late claims one run at a time while others execute runs', async () => {
    const { asked, keeper } = keeperWith({}, true);
    await keeper.sweep(new Map());
    expect((await keeper.claim(true)).claimed).toHaveLength(1);
    expect([asked, keeper.reserve('a'), keeper.claimable]).toEqual([[1], undefined, 0]);
  });

  it('otherwise it claims as many as it has slots', async () => {
    const { asked, keeper } = keeperWith({});
    await keeper.sweep(new Map());
    await keeper.claim(true);
    expect(asked).toEqual([3]);
  });
});

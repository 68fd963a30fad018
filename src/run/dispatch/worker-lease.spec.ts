import { until } from '../../../test/support/until.js';
import { SystemClock } from '../../common/index.js';
import { Fingerprints, readSettings } from '../../config/index.js';
import { DatabaseSettings } from '../../database/index.js';
import { type Worker, WorkerRegistry } from '../ports/worker-registry.js';
import { RunSettings } from '../run.settings.js';
import { WorkerLease } from './worker-lease.js';

const LEASE_MS = 300;

/** Workers in memory, whose heartbeats are answered as a test says. */
class MemoryRegistry extends WorkerRegistry {
  readonly rows = new Map<string, Worker>();
  removed: [string, 'lost' | 'always'][] = [];
  heartbeats = 0;
  locked: string | undefined;
  /** The leases that were written, in milliseconds. */
  readonly leases: number[] = [];
  answer: () => Promise<void> = () => Promise.resolve();

  register(worker: Worker, _load: unknown, leaseMs: number): Promise<void> {
    this.rows.set(worker.id, worker);
    this.leases.push(leaseMs);
    return Promise.resolve();
  }

  async heartbeat(id: string, _load: unknown, leaseMs: number): Promise<boolean> {
    this.heartbeats += 1;
    this.leases.push(leaseMs);
    await this.answer();
    return this.rows.has(id);
  }

  remove(id: string, when: 'lost' | 'always'): Promise<void> {
    if (id === this.locked) return Promise.reject(new Error('canceling statement due to lock timeout'));
    this.rows.delete(id);
    this.removed.push([id, when]);
    return Promise.resolve();
  }
}

describe('the lease of a worker', () => {
  let registry: MemoryRegistry;
  let lease: WorkerLease;
  let lost: number[];
  let startedAt: number;
  const load = () => ({ slots: 1, busy: 0, draining: false });

  beforeEach(async () => {
    registry = new MemoryRegistry();
    lost = [];
    const settings = readSettings(RunSettings, { LEASE_MS: String(LEASE_MS), SWEEP_INTERVAL_MS: '100' });
    const database = readSettings(DatabaseSettings, {});
    lease = new WorkerLease(registry, new Fingerprints(), settings, database, new SystemClock());
    startedAt = performance.now();
    await lease.start({ load, lost: () => lost.push(performance.now()) });
  });
  afterEach(() => lease.stop());

  it('the process stops before its lease in the ledger ends, which leaves others time within LEASE_MS', async () => {
    await until(() => registry.heartbeats > 0, 'a heartbeat');
    const shares = registry.leases.map((milliseconds) => milliseconds / LEASE_MS);
    expect(shares.map((share) => share > 0.9 && share < 0.95)).toEqual(shares.map(() => true));
    expect((lease.current?.deadline ?? 0) - performance.now()).toBeLessThan(0.9 * LEASE_MS);
  });

  it('heartbeats extend the deadline', async () => {
    const { owner, deadline } = lease.current ?? { owner: '', deadline: 0 };
    expect(deadline - startedAt).toBeLessThan(LEASE_MS);
    await until(() => (lease.current?.deadline ?? 0) > deadline + LEASE_MS, 'later deadlines');
    expect([lease.current?.owner, lost]).toEqual([owner, []]);
  });

  it('it is lost once its row is gone, and the worker joins again under another id', async () => {
    const before = lease.current;
    registry.rows.clear();
    await until(() => lease.current !== undefined && lease.current !== before, 'another lease');
    expect(lost).toHaveLength(1);
    expect(lease.current?.owner).not.toBe(before?.owner);
    expect(before?.deadline).toBe(-Infinity);
    expect(registry.removed).toEqual([[before?.owner, 'always']]);
  });

  it('it is lost before it ends when no heartbeat is answered, and a late answer does not bring it back', async () => {
    const before = lease.current;
    let answerLate: () => void = () => undefined;
    const { deadline = 0 } = before ?? {};
    registry.answer = () => new Promise((resolve) => (answerLate = resolve));
    await until(() => lost.length > 0, 'the loss');
    const late = answerLate;
    registry.answer = () => Promise.resolve();
    // Not much later than the deadline, which lies a sixth of the lease before its end.
    expect(lost[0]).toBeGreaterThanOrEqual(Math.floor(deadline));
    late();
    await until(() => lease.current !== undefined && lease.current !== before, 'another lease');
    expect([before?.deadline, lost.length]).toEqual([-Infinity, 1]);
  });

  it('it removes workers that were lost and processes of this host that have ended, and not itself', async () => {
    const [self] = [...registry.rows.values()] as [Worker];
    const other = { id: 'other', hostId: 'elsewhere', pid: 1, processStart: '1' };
    const suspects = [
      { ...self, isLost: true },
      { ...other, isLost: false },
      { ...other, id: 'lost', isLost: true },
      { ...other, id: 'dead', hostId: self.hostId, pid: 999_999_999, isLost: false },
    ];
    expect(await lease.removeLost(suspects)).toBe(true);
    expect(await lease.removeLost(suspects.slice(0, 2))).toBe(false);
    const dead = self.hostId === null ? [] : [['dead', 'always']];
    expect(registry.removed).toEqual([['lost', 'lost'], ...dead]);
  });

  it('a lost worker that cannot be removed does not keep others from being removed', async () => {
    const other = { hostId: 'elsewhere', pid: 1, processStart: '1', isLost: true };
    registry.locked = 'locked';
    expect(await lease.removeLost(['locked', 'free'].map((id) => ({ ...other, id })))).toBe(true);
    expect(registry.removed).toEqual([['free', 'lost']]);
  });

  it('a worker that stops is removed', async () => {
    const { owner } = lease.current ?? {};
    await lease.stop();
    expect([lease.current, registry.rows.size]).toEqual([undefined, 0]);
    expect(registry.removed).toEqual([[owner, 'always']]);
  });
});

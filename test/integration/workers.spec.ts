import { DATABASE_NOW } from '../../src/database/index.js';
import { HELD } from '../../src/run/ports/run-leases.js';
import type { Worker } from '../../src/run/ports/worker-registry.js';
import { describeOnLedgers, LEASE, nextId } from '../support/ledger.js';

const LOAD = { slots: 4, busy: 1, draining: false };

describeOnLedgers('the workers', (ledger) => {
  const worker = (overrides: Partial<Worker> = {}): Worker => ({
    id: nextId('00000000-0000-4000-8000'),
    name: 'node',
    role: 'all',
    version: '1.0.0',
    schemaVersion: '1',
    fingerprints: { KEYS: ['a'] },
    hostId: 'host/pid:[1]',
    pid: 1,
    processStart: '77',
    ...overrides,
  });
  const joined = async (overrides: Partial<Worker> = {}, leaseMs = 60_000): Promise<Worker> => {
    const added = worker(overrides);
    await ledger().workers.register(added, LOAD, leaseMs, () => undefined);
    return added;
  };
  const runOf = async (owner: string, until = HELD) =>
    (await ledger().accept({ sessionId: nextId('s') }, { lease: { owner, until } })).run;
  const claimable = async () => (await ledger().leases.claim(LEASE, 9)).map(({ id }) => id);
  const lost = async () =>
    (await ledger().leases.sweep('')).suspects.filter(({ isLost }) => isLost).map(({ id }) => id);
  const end = (id: string, ms: number) =>
    ledger().database.write((tx) =>
      tx.run(`UPDATE workers SET lease_until = ${DATABASE_NOW[tx.dialect]} - ? WHERE id = ?`, [ms, id]),
    );

  it('runs are lost with the row of their worker: when it has ended, and when it is gone', async () => {
    const [alive, ended, gone] = [await joined(), await joined(), await joined()];
    const runs = [await runOf(alive.id), await runOf(ended.id), await runOf(gone.id)];
    expect(await lost()).toEqual([]);
    await end(ended.id, 1);
    await ledger().database.write((tx) => tx.run('DELETE FROM workers WHERE id = ?', [gone.id]));
    expect((await lost()).sort()).toEqual([ended.id, gone.id].sort());
    for (const id of [alive.id, ended.id, gone.id]) await ledger().workers.remove(id, 'lost');
    expect((await claimable()).sort()).toEqual([runs[1]?.id, runs[2]?.id].sort());
    expect(await lost()).toEqual([]);
    expect(await ledger().count('workers')).toBe(1);
  });

  it('a heartbeat extends the lease, and fails once the row was removed', async () => {
    const { id } = await joined({}, 1);
    await end(id, 1);
    expect(await ledger().workers.heartbeat(id, { ...LOAD, busy: 3, draining: true }, 60_000)).toBe(true);
    expect(await lost()).toEqual([]);
    // What has looked just before the heartbeat.
    await ledger().workers.remove(id, 'lost');
    expect(await ledger().count('workers')).toBe(1);
    await ledger().workers.remove(id, 'always');
    expect(await ledger().workers.heartbeat(id, LOAD, 60_000)).toBe(false);
  });

  it('an attempt counts until the end of the lease of its worker', async () => {
    const { id } = await joined();
    const run = await runOf(id);
    await ledger().database.write((tx) => {
      return tx.run(`UPDATE runs SET claimed_at = ${DATABASE_NOW[tx.dialect]} - 90000`);
    });
    await end(id, 80_000);
    await ledger().workers.remove(id, 'lost');
    const { usedMs } = await ledger().find(run);
    expect(Math.abs(usedMs - 10_000)).toBeLessThan(2000);
    expect((await ledger().leases.claim(LEASE, 1))[0]).toMatchObject({ usedMs, attempt: 2, fence: 2 });
  });

  it('owners of earlier versions have no row: their runs are lost when their own leases end', async () => {
    const [held, left] = [await runOf('node/1/a', LEASE.until), await runOf('node/2/b', 1)];
    expect(await lost()).toEqual([]);
    expect(await claimable()).toEqual([left.id]);
    expect((await ledger().find(held)).leaseOwner).toBe('node/1/a');
    // They take over what has a lease that has ended, never a run of a worker.
    const { leaseUntil } = await runOf((await joined()).id);
    expect(leaseUntil).toBeGreaterThan(Date.UTC(9000, 0));
  });

  it('of workers that start at once each sees those before it', async () => {
    const other = await ledger().another();
    const seen: number[] = [];
    const join = (registry = ledger().workers) =>
      registry.register(worker(), LOAD, 60_000, (others) => void seen.push(others.length));
    await Promise.all([join(), join(other.workers), join(), join(other.workers)]);
    expect(seen.sort()).toEqual([0, 1, 2, 3]);
    await other.database.close();
  });

  it('a worker that is not admitted is not added, and workers that have ended are not asked', async () => {
    await end((await joined()).id, 1);
    const alive = await joined({ name: 'alive' });
    const refusing = ledger().workers.register(worker(), LOAD, 1000, (others) => {
      expect(others).toEqual([alive]);
      throw new Error('refused');
    });
    await expect(refusing).rejects.toThrow('refused');
    expect(await ledger().count('workers')).toBe(2);
  });
});

import { DATABASE_NOW } from '../../src/database/index.js';
import { dataMessage } from '../../src/events/index.js';
import type { RunRecord } from '../../src/run/run-record.js';
import {
  ALICE,
  codeOf,
  describeOnLedgers,
  LEASE,
  type Ledger,
  lines,
  logWrite,
  nextId,
  NOW,
  runEnd,
  userText,
  person,
} from '../support/ledger.js';

describeOnLedgers('accepting a run', (ledger) => {
  const counts = async (): Promise<number[]> =>
    Promise.all(['sessions', 'runs', 'messages'].map((table) => ledger().count(table)));

  it('a run starts under a lease if its session is free, and is queued otherwise', async () => {
    const first = await ledger().accept({}, { lease: LEASE });
    const second = await ledger().accept({}, { lease: LEASE });
    const third = await ledger().accept({ sessionId: 'other' });
    expect(first.run).toMatchObject({ state: 'running', ordinal: 1, attempt: 1, fence: 1, leaseOwner: LEASE.owner });
    expect(second.run).toMatchObject({ state: 'queued', ordinal: 2, attempt: 0, leaseOwner: null, startedAt: null });
    expect(third.run).toMatchObject({ state: 'queued', ordinal: 1 });
    expect(await ledger().find(first.run)).toEqual(first.run);
  });

  it('onBusy=reject refuses a run of a busy session and stores nothing', async () => {
    await ledger().accept();
    const before = await counts();
    expect(await codeOf(ledger().accept({ onBusy: 'reject' }))).toBe('SESSION_BUSY');
    expect(await counts()).toEqual(before);
    expect((await ledger().accept()).run.ordinal).toBe(2);
  });

  it('of simultaneous requests for a tenant-unique id one user gets it', async () => {
    const other = await ledger().another();
    const take = (who: Ledger, userId: string, sessionId: string) =>
      codeOf(who.accept({ principal: { ...ALICE, userId }, sessionId, tenantUniqueId: true }));
    for (let round = 0; round < 25; round += 1) {
      const sessionId = nextId('sole');
      const users = ['alice', 'bob', 'carol', 'dave'];
      const answers = await Promise.all(
        users.map((user, index) => take(index % 2 === 0 ? ledger() : other, user, sessionId)),
      );
      const others = users.slice(1).map(() => 'SESSION_NOT_FOUND');
      expect([...answers].sort()).toEqual([...others, 'resolved']);
      const owner = users[answers.indexOf('resolved')] ?? '';
      expect(await take(other, owner, sessionId)).toBe('resolved');
      expect(await codeOf(ledger().accept({ principal: { ...ALICE, userId: 'eve' }, sessionId }))).toBe('resolved');
      // Whoever has it keeps it, whatever other wires let others make.
      expect(await take(ledger(), owner, sessionId)).toBe('resolved');
    }
    expect(await counts()).toEqual([50, 100, 100]);
    await other.database.close();
  });

  it('a run over the limit of queued runs is refused', async () => {
    await ledger().accept({}, { lease: LEASE });
    await ledger().accept({}, { queueLimit: 2 });
    await ledger().accept({}, { queueLimit: 2 });
    const before = await counts();
    expect(await codeOf(ledger().accept({}, { queueLimit: 2 }))).toBe('QUEUE_FULL');
    expect(await counts()).toEqual(before);
  });

  it('a result that answers no open call is refused and stores nothing', async () => {
    const output = dataMessage({
      id: 'o',
      role: 'tool',
      type: 'function_call_output',
      data: { call_id: 'x', output: '' },
    });
    expect(await codeOf(ledger().accept({ input: [output] }))).toBe('INVALID_PARAMETER');
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it('a repeated request is a replay, and another request under its id is refused', async () => {
    const first = await ledger().accept({ runId: 'r' });
    const again = await ledger().accept({ runId: 'r' });
    expect(again).toMatchObject({ created: false, input: { messages: [] } });
    expect(again.run.rowId).toBe(first.run.rowId);
    const before = await counts();
    expect(await codeOf(ledger().accept({ runId: 'r' }, { fingerprint: 'other' }))).toBe('RUN_ID_CONFLICT');
    expect(await counts()).toEqual(before);
    const foreign = await ledger().accept({ runId: 'r', principal: { ...ALICE, tenantId: 'other' } });
    expect(foreign.created).toBe(true);
  });

  it.each(['reject', 'enqueue'] as const)('20 simultaneous equal requests make one run (%s)', async (onBusy) => {
    const request = { runId: 'same', onBusy, input: [userText('Hello', 'm')] };
    const accepted = await Promise.all(Array.from({ length: 20 }, () => ledger().accept(request, { lease: LEASE })));
    expect(accepted.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(accepted.map(({ run }) => run.rowId)).size).toBe(1);
    expect(await counts()).toEqual([1, 1, 1]);
  });

  it('messages that the session has are not stored again', async () => {
    const hello = userText('Hello', 'm1');
    await ledger().accept({ input: [hello] });
    const { input } = await ledger().accept({ input: [hello, userText('More', 'm2')] });
    expect(input.messages.map(({ id }) => id)).toEqual(['m2']);
    expect(await ledger().count('messages')).toBe(2);
  });
});

describeOnLedgers('claiming runs', (ledger) => {
  const claim = (owner = 'node/2/b') => ledger().leases.claim({ owner, until: LEASE.until }, 100);

  it('every run of 20 sessions is claimed once by one of 4 workers, in order and one at a time', async () => {
    for (let run = 0; run < 10; run += 1) {
      await Promise.all(Array.from({ length: 20 }, (_, session) => ledger().accept({ sessionId: `s${session}` })));
    }
    const others = await Promise.all([ledger().another(), ledger().another()]);
    const order = new Map<number, number[]>();
    const inSession = new Set<number>();
    let violations = 0;
    let left = 200;
    const end = async (self: Ledger, run: RunRecord): Promise<void> => {
      order.set(run.sessionRowId, [...(order.get(run.sessionRowId) ?? []), run.ordinal]);
      if (inSession.has(run.sessionRowId)) violations += 1;
      inSession.add(run.sessionRowId);
      await new Promise((resolve) => setImmediate(resolve));
      // From the commit on the next one may be claimed.
      inSession.delete(run.sessionRowId);
      const [written] = await self.commits.append([logWrite(run, { lines: lines(0, 1), end: runEnd() })]);
      if (!written) violations += 1;
      left -= 1;
    };
    const claimer = async (self: Ledger, name: number): Promise<void> => {
      while (left > 0) {
        const claimed = await self.leases.claim({ owner: `n/${name}/x`, until: LEASE.until }, 7);
        await Promise.all(claimed.map((run) => end(self, run)));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const claimers = [ledger(), ledger(), ...others].map(claimer);
    await Promise.all(claimers);
    await Promise.all(others.map((other) => other.database.close()));
    expect(violations).toBe(0);
    expect(order.size).toBe(20);
    for (const ordinals of order.values()) expect(ordinals).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('with a limit for each tenant, tenants take turns, and those with running runs come later', async () => {
    // One after the other: the places of runs that arrive at once may be the same.
    for (const tenantId of [...Array<string>(6).fill('busy'), ...Array<string>(3).fill('quiet')]) {
      const principal = { tenantId, userId: 'alice' };
      await ledger().accept({ principal, sessionId: nextId('session') });
    }
    const tenantsOf = (runs: readonly RunRecord[]): string[] => runs.map(({ tenantId }) => tenantId).sort();
    const lease = { owner: 'node/2/b', until: LEASE.until };
    expect(tenantsOf(await ledger().leases.claim(lease, 3, 2))).toEqual(['busy', 'busy', 'quiet']);
    expect(tenantsOf(await ledger().leases.claim(lease, 9, 2))).toEqual(['quiet']);
    expect(await ledger().leases.claim(lease, 9, 2)).toEqual([]);
    const other = { owner: 'node/3/c', until: LEASE.until };
    expect(tenantsOf(await ledger().leases.claim(other, 9, 3))).toEqual(['busy', 'busy', 'busy', 'quiet']);
  });

  it('only runs without a valid lease are taken over, under a higher fence', async () => {
    const run = await ledger().running();
    expect(await claim()).toEqual([]);
    await ledger().endLease(run);
    const [taken] = await claim('node/2/b');
    expect(taken).toMatchObject({ rowId: run.rowId, fence: run.fence + 1, attempt: 2, leaseOwner: 'node/2/b' });
    expect(taken?.startedAt).toBe(run.startedAt);
  });

  it('a release does not count the attempt and needs the current fence', async () => {
    const run = await ledger().running();
    await ledger().leases.release(run.rowId, run.fence + 1);
    expect((await ledger().find(run)).state).toBe('running');
    await ledger().leases.release(run.rowId, run.fence);
    expect(await ledger().find(run)).toMatchObject({ state: 'queued', attempt: 0, leaseOwner: null });
    expect((await claim())[0]).toMatchObject({ rowId: run.rowId, attempt: 1, fence: 2 });
  });

  it('a cancelled run that never started ends at once with a complete log', async () => {
    const first = await ledger().running({ sessionId: 's' });
    await ledger().accept({ sessionId: 's' });
    const third = (await ledger().accept({ sessionId: 's' })).run;
    const ended = await ledger().cancel(third.id, { now: NOW + 5 });
    expect(ended).toMatchObject({ state: 'canceled', cancelRequestedAt: NOW + 5, finishedAt: NOW + 5, nextSeq: 3 });
    const events = await ledger().log.read(third.rowId, 0, 10);
    expect(events.map(({ seq, event }) => [seq, 'status' in event && event.status])).toEqual([
      [0, 'created'],
      [1, 'in_progress'],
      [2, 'canceled'],
    ]);
    expect(await claim()).toEqual([]);
    await ledger().cancel(first.id, { now: NOW + 6 });
    await ledger().cancel(first.id, { now: NOW + 7 });
    expect(await ledger().find(first)).toMatchObject({ state: 'running', cancelRequestedAt: NOW + 6 });
    const owned = [{ rowId: first.rowId, fence: first.fence, isCanceled: true }];
    expect((await ledger().leases.sweep(LEASE.owner)).owned).toEqual(owned);
    expect(await ledger().cancel(first.id, { now: NOW }, person('alice', 'other'))).toBeUndefined();
  });

  it('a cancelled run that was started and released is ended by a worker', async () => {
    const run = await ledger().running();
    await ledger().commits.append([logWrite(run, { lines: lines(0, 2) })]);
    await ledger().leases.release(run.rowId, run.fence);
    const canceled = await ledger().cancel(run.id, { now: NOW });
    expect(canceled).toMatchObject({ state: 'queued', cancelRequestedAt: NOW, nextSeq: 2 });
    expect((await claim())[0]).toMatchObject({ rowId: run.rowId, cancelRequestedAt: NOW });
  });

  it('runs that waited too long end', async () => {
    const early = (await ledger().accept({ sessionId: 'a' }, { now: NOW - 1000 })).run;
    const late = (await ledger().accept({ sessionId: 'b' })).run;
    expect(await ledger().endOverdue(NOW - 500, NOW)).toBe(false);
    expect(await ledger().find(early)).toMatchObject({
      state: 'failed',
      error: { code: 'TIMEOUT' },
      startedAt: null,
      cancelRequestedAt: null,
    });
    expect((await ledger().find(late)).state).toBe('queued');
    expect(ledger().woken).toEqual([early.sessionRowId]);
    expect(await ledger().runs.overdue(NOW - 500, 10)).toEqual([]);
  });

  it('runs that end in the queue are counted once, although their transaction is made twice', async () => {
    for (const sessionId of ['a', 'b']) await ledger().accept({ sessionId }, { now: NOW - 1000 });
    const { database, metrics } = ledger();
    const ended = (): number => metrics.finished.with('failed').value;
    const before = ended();
    const write = database.write.bind(database);
    const repeated = jest.spyOn(database, 'write').mockImplementationOnce(async (work, committed) => {
      const undone = new Error('undone by the database');
      const attempt = write(async (tx) => {
        await work(tx);
        throw undone;
      });
      await expect(attempt).rejects.toBe(undone);
      expect(ended()).toBe(before);
      return write(work, committed);
    });
    await ledger().endOverdue(NOW - 500, NOW);
    repeated.mockRestore();
    expect(ended()).toBe(before + 2);
  });

  it('the active time of attempts adds up without the time between them', async () => {
    const run = await ledger().running();
    const claimedAgo = async (ms: number, until: 'lease_until' | 'claimed_at + 500' = 'lease_until') => {
      const now = DATABASE_NOW[ledger().database.dialect];
      await ledger().database.write((tx) => tx.run(`UPDATE runs SET claimed_at = ${now} - ?`, [ms]));
      await ledger().database.write((tx) => tx.run(`UPDATE runs SET lease_until = ${until}`));
    };
    const used = async () => (await ledger().find(run)).usedMs;
    await claimedAgo(40);
    await ledger().leases.release(run.rowId, run.fence);
    const first = await used();
    expect(first).toBeGreaterThanOrEqual(40);
    const [second] = await claim();
    expect(await used()).toBe(first);
    // An earlier version that did not renew its lease.
    await claimedAgo(9000, 'claimed_at + 500');
    const [third] = await claim();
    expect(third?.usedMs).toBe(first + 500);
    await claimedAgo(70);
    await ledger().leases.giveUp(run.rowId, second?.fence ?? 0);
    expect((await ledger().find(run)).leaseUntil).toBe(LEASE.until);
    await ledger().leases.giveUp(run.rowId, third?.fence ?? 0);
    const last = await used();
    expect(last - (third?.usedMs ?? 0)).toBeGreaterThanOrEqual(70);
    expect((await claim())[0]).toMatchObject({ attempt: 3, usedMs: last });
  });
});

/** Work on the rows of all tenants, next to rows whose content somebody has changed. */
import { SqlLogCompaction } from '../../src/run/adapters/sql/log-compaction.sql.js';
import { RunCompaction } from '../../src/run/end/compact-runs.js';
import type { RetainedSummaries } from '../../src/run/end/retained-summaries.js';
import type { RunRecord } from '../../src/run/run-record.js';
import { SystemClock, userReach } from '../../src/common/index.js';
import { WebhookDeliveryEntity, WebhookEntity } from '../../src/database/index.js';
import { TypeOrmScheduleStore } from '../../src/schedules/adapters/typeorm-schedule-store.js';
import type { NewSchedule } from '../../src/schedules/schedule.types.js';
import { TypeOrmDeliveryStore } from '../../src/webhooks/adapters/typeorm-delivery-store.js';
import { ALICE, describeOnLedgers, LEASE, lines, logWrite, nextId, NOW, runEnd } from '../support/ledger.js';

/** Sealed with a key that there is not. */
const SPOILED = `sealed:1:0123456789abcdef.${Buffer.alloc(60).toString('base64')}`;

process.env.TEST_DATA_ENCRYPTION_KEYS = 'unreadable:a-secret-of-this-spec';
afterAll(() => delete process.env.TEST_DATA_ENCRYPTION_KEYS);

describeOnLedgers('content that cannot be decrypted', (ledger) => {
  const sql = (text: string, values: readonly (string | number)[] = []): Promise<number> =>
    ledger().database.write((tx) => tx.run(text, values));
  const spoil = (table: string, column: string, where: string, value: string | number): Promise<number> =>
    sql(`UPDATE ${table} SET ${column} = ? WHERE ${where} = ?`, [SPOILED, value]);
  const runs = (): Promise<object[]> =>
    ledger().database.read.all(
      'SELECT status, events_pruned_at AS pruned, compacted_at AS compacted FROM runs ORDER BY no',
    );

  async function ended(): Promise<RunRecord> {
    const run = await ledger().running();
    await ledger().commits.append([logWrite(run, { lines: lines(0, 3), end: runEnd() })]);
    return run;
  }

  it('the retention of events prunes such runs, and the others', async () => {
    const [first, second] = [await ended(), await ended()];
    await ended();
    await spoil('runs', 'request', 'no', first.rowId);
    await spoil('run_event_chunks', 'body', 'run_no', second.rowId);
    expect(await ledger().prune(NOW + 1, NOW, 100)).toMatchObject({ runs: 3 });
    expect(await runs()).toMatchObject([{ pruned: NOW }, { pruned: NOW }, { pruned: NOW }]);
  });

  it('the compaction of logs passes them by, once', async () => {
    const { database } = ledger();
    const compaction = new SqlLogCompaction(database);
    if (!compaction.isUseful) return;
    const [first, second] = [await ended(), await ended()];
    await ended();
    await spoil('runs', 'wire_data', 'no', first.rowId);
    await spoil('run_event_chunks', 'body', 'run_no', second.rowId);
    const summaries = { of: () => Promise.resolve({}) } as unknown as RetainedSummaries;
    const clock = Object.assign(new SystemClock(), { now: () => NOW + 3_600_000 });
    expect(await new RunCompaction(compaction, summaries, clock).compactAll()).toBe(3);
    const compacted = (await runs()) as { compacted: number }[];
    expect(compacted.map((run) => Number(run.compacted) > 0)).toEqual([true, false, true]);
  });

  it('runs that wait for too long end', async () => {
    for (const sessionId of ['one', 'two']) await ledger().accept({ sessionId });
    await sql(`UPDATE runs SET request = ? WHERE session_id = 'one'`, [SPOILED]);
    await ledger().endOverdue(NOW + 1, NOW + 1000);
    expect(await runs()).toMatchObject([{ status: 'failed' }, { status: 'failed' }]);
  });

  it('such a run is claimed as one without content, next to the others', async () => {
    const { run } = await ledger().accept({ sessionId: 'one' });
    await ledger().accept({ sessionId: 'two' });
    await spoil('runs', 'request', 'no', run.rowId);
    const claimed = await ledger().leases.claim(LEASE, 10);
    expect(claimed.map(({ isUnreadable }) => isUnreadable)).toEqual([true, undefined]);
    expect(claimed).toMatchObject([{ request: { clientTools: [], modelOptions: {} }, wireData: {} }, {}]);
  });

  it('their session can be removed', async () => {
    const run = await ended();
    await spoil('runs', 'request', 'no', run.rowId);
    expect(await ledger().removeSession(run.sessionRowId)).toBeDefined();
    expect([await ledger().count('runs'), await ledger().count('run_event_chunks')]).toEqual([0, 0]);
  });

  it('interrupts expire', async () => {
    const run = await ended();
    for (const id of ['first', 'second'])
      await sql(
        `INSERT INTO interrupts (id, tenant_id, user_id, session_no, session_id, run_no, run_id, root_run_no, waiting_run_no,
          kind, status, arguments, created_at, expires_at) VALUES (?, 'default', 'alice', ?, 's', ?, 'r', ?, ?, 'approval',
          'pending', '{}', 1, 2)`,
        [nextId(id), run.sessionRowId, run.rowId, run.rowId, run.rowId],
      );
    await sql(`UPDATE interrupts SET arguments = ? WHERE id LIKE 'first%'`, [SPOILED]);
    expect(await ledger().interrupts.expireDue(NOW)).toBe(2);
  });

  it('schedules begin, and a server starts', async () => {
    const store = new TypeOrmScheduleStore(ledger().database);
    const ids = [nextId('sch'), nextId('sch')];
    for (const id of ids) await ledger().database.write((tx) => store.insert(tx, scheduleOf(id)));
    await spoil('schedules', 'input', 'id', ids[0] ?? '');
    expect((await store.claim(60_000, 10)).map(({ schedule }) => schedule.id)).toEqual([ids[1]]);
    expect((await store.declared()).map(({ id }) => id)).toEqual([ids[1]]);
  });

  it('a delivery fails, and those behind it are sent', async () => {
    const { database } = ledger();
    const store = new TypeOrmDeliveryStore(database);
    const [webhookId, ids] = [nextId('wh'), [nextId('msg'), nextId('msg')]];
    const webhookRowId = await database.write(async (tx) => {
      const shown = { tenantId: 'default', url: 'http://127.0.0.1', events: '[]', format: 'plain', include: '[]' };
      const times = { enabled: 1, revision: 0, createdAt: NOW, enabledAt: NOW };
      await tx.manager.insert(WebhookEntity, { id: webhookId, ...shown, secret: 's', ...times });
      const { rowId } = await tx.manager.findOneByOrFail(WebhookEntity, { id: webhookId });
      const rest = { runRowId: null, runId: null, userId: null, traceparent: null, body: '{"a":1}', createdAt: NOW };
      await store.insert(
        tx,
        ids.map((id) => ({ id, webhookRowId: rowId, tenantId: 'default', type: 'run.completed', ...rest })),
      );
      return rowId;
    });
    await spoil('webhook_deliveries', 'body', 'id', ids[0] ?? '');
    const claimed = await store.claim(webhookRowId, { leaseMs: 60_000, inFlight: 4 });
    expect(claimed?.deliveries.map(({ id, body }) => [id, body])).toEqual([[ids[1], '{"a":1}']]);
    const failed = await database.read.manager.findOneByOrFail(WebhookDeliveryEntity, { id: ids[0] ?? '' });
    expect(failed).toMatchObject({ status: 'failed', leasedUntil: null });
  });

  it('text that was sealed and then cut is not shown', async () => {
    const { content } = ledger().database;
    const seal = await content.of('default');
    const sealed = seal.text('place', 'words');
    expect(await content.reading(() => content.text('default', 'place', sealed))).toBe('words');
    const cut = (): string => content.text('default', 'place', `${sealed}!`);
    await expect(Promise.resolve().then(() => content.reading(cut))).rejects.toThrow(
      'cannot be decrypted: it was changed',
    );
  });

  it('one who asks for such a run is refused', async () => {
    const run = await ended();
    await spoil('runs', 'request', 'no', run.rowId);
    await expect(ledger().runs.find(userReach(ALICE), run.id)).rejects.toThrow('cannot be decrypted');
  });
});

function scheduleOf(id: string): NewSchedule {
  return {
    ...{ id, tenantId: 'default', userId: 'alice', authority: null, name: id, agent: 'worker', timezone: 'UTC' },
    ...{ input: 'Hello', session: 'new', jitterSeconds: 0, expiresAt: null, enabled: true, metadata: null },
    ...{ modelOptions: null, suspendedReason: null, createdAt: NOW, anchorAt: NOW, nextAt: 1, dueAt: 1 },
    plan: { kind: 'cron', cron: '0 9 * * *' },
    origin: 'code',
    overlap: 'skip',
    catchUp: 'last',
  };
}

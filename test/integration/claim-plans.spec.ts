import { DATABASE_NOW, type SqlValue } from '../../src/database/index.js';
import { HELD } from '../../src/run/ports/run-leases.js';
import { LOST, OWNED, QUEUED, RUNNING_OWNERS, SWEEP } from '../../src/run/adapters/sql/run-leases.sql.js';
import { FIND_BY_KEY, PRUNABLE, PRUNABLE_OF_TENANT } from '../../src/run/adapters/sql/run-store.sql.js';
import { OLD_ENTRIES } from '../../src/usage/adapters/usage-ledger.sql.js';
import { BY_IDS } from '../../src/agent/session/adapters/message-reads.sql.js';
import { describeOnLedgers, type Ledger, NOW } from '../support/ledger.js';

const FINISHED = 100_000;
const RUNNING = 2000;
const QUEUED_RUNS = 50;
const ALL = FINISHED + RUNNING + QUEUED_RUNS;
/** Each query reads a few pages; a scan of the table reads about 3,000. */
const MOST_PAGES = 250;

const NUMBERS = {
  sqlite: `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ALL})`,
  postgres: `WITH numbers AS (SELECT n FROM generate_series(0, ${ALL}) AS n)`,
};
/** Sessions of 100 runs: finished ones, then running ones of ten owners, then queued ones. */
const FILL = `
  SELECT 'run-' || n, 'default', 'alice', 'session-' || n / 100, n / 100, n % 100, 'worker',
    CASE WHEN n < ${FINISHED} THEN 'completed' WHEN n < ${FINISHED + RUNNING} THEN 'running' ELSE 'queued' END, '{}', 'f',
    CASE WHEN n >= ${FINISHED} AND n < ${FINISHED + RUNNING} THEN 'owner-' || n % 10 END,
    CASE WHEN n < ${FINISHED} THEN 0 ELSE ${HELD} END, ${NOW}, CASE WHEN n < ${FINISHED} THEN ${NOW} END
  FROM numbers`;

describeOnLedgers('a ledger with 100,000 finished and 2,000 running runs', (ledger) => {
  it('no query of a sweep reads the finished runs', async () => {
    await fill(ledger());
    const queries: [string, string, SqlValue[]][] = [
      ['queued runs', QUEUED, [256]],
      ['runs whose lease has ended', LOST, [256]],
      ['owners of running runs', `${RUNNING_OWNERS} SELECT name FROM owners`, []],
      ['runs of one owner', OWNED, ['owner-1']],
      ['runs whose events may be removed', PRUNABLE, [NOW, 256]],
      ['everything in one query', SWEEP, ['owner-1', 1, 1]],
    ];
    for (const [title, sql, values] of queries) {
      const { plan, pages } = await explain(
        ledger(),
        sql.replaceAll('{now}', DATABASE_NOW[ledger().database.dialect]),
        values,
      );
      expect({ title, plan, isBounded: pages < MOST_PAGES && !/Seq Scan on runs|SCAN r(uns)?$/m.test(plan) }).toEqual({
        title,
        plan,
        isBounded: true,
      });
    }
  });

  it('a small index finds the run of a session that has a key', async () => {
    await fill(ledger());
    await ledger().database.write(async (tx) => {
      await tx.run(`UPDATE runs SET run_key = 'key-' || ordinal`);
      await tx.run('ANALYZE');
    });
    const key = await explain(ledger(), FIND_BY_KEY, ['key', 'default', 'alice', 'session-1']);
    expect(key.plan).toContain('ux_runs_session_key');
  });

  it('the prunable runs of a tenant are found without those that were pruned, and without those of others', async () => {
    await fill(ledger());
    await ledger().database.write(async (tx) => {
      await tx.run(`UPDATE runs SET tenant_id = 'tenant-' || (no % 50)`);
      await tx.run(`UPDATE runs SET events_pruned_at = ${NOW} WHERE finished_at IS NOT NULL AND no > 20000`);
      await tx.run('ANALYZE');
    });
    const { plan } = await explain(ledger(), PRUNABLE_OF_TENANT, [NOW + 1, 'tenant-1', 50]);
    expect(plan).toContain('ix_runs_tenant_unpruned');
  });

  it('old entries of usage are found without reading the others', async () => {
    const columns = `run_no, step, fence, tenant_id, user_id, run_id, root_run_no, agent, model, state, day, at, input_tokens,
      output_tokens, cost`;
    const entry = `n, 'model:0', 1, 'tenant-' || n % 20, 'alice', 'run-' || n, n, 'worker', 'm', 'settled', '2026-11-01',
      ${NOW} + n, 1, 1, 1`;
    await ledger().database.write(async (tx) => {
      await tx.run(`INSERT INTO usage_entries (${columns}) ${NUMBERS[tx.dialect]} SELECT ${entry} FROM numbers`);
      await tx.run('ANALYZE');
    });
    const { plan, pages } = await explain(ledger(), OLD_ENTRIES.replace('{tenants}', '1 = 1'), [NOW - 1, 500]);
    expect(plan).toContain('ix_usage_entries_at');
    expect({ plan, isBounded: pages < MOST_PAGES && !/Seq Scan on|SCAN (e|n|usage_entries)$/m.test(plan) }).toEqual({
      plan,
      isBounded: true,
    });
  });

  it('messages are found by their ids without reading their session', async () => {
    const { database } = ledger();
    await database.write(async (tx) => {
      const columns = 'session_no, seq, id, run_no, run_ordinal, type, body, created_at';
      const message = `1, n, 'message-' || n, 1, 1, 'message', '{}', ${NOW}`;
      await tx.run(`INSERT INTO messages (${columns}) ${NUMBERS[tx.dialect]} SELECT ${message} FROM numbers`);
      if (tx.dialect === 'postgres') await tx.run('ANALYZE messages');
    });
    const ids = await explain(ledger(), BY_IDS[database.dialect], [1, '["message-7","message-8"]']);
    expect(ids.plan).toContain('ix_messages_id');
    const one = await explain(ledger(), 'SELECT body FROM messages WHERE session_no = ? AND id = ?', [1, 'message-7']);
    expect(one.plan).toContain('ix_messages_id');
  });
});

async function fill({ database }: Ledger): Promise<void> {
  await database.write(async (tx) => {
    const columns = `id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request, fingerprint,
      lease_owner, lease_until, created_at, finished_at`;
    await tx.run(`INSERT INTO runs (${columns}) ${NUMBERS[tx.dialect]} ${FILL}`);
    await tx.run('ANALYZE');
  });
}

/** How the database answers a query, and how many pages PostgreSQL reads for it. */
async function explain(
  { database }: Ledger,
  sql: string,
  values: readonly SqlValue[],
): Promise<{ plan: string; pages: number }> {
  if (database.dialect === 'sqlite') {
    const steps = await database.read.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
    return { plan: steps.map(({ detail }) => detail).join('\n'), pages: 0 };
  }
  const lines = await database.read.all<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS) ${sql}`, values);
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
  const [, hit, read] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan) ?? [];
  return { plan, pages: Number(hit ?? 0) + Number(read ?? 0) };
}

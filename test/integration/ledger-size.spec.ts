import { SystemClock, tenantReach } from '../../src/common/index.js';
import type { SqlValue } from '../../src/database/index.js';
import { SqlRunSearch } from '../../src/run/adapters/sql/run-search.sql.js';
import { ALICE, describeOnLedgers, type Ledger, NOW } from '../support/ledger.js';

const EVENTS_OF_RUN = 100;
const FEW = 50;
const MANY = 2000;
/** Pages that a statement may read more: a plan may look up each of its 20 rows. A scan reads about 5,000. */
const MORE_PAGES = 40;

/** A statement with its values. */
type Statement = readonly [sql: string, values: readonly SqlValue[]];

describeOnLedgers('a ledger with 200,000 events', (ledger) => {
  it('its reads and writes touch as many pages as those of a ledger with 5,000', async () => {
    if (ledger().database.dialect !== 'postgres') return;
    await fill(ledger(), 1, FEW);
    const before = await pagesOf(ledger(), FEW);
    await fill(ledger(), FEW + 1, MANY);
    const after = await pagesOf(ledger(), MANY);
    expect(before.map(({ sql }) => sql)).toEqual(after.map(({ sql }) => sql));
    const grown = after.filter(({ pages }, index) => pages > (before[index]?.pages ?? 0) + MORE_PAGES);
    expect(grown).toEqual([]);
    expect(after.filter(({ plan }) => /Seq Scan on run_event_chunks/.test(plan))).toEqual([]);
  });
});

/** Ended runs with their events, each in a session of its own, from one number to another. */
async function fill({ database }: Ledger, from: number, to: number): Promise<void> {
  await database.write(async (tx) => {
    await tx.run(`
      INSERT INTO sessions (no, tenant_id, user_id, id, run_count, message_count, created_at, updated_at)
      SELECT s, 'default', 'alice', 'session-' || s, 10, 20, ${NOW}, ${NOW} + s FROM generate_series(${from}, ${to}) s`);
    await tx.run(`
      INSERT INTO runs (no, id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request,
        fingerprint, fence, next_seq, created_at, finished_at)
      SELECT n, 'run-' || n, 'default', 'alice', 'session-' || n, n, 1, 'worker', 'completed', '{}', 'f', 1,
        ${EVENTS_OF_RUN}, ${NOW} + n, ${NOW} + n
      FROM generate_series(${from}, ${to}) n`);
    await tx.run(`
      INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at)
      SELECT n, e, 1, '{"object":"custom","name":"n","value":"' || repeat('x', 100) || e || '"}', ${NOW}
      FROM generate_series(${from}, ${to}) n, generate_series(0, ${EVENTS_OF_RUN - 1}) e`);
  });
  await database.read.run('VACUUM ANALYZE run_event_chunks, runs, sessions');
}

/** What the newest run, the lists and a commit read and write, and how many pages that is. */
async function pagesOf(
  { database, log, runs }: Ledger,
  newest: number,
): Promise<{ sql: string; plan: string; pages: number }[]> {
  const made: Statement[] = [];
  const { read } = database;
  const all = read.all.bind(read);
  const spy = jest.spyOn(read, 'all').mockImplementation((sql, values = []) => {
    made.push([sql, values]);
    return all(sql, values);
  });
  expect(await log.read(newest, EVENTS_OF_RUN / 2, 20)).not.toHaveLength(0);
  expect(
    (await new SqlRunSearch(database, new SystemClock()).list(tenantReach('default'), { limit: 20 })).items,
  ).toHaveLength(20);
  expect(await runs.list(ALICE, `session-${newest}`, { limit: 20 })).toHaveLength(1);
  spy.mockRestore();
  made.push([
    'INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at) VALUES (?, ?, ?, ?, ?)',
    [newest, EVENTS_OF_RUN, 1, '{}', NOW],
  ]);
  const found = [];
  for (const [sql, values] of made) {
    const lines = await read.all<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS) ${sql}`, values);
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    const [, hit, fromDisk] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan) ?? [];
    found.push({ sql, plan, pages: Number(hit ?? 0) + Number(fromDisk ?? 0) });
  }
  return found;
}

import { type Reach, SystemClock, tenantReach, userReach } from '../../src/common/index.js';
import type { SqlValue } from '../../src/database/index.js';
import { listStatement, LOOKED_AT, restStatement, SqlRunSearch } from '../../src/run/adapters/sql/run-search.sql.js';
import type { RunListQuery, RunSummary } from '../../src/run/index.js';
import { EVENTS_LOOKED_AT, searchEvents } from '../../src/run/query/run-query.service.js';
import { SqlSessionSearch } from '../../src/agent/session/adapters/session-search.sql.js';
import { describeOnLedgers, type Ledger, NOW } from '../support/ledger.js';

const RUNS = 100_000;
const EVENTS = 50_000;
/** How many events each commit has. */
const COMMIT = 50;
/** A page reads one range of an index; a scan of the table would read several times as much. */
const MOST_PAGES = 20_000;
const TENANT = tenantReach('default');
const ALICE = userReach({ tenantId: 'default', userId: 'alice' });

const BOB = userReach({ tenantId: 'default', userId: 'bob' });

const NUMBERS = {
  sqlite: `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${RUNS - 1})`,
  postgres: `WITH numbers AS (SELECT n FROM generate_series(0, ${RUNS - 1}) AS n)`,
};
/** Ten runs in each session, every tenth of another user, every thousandth failed, one of a rare agent. */
const FILL = `
  SELECT 'run-' || n, 'default', CASE WHEN n % 10 = 0 THEN 'bob' ELSE 'alice' END, 'session-' || n / 10, n / 10 + 1,
    n % 10 + 1, CASE WHEN n = 5 THEN 'rare' ELSE 'worker' END, CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'completed' END,
    '{"clientTools":[],"modelOptions":{},"clientTime":null,"forwardedProps":{}}', 'f', ${NOW} + n, ${NOW} + n, ${NOW} + n,
    'Words of ' || n
  FROM numbers`;

describeOnLedgers('a ledger with 100,000 runs', (ledger) => {
  const list = (query: Partial<RunListQuery>, reach = TENANT) =>
    new SqlRunSearch(ledger().database, new SystemClock()).list(reach, { limit: 50, ...query });

  /** The runs of all pages. */
  const all = async (query: Partial<RunListQuery>, reach: Reach): Promise<readonly RunSummary[]> => {
    const { items, nextCursor } = await list(query, reach);
    return nextCursor === undefined ? items : [...items, ...(await all({ ...query, cursor: nextCursor }, reach))];
  };

  it('pages are complete, in order, filtered, and each reads a bounded part of an index', async () => {
    await fill(ledger());
    const first = await list({});
    expect(first.items.map(({ runId }) => runId)).toEqual(Array.from({ length: 50 }, (_, n) => `run-${RUNS - 1 - n}`));
    const second = await list({ cursor: first.nextCursor ?? '' });
    expect(second.items[0]?.runId).toBe(`run-${RUNS - 51}`);
    expect((await list({}, ALICE)).items.every(({ userId }) => userId === 'alice')).toBe(true);
    const failed = await list({ state: 'failed', limit: 100 });
    expect([failed.items.length, failed.nextCursor]).toEqual([100, undefined]);
    expect(await all({ state: 'failed', limit: 100 }, BOB)).toHaveLength(100);
    expect(await all({ state: 'failed', limit: 100, since: NOW + 90_000 }, ALICE)).toEqual([]);
    const window = await list({ since: NOW + 500, until: NOW + 503 });
    expect(window.items.map(({ runId }) => runId)).toEqual(['run-502', 'run-501', 'run-500']);
    expect((await list({ text: 'words OF 99999' })).items.map(({ runId }) => runId)).toEqual(['run-99999']);
    expect((await list({ text: '50%' })).items).toEqual([]);
    // A filter that matches one old run reaches it page by page, none of which is long.
    let pages = 0;
    let found: string[] = [];
    for (let cursor: string | undefined; found.length === 0; pages += 1) {
      const page = await list({ agentType: 'rare', ...(cursor !== undefined && { cursor }) });
      found = page.items.map(({ runId }) => runId);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    expect([found, pages]).toEqual([['run-5'], RUNS / LOOKED_AT]);
    for (const [title, sql, values] of statements()) {
      const plan = await planOf(ledger(), sql, values);
      expect({ title, plan, isBounded: isBounded(plan) }).toEqual({ title, plan, isBounded: true });
    }
  }, 120_000);

  it('a log of 50,000 events is read from any place, and searched page by page', async () => {
    const run = await ledger().running();
    await fillLog(ledger(), run.rowId);
    const of = { rowId: run.rowId, total: EVENTS };
    const log = ledger().log;
    const end = await searchEvents(log, of, { after: EVENTS - 3, limit: 200 });
    expect([end.items.map(({ seq }) => seq), end.next]).toEqual([[EVENTS - 2, EVENTS - 1], undefined]);
    const page = await searchEvents(log, of, { after: 24_999, limit: 200 });
    expect([page.items[0]?.seq, page.items.length, page.next]).toEqual([25_000, 200, 25_199]);
    const none = await searchEvents(log, of, { after: -1, limit: 200, text: 'NEEDLE' });
    expect([none.items, none.next]).toEqual([[], EVENTS_LOOKED_AT - 1]);
    const found = await searchEvents(log, of, { after: 39_999, limit: 200, text: 'NEEDLE', kinds: ['custom'] });
    expect(found.items.map(({ seq }) => seq)).toEqual([40_000]);
    const marks = await log.select(run.rowId, { kinds: ['custom'], order: 'asc', limit: 10 });
    expect(marks.map(({ seq }) => seq)).toEqual([40_000]);
  }, 120_000);

  it('sessions are listed by their last change, without reading the others', async () => {
    const search = new SqlSessionSearch(ledger().database);
    for (const sessionId of ['a', 'b', 'c'])
      await ledger().accept({ sessionId }, { now: NOW + sessionId.charCodeAt(0) });
    const page = await search.list(TENANT, { limit: 2 });
    expect(page.items.map(({ sessionId }) => sessionId)).toEqual(['c', 'b']);
    const rest = await search.list(TENANT, { limit: 2, cursor: page.nextCursor ?? '' });
    expect([rest.items.map(({ sessionId }) => sessionId), rest.nextCursor]).toEqual([['a'], undefined]);
    const runs = await list({ sessionId: 'b' }, ALICE);
    expect(runs.items).toMatchObject([{ sessionId: 'b', state: 'queued', queuePosition: 1 }]);
    expect((await list({ sessionId: 'b' }, BOB)).items).toEqual([]);
  });
});

/** What the lists ask the database. */
function statements(): readonly [title: string, sql: string, values: readonly SqlValue[]][] {
  const ranges: readonly [string, Parameters<typeof listStatement>[0]['conditions'][number]][] = [
    ['of a tenant', { sql: 'tenant_id = ?', values: ['default'] }],
    ['of a user', { sql: 'tenant_id = ? AND user_id = ?', values: ['default', 'alice'] }],
    ['of a tenant with a status', { sql: 'tenant_id = ? AND status = ?', values: ['default', 'failed'] }],
  ];
  return ranges.flatMap(([title, condition]): [string, string, readonly SqlValue[]][] => {
    const before = { sql: '(created_at, no) < (?, ?)', values: [NOW + 60_000, 60_000] };
    const range = { key: 'created_at' as const, conditions: [condition, before] };
    return [
      [`runs ${title}`, ...listStatement(range, { limit: 50, agentType: 'rare' })],
      [`the end of a page of runs ${title}`, ...restStatement(range)],
    ];
  });
}

async function fill({ database }: Ledger): Promise<void> {
  await database.write(async (tx) => {
    const columns = `id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request, fingerprint,
      created_at, started_at, finished_at, input_text`;
    await tx.run(`INSERT INTO runs (${columns}) ${NUMBERS[tx.dialect]} ${FILL}`);
    await tx.run('ANALYZE');
  });
}

async function fillLog({ database }: Ledger, rowId: number): Promise<void> {
  await database.write(async (tx) => {
    for (let first = 0; first < EVENTS; first += COMMIT) {
      const lines = Array.from({ length: COMMIT }, (_, index) =>
        first + index === 40_000
          ? '{"object":"custom","name":"needle","value":null}'
          : `{"object":"content","status":"in_progress","type":"text","index":0,"delta":true,"msg_id":"m","text":"${index}"}`,
      );
      tx.send(
        'INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at) VALUES (?, ?, ?, ?, ?)',
        [rowId, first, COMMIT, lines.join('\n'), NOW + first],
      );
    }
    await tx.run('UPDATE runs SET next_seq = ? WHERE no = ?', [EVENTS, rowId]);
  });
}

/** How the database answers a query; with the pages that PostgreSQL reads. */
async function planOf({ database }: Ledger, sql: string, values: readonly SqlValue[]): Promise<string> {
  if (database.dialect === 'sqlite') {
    const steps = await database.read.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
    return steps.map(({ detail }) => detail).join('\n');
  }
  const lines = await database.read.all<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, BUFFERS) ${sql}`, values);
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

/** No scan of the table, and no sorting of what an index has not ordered. */
function isBounded(plan: string): boolean {
  const [, hit, read] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan) ?? [];
  const pages = Number(hit ?? 0) + Number(read ?? 0);
  const runs = plan.split('\n').filter((line) => /\b(SCAN|SEARCH) runs\b|on runs\b/.test(line));
  return pages < MOST_PAGES && runs.length > 0 && !runs.some((line) => /Seq Scan|SCAN runs$/.test(line));
}

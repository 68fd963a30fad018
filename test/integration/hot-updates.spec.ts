import { describeOnLedgers, type Ledger, lines, logWrite, NOW } from '../support/ledger.js';

const APPENDS = 30;

/** Finished runs of about 900 bytes. */
const FILL = `
  INSERT INTO runs (id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request, fingerprint,
    next_seq, created_at, finished_at)
  SELECT 'old-' || n, 'default', 'alice', 'old', -1, n, 'worker', 'completed', repeat('x', 600), repeat('f', 64), 9,
    ${NOW}, ${NOW} FROM generate_series(1, 5000) AS n`;

const COUNTS = `
  SELECT n_tup_upd AS updates, n_tup_hot_upd AS hot FROM pg_stat_xact_user_tables WHERE relname = 'runs'`;

describeOnLedgers('the rows of runs', (ledger) => {
  it('an append is a HOT update, also in a table that has grown and was vacuumed (PostgreSQL)', async () => {
    const { database } = ledger();
    // SQLite updates rows in place.
    if (database.dialect === 'sqlite') return;
    await database.write((tx) => tx.run(FILL));
    // Room for one row in every page, as after the removal of old runs.
    await database.write((tx) => tx.run('DELETE FROM runs WHERE no % 8 = 0'));
    await database.read.run('VACUUM ANALYZE runs');
    const run = await ledger().running({ forwardedProps: { pad: 'x'.repeat(600) } });
    const appends: Counts[] = [];
    for (let seq = 0; seq < APPENDS; seq += 1) {
      appends.push(await updatesOf(ledger(), (tx) => ledger().log.append(tx, write(seq))));
    }
    const sum = (of: keyof Counts): number => appends.reduce((total, counts) => total + counts[of], 0);
    expect(sum('updates')).toBe(APPENDS);
    // Without room in the pages none is. A few are not while another database of the cluster holds back the clean-up.
    expect(sum('hot')).toBeGreaterThanOrEqual(APPENDS * 0.6);

    function write(firstSeq: number) {
      return logWrite(run, { firstSeq, lines: lines(firstSeq, 1) });
    }
  });
});

type Work = Parameters<Ledger['database']['write']>[0];

interface Counts {
  readonly updates: number;
  readonly hot: number;
}

/** How many updates of `runs` a transaction makes, and how many of them are HOT. */
function updatesOf({ database }: Ledger, work: Work): Promise<Counts> {
  return database.write(async (tx) => {
    const counts = async (): Promise<Counts> => {
      const [row] = await tx.all<Counts>(COUNTS);
      return row ?? { updates: 0, hot: 0 };
    };
    const before = await counts();
    await work(tx);
    const after = await counts();
    return { updates: after.updates - before.updates, hot: after.hot - before.hot };
  });
}

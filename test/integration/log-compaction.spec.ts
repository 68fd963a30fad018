import { SqlLogCompaction } from '../../src/run/adapters/sql/log-compaction.sql.js';
import { RunCompaction } from '../../src/run/end/compact-runs.js';
import type { RetainedSummaries } from '../../src/run/end/retained-summaries.js';
import type { RunRecord } from '../../src/run/run-record.js';
import { SystemClock } from '../../src/common/index.js';
import { ALICE, describeOnLedgers, type Ledger, LEASE, lines, logWrite, NOW, runEnd } from '../support/ledger.js';

const COMMITS = 40;
const PER_COMMIT = 15;
const EVENTS = COMMITS * PER_COMMIT;
const SUMMARY = { kept: { events: EVENTS } };

/** An event as readers see it. */
type Seen = readonly [seq: number, json: string, at: number];

describeOnLedgers('the compaction of logs', (ledger) => {
  /** SQLite keeps its rows. */
  const isUseful = (): boolean => new SqlLogCompaction(ledger().database).isUseful;
  const rows = (run: RunRecord): Promise<{ first_seq: number; event_count: number }[]> =>
    ledger().database.read.all('SELECT first_seq, event_count FROM run_event_chunks WHERE run_no = ? ORDER BY 1', [
      run.rowId,
    ]);

  /** A run that ended after many commits, each at a time of its own. */
  async function endedRun(): Promise<RunRecord> {
    const { run } = await ledger().accept({}, { lease: LEASE });
    for (let commit = 0; commit < COMMITS; commit += 1) {
      const firstSeq = commit * PER_COMMIT;
      const end = commit === COMMITS - 1 ? { end: runEnd() } : {};
      await ledger().commits.append([
        logWrite(run, { firstSeq, lines: lines(firstSeq, PER_COMMIT), at: NOW + commit, ...end }),
      ]);
    }
    return found(ledger(), run);
  }

  it('is of use on PostgreSQL', () => {
    expect(isUseful()).toBe(ledger().database.dialect === 'postgres');
  });

  it('keeps every event with its number and its time, from every cursor', async () => {
    if (!isUseful()) return;
    const run = await endedRun();
    const before = await seen(ledger(), run, 0);
    expect(await compactionOf(ledger()).compact(run, SUMMARY, NOW)).toBe(true);
    expect(await rows(run)).toEqual([
      { first_seq: 0, event_count: 256 },
      { first_seq: 256, event_count: 256 },
      { first_seq: 512, event_count: 87 },
      { first_seq: 599, event_count: 1 },
    ]);
    expect(before.length).toBe(EVENTS);
    for (let from = 0; from <= EVENTS; from += 7) expect(await seen(ledger(), run, from)).toEqual(before.slice(from));
    const newest = { kinds: ['custom'], order: 'desc', limit: EVENTS } as const;
    const selected = await ledger().log.select(run.rowId, newest);
    expect(selected.map(({ seq, json, at }): Seen => [seq, json, at])).toEqual(before.toReversed());
    expect((await found(ledger(), run)).retainedSummaries).toEqual(SUMMARY);
  });

  it('does not disturb a reader, wherever it is', async () => {
    if (!isUseful()) return;
    const { read } = ledger().database;
    const all = read.all.bind(read);
    for (const from of [0, 7, 250, 300]) {
      const run = await endedRun();
      const before = await seen(ledger(), run, from);
      let compacted = false;
      // Between the two queries of one page.
      const spy = jest.spyOn(read, 'all').mockImplementation(async (sql, values) => {
        if (!compacted && sql.includes('first_seq > ?')) {
          compacted = true;
          await compactionOf(ledger()).compact(run, null, NOW);
        }
        return all(sql, values);
      });
      expect(await seen(ledger(), run, from)).toEqual(before);
      expect(compacted).toBe(true);
      spy.mockRestore();
    }
  });

  it('is done by one process', async () => {
    if (!isUseful()) return;
    const run = await endedRun();
    const another = await ledger().another();
    const both = [compactionOf(ledger()), compactionOf(another)].map((one) => one.compact(run, SUMMARY, NOW));
    expect((await Promise.all(both)).sort()).toEqual([false, true]);
    await another.database.close();
  });

  it('leaves a log as it is whose events are not all there', async () => {
    if (!isUseful()) return;
    const run = await endedRun();
    await ledger().database.write((tx) =>
      tx.run('DELETE FROM run_event_chunks WHERE run_no = ? AND first_seq = 15', [run.rowId]),
    );
    expect(await compactionOf(ledger()).compact(run, null, NOW)).toBe(true);
    expect(await rows(run)).toHaveLength(COMMITS - 1);
    await ledger().prune(NOW + 700_000, NOW + 800_000, 100);
    expect(await rows(run)).toEqual([{ first_seq: EVENTS - 1, event_count: 1 }]);
  });

  it('comes ten minutes after the end of a run, once, with the summaries that the retention needs', async () => {
    if (!isUseful()) return;
    const run = await endedRun();
    const read: string[] = [];
    const compactAll = (now: number): Promise<number> => {
      const summaries = { of: ({ id }: RunRecord) => Promise.resolve(read.push(id) && SUMMARY) };
      const clock = Object.assign(new SystemClock(), { now: () => now });
      return new RunCompaction(compactionOf(ledger()), summaries as unknown as RetainedSummaries, clock).compactAll();
    };
    expect(await compactAll(NOW + 600_000)).toBe(0);
    expect(await compactAll(NOW + 700_000)).toBe(1);
    expect(await compactAll(NOW + 700_000)).toBe(0);
    expect(read).toEqual([run.id]);

    expect(await ledger().prune(NOW + 700_000, NOW + 800_000, 100)).toEqual({ runs: 1, events: EVENTS - 1 });
    expect(await rows(run)).toEqual([{ first_seq: EVENTS - 1, event_count: 1 }]);
    expect(await seen(ledger(), run, 0)).toEqual([[EVENTS - 1, lines(EVENTS - 1, 1)[0], NOW + COMMITS - 1]]);
    // `prune` of the test support knows no summaries: these were stored by the compaction.
    expect((await found(ledger(), run)).retainedSummaries).toEqual(SUMMARY);
  });
});

function compactionOf({ database }: Ledger): SqlLogCompaction {
  return new SqlLogCompaction(database);
}

/** The run as it is in the database. */
async function found({ runs }: Ledger, { id }: RunRecord): Promise<RunRecord> {
  const run = await runs.find(ALICE, id);
  if (!run) throw new Error(`no run ${id}`);
  return run;
}

/** All events from a number on, page by page. */
async function seen({ log }: Ledger, { rowId }: RunRecord, from: number): Promise<Seen[]> {
  const events: Seen[] = [];
  for (let next = from; ;) {
    const page = await log.read(rowId, next, 50);
    const last = page.at(-1);
    if (!last) return events;
    events.push(...page.map(({ seq, json, at }): Seen => [seq, json, at]));
    next = last.seq + 1;
  }
}

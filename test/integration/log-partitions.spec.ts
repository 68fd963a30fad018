import { Logger } from '@nestjs/common';
import { readSettings } from '../../src/config/index.js';
import { Metrics, SystemClock } from '../../src/common/index.js';
import { TypeOrmTenantStore } from '../../src/access/adapters/typeorm-tenant-store.js';
import { StoredRetention } from '../../src/access/tenants/tenant-retentions.js';
import { SqlLogCompaction } from '../../src/run/adapters/sql/log-compaction.sql.js';
import { SqlLogPruning } from '../../src/run/adapters/sql/log-pruning.sql.js';
import { PARTITION_RUNS, SqlLogPartitions } from '../../src/run/adapters/sql/log-partitions.sql.js';
import { type RunPruning, RunRetention } from '../../src/run/end/prune-runs.js';
import type { RunRecord } from '../../src/run/run-record.js';
import { Retention, RetentionSettings } from '../../src/retention/index.js';
import { describeOnLedgers, LEASE, lines, logWrite, nextId, NOW, runEnd } from '../support/ledger.js';

const SIZE = 10;
const EVENTS = 5;
const SUMMARY = { kept: { events: EVENTS } };
/** When runs of these tests are old: RUN_EVENTS_RETENTION has its default. */
const LATER = NOW + 8 * 86_400_000;

describeOnLedgers('partitions of events', (ledger) => {
  const isDivided = (): boolean => ledger().database.dialect === 'postgres';
  let metrics: Metrics;
  beforeAll(() => jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined));
  afterAll(() => jest.restoreAllMocks());
  let partitions: SqlLogPartitions;

  beforeEach(async () => {
    metrics = new Metrics();
    partitions = new SqlLogPartitions(ledger().database, metrics, SIZE);
    if (isDivided()) await renumber();
  });

  /** Later runs get numbers of partitions that do not exist yet. */
  async function renumber(): Promise<void> {
    const bounds = (await tables()).map(({ to }) => to);
    await ledger().database.write((tx) => tx.run(`SELECT setval('runs_no_seq', ${Math.max(...bounds)}, false)`));
  }

  /** The partitions, without the default one. */
  async function tables(): Promise<{ name: string; to: number }[]> {
    const rows = await ledger().database.read.all<{ name: string; bound: string }>(`
      SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'run_event_chunks'::regclass`);
    return rows
      .filter(({ bound }) => bound !== 'DEFAULT')
      .map(({ name, bound }) => ({ name, to: Number(/TO \((\d+)\)/.exec(bound)?.[1]) }))
      .sort((one, other) => one.to - other.to);
  }

  /** One event of each of some runs, whose numbers are used up. */
  async function fillDefault(from: number, count: number): Promise<void> {
    const to = from + count - 1;
    await ledger().database.write(async (tx) => {
      await tx.run(`
        INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at)
        SELECT n, 0, 1, '[{}]', ${NOW} FROM generate_series(${from}, ${to}) n`);
      await tx.run(`SELECT setval('runs_no_seq', ${to})`);
    });
  }

  const fileOf = (table: string): Promise<unknown> =>
    ledger().database.read.all(`SELECT pg_relation_filenode('${table}') AS file`);

  const tableOf = async ({ rowId }: RunRecord): Promise<string | undefined> => {
    const sql = 'SELECT tableoid::regclass::text AS name FROM run_event_chunks WHERE run_no = ? LIMIT 1';
    return (await ledger().database.read.all<{ name: string }>(sql, [rowId]))[0]?.name;
  };

  async function running(): Promise<RunRecord> {
    const { run } = await ledger().accept({ sessionId: nextId('session') }, { lease: LEASE });
    await ledger().commits.append([logWrite(run, { lines: lines(0, EVENTS - 1), at: NOW })]);
    return run;
  }

  async function ended(isCompacted = true): Promise<RunRecord> {
    const run = await running();
    const last = logWrite(run, { firstSeq: EVENTS - 1, lines: lines(EVENTS - 1, 1), at: NOW, end: runEnd() });
    await ledger().commits.append([last]);
    const found = await ledger().find(run);
    if (isCompacted) await new SqlLogCompaction(ledger().database).compact(found, SUMMARY, NOW);
    return found;
  }

  const retention = (): RunRetention => {
    const clock = Object.assign(new SystemClock(), { now: () => LATER });
    const pruning: Pick<RunPruning, 'prune'> = { prune: (before, limit) => ledger().prune(before, LATER, limit) };
    const compacted = new SqlLogPruning(ledger().database);
    const stored = new StoredRetention(new TypeOrmTenantStore(ledger().database));
    const periods = new Retention(readSettings(RetentionSettings, {}), stored, clock);
    return new RunRetention(pruning as RunPruning, compacted, partitions, periods, clock);
  };

  const defaultRows = async (): Promise<unknown> => {
    const gauge = metrics.all.find(({ name }) => name === 'parley_default_partition_rows');
    return gauge?.type === 'gauge' ? gauge.read() : undefined;
  };

  it('are of use on PostgreSQL', async () => {
    expect(partitions.isUseful).toBe(isDivided());
    expect(isDivided() || (await partitions.ended(LATER))).toEqual(isDivided() || []);
  });

  it('are created ahead of the runs, once', async () => {
    if (!isDivided()) return;
    const before = (await tables()).length;
    expect(await partitions.createAhead()).toBeGreaterThanOrEqual(4);
    expect(await partitions.createAhead()).toBe(0);
    expect((await tables()).length).toBeGreaterThanOrEqual(before + 4);
    const run = await running();
    expect(await tableOf(run)).toBe(`run_event_chunks_${Math.floor(run.rowId / SIZE) * SIZE}`);
    expect(await defaultRows()).toBe(0);
  });

  it('a run without a partition is written and read all the same, and moves to its own later', async () => {
    if (!isDivided()) return;
    const run = await ended();
    expect(await tableOf(run)).toBe('run_event_chunks_default');
    expect(await defaultRows()).toBe(2);
    await partitions.createAhead();
    expect(await tableOf(run)).toBe(`run_event_chunks_${Math.floor(run.rowId / SIZE) * SIZE}`);
    expect(await defaultRows()).toBe(0);
    expect(await ledger().log.read(run.rowId, 0, 100)).toHaveLength(EVENTS);
  });

  it('many runs without a partition get theirs without moving, while others write and read', async () => {
    if (!isDivided()) return;
    const run = await running();
    await fillDefault(run.rowId + 1, 30_000);
    const file = await fileOf('run_event_chunks_default');
    const all = await ledger().count('run_event_chunks');
    let isOver = false;
    let written = 0;
    const writing = (async () => {
      for (; !isOver || written === 0; written += 1)
        await ledger().commits.append([logWrite(run, { firstSeq: EVENTS - 1 + written, lines: lines(0, 1), at: NOW })]);
    })();
    const counts: number[] = [];
    const reading = (async () => {
      while (!isOver || counts.length === 0) counts.push(await ledger().count('run_event_chunks'));
    })();
    await partitions.createAhead();
    isOver = true;
    await Promise.all([writing, reading]);
    expect(counts.filter((count) => count < all || count > all + written)).toEqual([]);
    expect(await fileOf((await tableOf(run)) ?? '')).toEqual(file);
    expect([await defaultRows(), await ledger().count('run_event_chunks')]).toEqual([0, all + written]);
    const bounds = (await tables()).map(({ to }) => to);
    expect(bounds.at(-1)).toBeGreaterThan(run.rowId + 30_000 + 3 * SIZE);
    expect(await partitions.createAhead()).toBe(0);
    expect(await tableOf(await running())).not.toBe('run_event_chunks_default');
  });

  it('if many runs cannot get their partition, later ones are still written', async () => {
    if (!isDivided()) return;
    const run = await running();
    await fillDefault(run.rowId + 1, 2000);
    const before = await tables();
    await ledger().database.write(async (tx) => {
      // As pg_dump does.
      await tx.run('LOCK TABLE run_event_chunks IN ACCESS SHARE MODE');
      await expect(partitions.createAhead()).rejects.toThrow('lock timeout');
    });
    expect(await tables()).toEqual(before);
    await fillDefault(run.rowId + 3000, 100 * SIZE);
    await partitions.createAhead();
    expect(await defaultRows()).toBe(0);
  });

  it('one whose runs are old is dropped, and their last events stay', async () => {
    if (!isDivided()) return;
    await partitions.createAhead();
    const runs: RunRecord[] = [];
    for (let count = 0; count < SIZE; count += 1) runs.push(await ended(count % 2 === 0));
    const young = await running();
    const name = (await tableOf(runs[0] as RunRecord)) ?? '';
    expect(await tableOf(young)).not.toBe(name);
    expect(await retention().pruneAll()).toEqual({ runs: SIZE, events: SIZE * (EVENTS - 1) });
    expect((await tables()).map((table) => table.name)).not.toContain(name);
    expect(await tableOf(young)).toBeDefined();
    const [json] = lines(EVENTS - 1, 1);
    for (const run of runs) {
      const left = await ledger().log.read(run.rowId, 0, 100);
      expect(left.map((event) => [event.seq, event.json, event.at])).toEqual([[EVENTS - 1, json, NOW]]);
      const query = { kinds: ['custom'], order: 'desc', limit: 9 } as const;
      expect((await ledger().log.select(run.rowId, query)).map(({ seq }) => seq)).toEqual([EVENTS - 1]);
      expect(await ledger().log.read(run.rowId, EVENTS, 100)).toEqual([]);
      expect((await ledger().find(run)).eventsPrunedAt).toBe(LATER);
    }
    await ledger().removeRun(await ledger().find(runs[0] as RunRecord));
    expect(await ledger().count('run_results')).toBe(SIZE - 1);
  });

  it('one with a run that has not ended stays, and the others lose their rows', async () => {
    if (!isDivided()) return;
    await partitions.createAhead();
    const still = await running();
    const runs: RunRecord[] = [];
    for (let count = 0; count < SIZE; count += 1) runs.push(await ended());
    expect((await retention().pruneAll()).runs).toBe(SIZE);
    expect(await ledger().log.read(still.rowId, 0, 100)).toHaveLength(EVENTS - 1);
    expect(await ledger().count('run_results')).toBe(0);
    expect(await ledger().count('run_event_chunks')).toBe(1 + SIZE);
    expect(await partitions.ended(LATER)).toEqual([]);
    expect(await partitions.drop({ from: still.rowId, to: still.rowId + SIZE })).toBe(false);
  });

  it('dropping one waits for a lock only for a moment, so that writers do not wait for a backup', async () => {
    if (!isDivided()) return;
    await partitions.createAhead();
    await retention().pruneAll();
    for (let count = 0; count <= SIZE; count += 1) await ended();
    const before = (await tables()).length;
    await ledger().database.write(async (tx) => {
      // As pg_dump does.
      await tx.run('LOCK TABLE run_event_chunks IN ACCESS SHARE MODE');
      await expect(retention().pruneAll()).rejects.toThrow('lock timeout');
    });
    expect(await tables()).toHaveLength(before);
    expect(await retention().pruneAll()).toEqual({ runs: 0, events: 0 });
    expect(await tables()).toHaveLength(before - 1);
    expect(await ledger().count('run_results')).toBe(SIZE);
  });

  it('no statement touches another partition than that of its runs', async () => {
    if (!isDivided()) return;
    await partitions.createAhead();
    const run = await ended();
    const name = (await tableOf(run)) ?? '';
    const statements = [
      `SELECT * FROM run_event_chunks WHERE run_no = ${run.rowId} AND first_seq <= 3 ORDER BY first_seq DESC LIMIT 1`,
      `SELECT * FROM run_event_chunks WHERE run_no = ${run.rowId} AND first_seq > 3 ORDER BY first_seq LIMIT 9`,
      `DELETE FROM run_event_chunks WHERE run_no = ${run.rowId} AND first_seq < 0`,
    ];
    for (const statement of statements) {
      const plan = await ledger().database.read.all<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement}`);
      const touched = plan.flatMap(
        (row) => /(run_event_chunks_\w+) run_event_chunks/.exec(row['QUERY PLAN'])?.[1] ?? [],
      );
      expect(new Set(touched)).toEqual(new Set([name]));
    }
  });

  it('hold 250,000 runs each', () => {
    expect(PARTITION_RUNS).toBe(250_000);
  });
});

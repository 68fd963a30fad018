import { DataSource, type MigrationInterface } from 'typeorm';
import { dataSourceOptions } from '../../src/database/index.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { settingsOf } from '../support/ledger.js';

const SERVER = process.env.TEST_DATABASE_URL ?? '';
const ROWS = 20_000;

/** Whether a migration came after those of the partitions. */
const isYounger = (name: string): boolean => Number(name.slice(-13)) > 1_797_120_000_000;

(SERVER === '' ? describe.skip : describe)('the migration to partitions of a table with events', () => {
  let test: TestDatabase;
  let source: DataSource;
  /** Migrations that are younger than the one that is tested, and itself. */
  let later: number;

  beforeEach(async () => {
    test = await postgresDatabase(SERVER);
    const options = dataSourceOptions(settingsOf(test));
    const migrations = (options.migrations as (new () => MigrationInterface)[]).filter((one) => !isYounger(one.name));
    source = await new DataSource({ ...options, migrations }).initialize();
    const applied = await source.runMigrations({ transaction: 'all' });
    const names = applied.map(({ name }) => name);
    later = names.length - names.findIndex((name) => name.startsWith('PartitionEvents'));
    await revert();
    await source.query(`
      INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at)
      SELECT 240000 + n, 0, 1, '{"n":' || n || '}', n FROM generate_series(1, ${ROWS}) n`);
  });
  afterEach(async () => {
    await source.destroy();
    await test.drop();
  });

  /** The migration, and those after it. */
  const revert = async (): Promise<void> => {
    for (let left = later; left > 0; left -= 1) await source.undoLastMigration({ transaction: 'all' });
  };
  const rows = (): Promise<unknown[]> => source.query('SELECT * FROM run_event_chunks ORDER BY run_no, first_seq');
  const fileOf = (table: string): Promise<unknown> => source.query(`SELECT pg_relation_filenode('${table}') AS file`);
  const bounds = async (): Promise<unknown> =>
    source.query(`SELECT relname AS name, pg_get_expr(relpartbound, oid) AS bound FROM pg_class
      WHERE relispartition AND relkind = 'r' ORDER BY 1`);

  it('leaves its rows where they are, and can be reverted', async () => {
    const [before, file] = [await rows(), await fileOf('run_event_chunks')];
    await source.runMigrations({ transaction: 'all' });
    expect(await rows()).toEqual(before);
    expect(await fileOf('run_event_chunks_0')).toEqual(file);
    expect(await bounds()).toEqual([
      { name: 'run_event_chunks_0', bound: 'FOR VALUES FROM (MINVALUE) TO (500000)' },
      { name: 'run_event_chunks_1000000', bound: 'FOR VALUES FROM (1000000) TO (1250000)' },
      { name: 'run_event_chunks_500000', bound: 'FOR VALUES FROM (500000) TO (750000)' },
      { name: 'run_event_chunks_750000', bound: 'FOR VALUES FROM (750000) TO (1000000)' },
      { name: 'run_event_chunks_default', bound: 'DEFAULT' },
    ]);
    await source.query(
      `INSERT INTO run_results (run_no, seq, body, created_at) VALUES (1, 7, '{}', 5), (240001, 0, '{}', 1)`,
    );
    await revert();
    const kept = { run_no: 1, first_seq: 7, event_count: 1, body: '{}', created_at: 5, times: null };
    expect(await rows()).toEqual([kept, ...before]);
  });

  it('leaves the next partitions to the chore if somebody reads, so that nobody waits behind it', async () => {
    const applied = await source.runMigrations({ transaction: 'all' });
    expect(applied.at(-1)?.name).toMatch(/^CreatePartitions/);
    const before = await bounds();
    await source.undoLastMigration({ transaction: 'all' });
    const reader = source.createQueryRunner();
    await reader.startTransaction();
    await reader.query('SELECT 1 FROM runs LIMIT 1');
    await source.runMigrations({ transaction: 'all' });
    expect(await bounds()).toEqual(before);
    await reader.rollbackTransaction();
    await reader.release();
  });

  it('takes a bound that was proved before, so that it does not read the rows', async () => {
    const check =
      'ALTER TABLE run_event_chunks ADD CONSTRAINT ck_run_event_chunks_0 CHECK (run_no < 1000000) NOT VALID';
    await source.query(check);
    await source.query('ALTER TABLE run_event_chunks VALIDATE CONSTRAINT ck_run_event_chunks_0');
    await source.runMigrations({ transaction: 'all' });
    expect(await bounds()).toMatchObject([
      { bound: 'FOR VALUES FROM (MINVALUE) TO (1000000)' },
      { bound: 'FOR VALUES FROM (1000000) TO (1250000)' },
      { bound: 'DEFAULT' },
    ]);
    expect(await rows()).toHaveLength(ROWS);
    const left = await source.query(`SELECT 1 FROM pg_constraint WHERE conname = 'ck_run_event_chunks_0'`);
    expect(left).toEqual([]);
  });
});

import { DataSource } from 'typeorm';
import { dataSourceOptions, migrate } from '../../src/database/index.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { settingsOf } from '../support/ledger.js';
import { until } from '../support/until.js';

const WAITING = `SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = 'messages'::regclass`;
const SERVER = process.env.TEST_DATABASE_URL ?? '';

(SERVER === '' ? describe.skip : describe)('the migration to narrower indexes', () => {
  let test: TestDatabase;
  let source: DataSource;

  beforeEach(async () => {
    test = await postgresDatabase(SERVER);
    source = await new DataSource(dataSourceOptions(settingsOf(test))).initialize();
    await source.runMigrations({ transaction: 'all' });
  });
  afterEach(async () => {
    await source.destroy();
    await test.drop();
  });

  /** Reverts the migration and those after it. Returns their number. */
  async function revert(): Promise<number> {
    const at = source.migrations.findIndex(({ name }) => name?.startsWith('NarrowIndexes'));
    const count = source.migrations.length - at;
    for (let undone = 0; undone < count; undone += 1) await source.undoLastMigration({ transaction: 'all' });
    return count;
  }

  const indexes = async (): Promise<unknown> =>
    source.query(`SELECT indexname AS name, indexdef AS definition FROM pg_indexes
      WHERE tablename IN ('runs', 'messages') ORDER BY 1`);

  it('can be reverted and made again', async () => {
    const before = await indexes();
    await revert();
    expect(await indexes()).not.toEqual(before);
    await source.runMigrations({ transaction: 'all' });
    expect(await indexes()).toEqual(before);
  });

  it('waits for a reader without making writers wait for long', async () => {
    const after = await indexes();
    const count = await revert();
    const reader = source.createQueryRunner();
    await reader.startTransaction();
    await reader.query('SELECT 1 FROM messages LIMIT 1');
    const migrated = migrate(source);
    await until(
      async () => (await source.query<unknown[]>(WAITING)).length > 0,
      'the migration to wait for the reader',
    );
    // Behind an attempt of the migration, which lasts half a second.
    await source.query(`SET lock_timeout = '5s'; UPDATE messages SET hidden = 1`);
    await reader.rollbackTransaction();
    await reader.release();
    expect(await migrated).toHaveLength(count);
    expect(await indexes()).toEqual(after);
  });
});

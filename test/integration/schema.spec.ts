import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DataSource } from 'typeorm';
import { dataSourceOptions, openDatabase, type SchemaExtension } from '../../src/database/index.js';
import { SAMPLES_SCHEMA } from '../../src/samples/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { settingsOf } from '../support/ledger.js';

const BUILT = join(__dirname, '../../dist/src/database/index.js');
const MIGRATE = `
  const { openDatabase } = require(process.argv[1]);
  openDatabase(JSON.parse(process.argv[2])).then((database) => database.close());`;

describeOnDatabases('the database schema', (open) => {
  let test: TestDatabase;
  let source: DataSource;

  beforeEach(async () => {
    test = await open();
    source = await sourceWith([SAMPLES_SCHEMA]);
  });

  afterEach(async () => {
    await source.destroy();
    await test.drop();
  });

  function sourceWith(extensions: readonly SchemaExtension[]): Promise<DataSource> {
    return new DataSource(dataSourceOptions(settingsOf(test), extensions)).initialize();
  }

  /** What TypeORM would change to make the tables fit the entities. */
  async function drift(): Promise<string[]> {
    return (await source.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);
  }

  it('the migrations make the schema of the entities', async () => {
    expect(await drift()).not.toEqual([]);
    await source.runMigrations({ transaction: 'all' });
    expect(await drift()).toEqual([]);
  });

  it('the migrations can be reverted and applied again', async () => {
    const applied = await source.runMigrations({ transaction: 'all' });
    for (let undone = 0; undone < applied.length; undone += 1) await source.undoLastMigration({ transaction: 'all' });
    const runner = source.createQueryRunner();
    for (const { tableName } of source.entityMetadatas) expect(await runner.hasTable(tableName)).toBe(false);
    await runner.release();
    await source.runMigrations({ transaction: 'all' });
    expect(await drift()).toEqual([]);
  });

  it('the schema is complete without the samples, also in a database that has their tables', async () => {
    await source.runMigrations({ transaction: 'all' });
    await source.destroy();
    source = await sourceWith([]);
    expect(await source.showMigrations()).toBe(false);
    expect(await drift()).toEqual([]);
  });

  it('the names of migrations in databases of earlier versions are kept', async () => {
    await source.destroy();
    source = await sourceWith([]);
    const applied = await source.runMigrations({ transaction: 'all' });
    expect(applied.map(({ name }) => name).slice(0, 8)).toEqual([
      'CreateLedger1795219200000',
      'CreateInterrupts1795305600000',
      'ExtendRuns1795392000000',
      'CreateCalendar1795478400000',
      'CreateAttachments1795564800000',
      'IndexMessageIds1795651200000',
      'KeepRunDigests1795737600000',
      'CreateTenants1795824000000',
    ]);
  });

  it('a database of an earlier version keeps its runs, and the numbers of removed runs are not given again', async () => {
    const applied = await source.runMigrations({ transaction: 'all' });
    const later = applied.findIndex(({ name }) => name.startsWith('OwnRunIds'));
    for (let last = applied.length; last > later; last -= 1) await source.undoLastMigration({ transaction: 'all' });
    const insert = (id: string, user = 'alice'): Promise<unknown> =>
      source.query(`INSERT INTO runs (id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request,
        fingerprint, created_at) VALUES ('${id}', 'default', '${user}', 's', 1, (SELECT COUNT(*) + 1 FROM runs), 'worker',
        'completed', '{"n":1}', 'f', 1795910400000)`);
    await insert('kept');
    await insert('removed');
    const all = (): Promise<Record<string, unknown>[]> => source.query('SELECT * FROM runs ORDER BY no');
    await source.query(`DELETE FROM runs WHERE id = 'removed'`);
    const [before] = await all();
    await source.runMigrations({ transaction: 'all' });
    expect(await all()).toMatchObject([{ ...before }]);
    await insert('kept', 'bob');
    expect((await all()).map(({ no, id, user_id: user }) => [no, id, user])).toEqual([
      [1, 'kept', 'alice'],
      [3, 'kept', 'bob'],
    ]);
  });

  it('a current database is opened without migrating', async () => {
    await (await openDatabase(settingsOf(test))).close();
    await (await openDatabase(settingsOf(test))).close();
    await source.destroy();
    source = await sourceWith([]);
    expect(await source.showMigrations()).toBe(false);
  });

  (existsSync(BUILT) ? it : it.skip)(
    'processes that start together migrate the schema once (needs a build)',
    async () => {
      const settings = JSON.stringify(settingsOf(test));
      const migrate = (): Promise<unknown> => promisify(execFile)(process.execPath, ['-e', MIGRATE, BUILT, settings]);
      await Promise.all([migrate(), migrate(), migrate()]);
      await source.destroy();
      source = await sourceWith([]);
      expect(await source.showMigrations()).toBe(false);
      expect(await drift()).toEqual([]);
    },
  );
});

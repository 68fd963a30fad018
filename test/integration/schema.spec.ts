import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DataSource } from 'typeorm';
import { dataSourceOptions, openDatabase } from '../../src/database/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { settingsOf } from '../support/ledger.js';

const BUILT = join(__dirname, '../../dist/src/database/index.js');
const MIGRATE = `
  const { openDatabase } = require(process.argv[1]);
  openDatabase(JSON.parse(process.argv[2])).then((database) => database.close());`;

describeOnDatabases('the schema', (open) => {
  let test: TestDatabase;
  let source: DataSource;

  beforeEach(async () => {
    test = await open();
    source = await new DataSource(dataSourceOptions(settingsOf(test))).initialize();
  });

  afterEach(async () => {
    await source.destroy();
    await test.drop();
  });

  async function drift(): Promise<string[]> {
    return (await source.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);
  }

  it('is what the entities say once the migrations are applied', async () => {
    expect(await drift()).not.toEqual([]);
    await source.runMigrations({ transaction: 'all' });
    expect(await drift()).toEqual([]);
  });

  it('goes down to nothing and up again', async () => {
    const applied = await source.runMigrations({ transaction: 'all' });
    for (let undone = 0; undone < applied.length; undone += 1) await source.undoLastMigration({ transaction: 'all' });
    const runner = source.createQueryRunner();
    for (const { tableName } of source.entityMetadatas) expect(await runner.hasTable(tableName)).toBe(false);
    await runner.release();
    await source.runMigrations({ transaction: 'all' });
    expect(await drift()).toEqual([]);
  });

  it('is opened again without migrating', async () => {
    await (await openDatabase(settingsOf(test))).close();
    await (await openDatabase(settingsOf(test))).close();
    expect(await source.showMigrations()).toBe(false);
  });

  (existsSync(BUILT) ? it : it.skip)('is migrated once by processes that start together (needs a build)', async () => {
    const settings = JSON.stringify(settingsOf(test));
    const migrate = (): Promise<unknown> => promisify(execFile)(process.execPath, ['-e', MIGRATE, BUILT, settings]);
    await Promise.all([migrate(), migrate(), migrate()]);
    expect(await source.showMigrations()).toBe(false);
    expect(await drift()).toEqual([]);
  });
});

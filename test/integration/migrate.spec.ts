import { openDatabase } from '../../src/database/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { settingsOf } from '../support/ledger.js';

describeOnDatabases('a start with pending migrations', (open) => {
  let test: TestDatabase;
  beforeEach(async () => (test = await open()));
  afterEach(() => test.drop());

  const start = async (migrate: 'auto' | 'check' | 'off'): Promise<number> => {
    const settings = settingsOf({ ...test, env: { ...test.env, MIGRATE: migrate } as TestDatabase['env'] });
    const database = await openDatabase(settings);
    const rows = await database.read.all<{ name: string }>('SELECT name FROM schema_migrations').catch(() => []);
    await database.close();
    return rows.length;
  };

  it('MIGRATE=check refuses it and names them, and starts once they are applied', async () => {
    await expect(start('check')).rejects.toThrow(/lacks \d+ migration\(s\): CreateLedger1795219200000, .*MIGRATE=auto/);
    const applied = await start('auto');
    expect(applied).toBeGreaterThan(7);
    expect(await start('check')).toBe(applied);
  });

  it('MIGRATE=off starts without looking', async () => {
    expect(await start('off')).toBe(0);
  });
});

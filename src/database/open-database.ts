import { DataSource, type Migration } from 'typeorm';
import { dataSourceOptions, type SchemaExtension, sqliteReaderOptions } from './data-source-options.js';
import type { Database } from './database.js';
import type { DatabaseSettings } from './database.settings.js';
import { PostgresDatabase } from './postgres-database.js';
import { SqliteDatabase } from './sqlite-database.js';

/** Any number that no other program uses for a lock in the same database. */
const MIGRATION_LOCK = 727_301_155;

/**
 * Connects, applies the pending migrations and returns the database. Several processes may start at
 * once.
 *
 * @throws the driver's error if the server cannot be reached or a migration fails
 */
export async function openDatabase(
  settings: DatabaseSettings,
  extensions: readonly SchemaExtension[] = [],
): Promise<Database> {
  const source = await new DataSource(dataSourceOptions(settings, extensions)).initialize();
  try {
    await migrate(source);
    if (settings.address.kind === 'postgres') return new PostgresDatabase(source);
    return new SqliteDatabase(source, await new DataSource(sqliteReaderOptions(settings)).initialize());
  } catch (error) {
    await source.destroy();
    throw error;
  }
}

/**
 * Applies the pending migrations of an open data source. Several processes may do it at once.
 *
 * @returns the names of the migrations that this call has applied
 * @throws the driver's error if a migration fails
 */
export async function migrate(source: DataSource): Promise<readonly string[]> {
  const applied = source.options.type === 'postgres' ? await migratePostgres(source) : await migrateSqlite(source);
  return applied.map(({ name }) => name);
}

/** The lock makes a second process wait, which then finds nothing to apply. */
async function migratePostgres(source: DataSource): Promise<Migration[]> {
  const runner = source.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await source.runMigrations({ transaction: 'all' });
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await runner.release();
  }
}

/** How often a process tries again that could not lock the file, and how many milliseconds it waits in between. */
const MIGRATION_TRIES = 40;
const MIGRATION_PAUSE_MS = 50;

/** SQLite has no advisory locks: a process that loses the race waits until the migrations are applied. */
async function migrateSqlite(source: DataSource): Promise<Migration[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await source.showMigrations()) ? await source.runMigrations({ transaction: 'all' }) : [];
    } catch (error) {
      if (tries === MIGRATION_TRIES) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, MIGRATION_PAUSE_MS));
  }
}

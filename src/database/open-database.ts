import { DataSource } from 'typeorm';
import { dataSourceOptions, type SchemaExtension, sqliteReaderOptions } from './data-source-options.js';
import type { Database } from './database.js';
import type { DatabaseSettings } from './database.settings.js';
import { PostgresDatabase } from './postgres-database.js';
import { SqliteDatabase } from './sqlite-database.js';

/** Any number that no other program uses for a lock in the same database. */
const MIGRATION_LOCK = 727_301_155;

/**
 * Connects, applies the missing migrations and returns the database. Several processes may start at
 * once.
 *
 * @throws the driver's error when the server cannot be reached or a migration fails
 */
export async function openDatabase(
  settings: DatabaseSettings,
  extensions: readonly SchemaExtension[] = [],
): Promise<Database> {
  const source = await new DataSource(dataSourceOptions(settings, extensions)).initialize();
  try {
    if (settings.address.kind === 'postgres') {
      await migratePostgres(source);
      return new PostgresDatabase(source);
    }
    await migrateSqlite(source);
    return new SqliteDatabase(source, await new DataSource(sqliteReaderOptions(settings)).initialize());
  } catch (error) {
    await source.destroy();
    throw error;
  }
}

async function migratePostgres(source: DataSource): Promise<void> {
  const runner = source.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await source.runMigrations({ transaction: 'all' });
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await runner.release();
  }
}

/** How often, and after how many milliseconds, a process that lost the race looks again. */
const MIGRATION_TRIES = 40;
const MIGRATION_PAUSE_MS = 50;

/** SQLite has no advisory locks: whoever loses the race waits until it finds the migrations applied. */
async function migrateSqlite(source: DataSource): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      if (await source.showMigrations()) await source.runMigrations({ transaction: 'all' });
      return;
    } catch (error) {
      if (tries === MIGRATION_TRIES) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, MIGRATION_PAUSE_MS));
  }
}

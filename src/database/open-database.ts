import type { Migration } from 'typeorm';
import { commandLine } from '../common/index.js';
import { Metrics } from '../common/index.js';
import { openSeals } from './content/tenant-seals.js';
import { dataSourceOptions, type SchemaExtension, sqliteReaderOptions } from './data-source-options.js';
import { type Database, isDeadlock, isLockTimeout } from './database.js';
import { DatabaseMetrics } from './database.metrics.js';
import { createSchema, findSchema, refuseForeignTables } from './database-schema.js';
import type { DatabaseSettings } from './database.settings.js';
import { PostgresDatabase } from './postgres-database.js';
import { SqliteDatabase } from './sqlite-database.js';
import { DataSource, MigrationExecutor, requireOwnVersion } from './typeorm.js';

/** Any number that no other program uses for a lock in the same database. */
const MIGRATION_LOCK = 727_301_155;

/**
 * Connects, applies the pending migrations (`MIGRATE`) and returns the database. Several processes may start at
 * once.
 *
 * @param metrics where the database counts
 * @throws the driver's error if the server cannot be reached or a migration fails; with `MIGRATE=check` an error that
 *   names the pending migrations; StartupError if content is encrypted with a key that the settings lack
 */
export async function openDatabase(
  settings: DatabaseSettings,
  extensions: readonly SchemaExtension[] = [],
  metrics = new Metrics(),
): Promise<Database> {
  requireOwnVersion();
  const source = await new DataSource(dataSourceOptions(settings, extensions)).initialize();
  try {
    const { address, durability } = settings;
    if (settings.migrate === 'auto') await migrate(source);
    if (settings.migrate === 'check') await refusePending(source);
    if (address.kind === 'postgres')
      return await withSeals(new PostgresDatabase(source, settings, new DatabaseMetrics(metrics)), settings);
    const reader = await new DataSource(sqliteReaderOptions(settings)).initialize();
    const isStrict = durability === 'strict';
    return await withSeals(
      new SqliteDatabase(source, reader, address.file, isStrict, new DatabaseMetrics(metrics)),
      settings,
    );
  } catch (error) {
    if (source.isInitialized) await source.destroy();
    throw error;
  }
}

async function withSeals(database: Database, { encryptionKeys, encryption }: DatabaseSettings): Promise<Database> {
  try {
    database.useSeals(await openSeals(database, encryptionKeys, encryption === 'on'));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Applies the pending migrations of a database without keeping it open.
 *
 * @returns the names of the migrations that this call has applied
 * @throws StartupError if the driver is not installed; the driver's error if the database cannot be reached or a
 *   migration fails
 */
export async function migrateDatabase(
  settings: DatabaseSettings,
  extensions: readonly SchemaExtension[] = [],
): Promise<readonly string[]> {
  requireOwnVersion();
  const source = await new DataSource(dataSourceOptions(settings, extensions)).initialize();
  try {
    return await migrate(source);
  } finally {
    await source.destroy();
  }
}

/**
 * Applies the pending migrations of an open data source. Several processes may do it at once.
 *
 * @returns the names of the migrations that this call has applied
 * @throws StartupError if the tables are not Parley's; the driver's error if a migration fails
 */
export async function migrate(source: DataSource): Promise<readonly string[]> {
  const applied = source.options.type === 'postgres' ? await migratePostgres(source) : await migrateSqlite(source);
  return applied.map(({ name }) => name);
}

/** @throws StartupError if the tables are not Parley's; an error that names the pending migrations, if there are some */
async function refusePending(source: DataSource): Promise<void> {
  const runner = source.createQueryRunner();
  let isThere;
  try {
    await runner.startTransaction();
    isThere = await findSchema(runner);
    if (isThere) await refuseForeignTables(source, runner);
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    await runner.release();
  }
  const pending = isThere
    ? await new MigrationExecutor(source).getPendingMigrations()
    : source.migrations.map(({ constructor: { name } }) => ({ name }));
  if (pending.length === 0) return;
  const names = pending.map(({ name }) => name).join(', ');
  throw new Error(
    `The database lacks ${pending.length} migration(s): ${names}. Apply them with ${commandLine('migrate')}, or set MIGRATE=auto.`,
  );
}

/** Attempts of migrations that are chosen as a deadlock's victim: servers of the previous version may be writing. */
const DEADLOCK_TRIES = 4;
/** Attempts of migrations that find a table locked, and how many milliseconds lie between two of them. */
const LOCK_TRIES = 120;
const LOCK_PAUSE_MS = 1000;

/** A process that is paused while it migrates keeps no other from starting. */
const IDLE_TIMEOUT = `SET LOCAL idle_in_transaction_session_timeout = '30s'`;

/** Between two attempts nothing is locked, neither by the migrations nor behind them. */
async function migratePostgres(source: DataSource): Promise<Migration[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await migratePostgresOnce(source);
    } catch (error) {
      if (isLockTimeout(error) && tries < LOCK_TRIES)
        await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
      else if (!isDeadlock(error) || tries >= DEADLOCK_TRIES) throw error;
    }
  }
}

/**
 * The lock makes a second process wait, which then finds nothing to apply. It belongs to the transaction of the
 * migrations, not to the session, so that it also works behind a pooler that gives each transaction a connection.
 */
async function migratePostgresOnce(source: DataSource): Promise<Migration[]> {
  const runner = source.createQueryRunner();
  try {
    await runner.startTransaction();
    await runner.query(IDLE_TIMEOUT);
    await runner.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await createSchema(runner);
    await refuseForeignTables(source, runner);
    const applied = await new MigrationExecutor(source, runner).executePendingMigrations();
    await runner.commitTransaction();
    return applied;
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}

/** How often a process tries again that could not lock the file, and how many milliseconds it waits in between. */
const MIGRATION_TRIES = 40;
const MIGRATION_PAUSE_MS = 50;

/** SQLite has no advisory locks: a process that loses the race waits until the migrations are applied. */
async function migrateSqlite(source: DataSource): Promise<Migration[]> {
  const runner = source.createQueryRunner();
  await refuseForeignTables(source, runner).finally(() => runner.release());
  for (let tries = 1; ; tries += 1) {
    try {
      return (await source.showMigrations()) ? await source.runMigrations({ transaction: 'all' }) : [];
    } catch (error) {
      if (tries === MIGRATION_TRIES) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, MIGRATION_PAUSE_MS));
  }
}

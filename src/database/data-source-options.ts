import type pg from 'pg';
import type { DataSourceOptions, MigrationInterface } from 'typeorm';
import { loadPackage } from '../common/index.js';
import { type DatabaseSettings, ensureDatabaseFolder } from './database.settings.js';
import { ENTITIES } from './entities/index.js';
import { POSTGRES_MIGRATIONS } from './migrations/postgres/index.js';
import { SQLITE_MIGRATIONS } from './migrations/sqlite/index.js';
import { loadSqliteDriver } from './sqlite-driver.js';

/**
 * Tables that a module adds to the database: its entities, and the migrations that create their tables, in
 * SQL that both databases accept. They are recorded with those of the core schema. Without the module its
 * tables and records are ignored, so it can be disabled and enabled again. Newer migrations of the core
 * schema may or may not have been applied before its own, which must therefore not depend on them.
 */
export interface SchemaExtension {
  /** Entity classes of the module. */
  readonly entities: readonly (new () => object)[];
  /** Migration classes of the module; their names give the order in which they run. */
  readonly migrations: readonly (new () => MigrationInterface)[];
}

/** The table that records which migrations are applied. */
export const MIGRATIONS_TABLE = 'schema_migrations';

/** The type of `bigint` in PostgreSQL's catalogue. */
const INT8_OID = 20;
/** How long one process waits for another that writes to the same SQLite file, in milliseconds. */
const SQLITE_BUSY_TIMEOUT_MS = 10_000;

/** From this size on SQLite copies the log after a commit, if the `Checkpointer` did not: 16 MB. */
const SQLITE_LOG_PAGES = 4000;

/** The TypeORM options of the database: entities, migrations, and options that make both databases behave alike. */
export function dataSourceOptions(
  settings: DatabaseSettings,
  extensions: readonly SchemaExtension[] = [],
): DataSourceOptions {
  const options = settings.address.kind === 'sqlite' ? sqliteOptions(settings) : postgresOptions(settings);
  const core = settings.address.kind === 'sqlite' ? SQLITE_MIGRATIONS : POSTGRES_MIGRATIONS;
  return {
    ...options,
    entities: [...ENTITIES, ...extensions.flatMap(({ entities }) => entities)],
    migrations: [...core, ...extensions.flatMap(({ migrations }) => migrations)],
    migrationsTableName: MIGRATIONS_TABLE,
  };
}

/** A second, read-only connection to a SQLite database: its reads never see an uncommitted write. */
export function sqliteReaderOptions(settings: DatabaseSettings): DataSourceOptions {
  return {
    type: 'better-sqlite3',
    driver: loadSqliteDriver(),
    database: settings.address.file,
    readonly: true,
    fileMustExist: true,
    timeout: SQLITE_BUSY_TIMEOUT_MS,
    entities: ENTITIES,
  };
}

/**
 * Commits do not wait for the disk here: with `DURABILITY=strict` `WriteAheadLog` waits for it.
 */
function sqliteOptions(settings: DatabaseSettings): DataSourceOptions {
  ensureDatabaseFolder(settings.address);
  return {
    type: 'better-sqlite3',
    driver: loadSqliteDriver(),
    database: settings.address.file,
    enableWAL: true,
    timeout: SQLITE_BUSY_TIMEOUT_MS,
    prepareDatabase: (database: { pragma(text: string): void }) => {
      database.pragma('synchronous = NORMAL');
      // What is removed or replaced is overwritten in the file (docs/how-to/erase-a-person.md).
      database.pragma('secure_delete = ON');
      // Each savepoint of a group keeps the former pages: in a file that would be two system calls per page.
      database.pragma('temp_store = MEMORY');
      database.pragma(`wal_autocheckpoint = ${SQLITE_LOG_PAGES}`);
    },
  };
}

/**
 * No session settings as start-up parameters: a pooler such as PgBouncer refuses them. What a transaction needs,
 * `PostgresDatabase` sets in it.
 */
function postgresOptions(settings: DatabaseSettings): DataSourceOptions {
  const driver = loadPackage<typeof pg>('pg', 'A DATABASE_URL of PostgreSQL');
  return {
    type: 'postgres',
    driver,
    url: settings.address.url,
    ...(settings.schema !== undefined && { schema: settings.schema }),
    poolSize: settings.poolSize,
    applicationName: 'parley',
    // An idle connection that the server closes must not end the process; the next query reconnects.
    poolErrorHandler: () => undefined,
    extra: {
      connectionTimeoutMillis: 10_000,
      types: { getTypeParser: typeParserOf(driver) },
      pipeline: true,
    },
  };
}

/** Counters and times are `bigint` columns. All are safe integers, so they are read as numbers. */
function typeParserOf({ types }: typeof pg) {
  return (oid: number, format?: 'text' | 'binary'): unknown => {
    if (oid === INT8_OID) return Number;
    return format === 'binary' ? types.getTypeParser(oid, 'binary') : types.getTypeParser(oid, 'text');
  };
}

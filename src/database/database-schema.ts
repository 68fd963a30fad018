import type { DataSource, QueryRunner } from 'typeorm';
import { StartupError } from '../common/index.js';
import { MIGRATIONS_TABLE } from './data-source-options.js';

/** A statement after which a transaction finds the tables of a schema, and no others. */
export function searchPath(schema: string): string {
  return `SET LOCAL search_path TO "${schema}"`;
}

const SCHEMA_EXISTS = 'SELECT 1 FROM pg_namespace WHERE nspname = $1';
const TABLES = {
  postgres: `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
  sqlite: `SELECT name FROM sqlite_master WHERE type = 'table'`,
};
const COLUMNS = {
  postgres: `SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = '${MIGRATIONS_TABLE}'`,
  sqlite: `SELECT name FROM pragma_table_info('${MIGRATIONS_TABLE}')`,
};

/**
 * Lets a transaction work in the schema of `DATABASE_SCHEMA`, if there is one. Returns false if it does not exist.
 *
 * @throws the driver's error
 */
export async function findSchema(runner: QueryRunner): Promise<boolean> {
  const schema = schemaOf(runner.dataSource);
  if (schema === undefined) return true;
  const found = (await runner.query(SCHEMA_EXISTS, [schema])) as unknown[];
  await runner.query(searchPath(schema));
  return found.length > 0;
}

/**
 * As `findSchema`; creates the schema if it does not exist. A role that may not create schemas needs one that exists.
 *
 * @throws the driver's error
 */
export async function createSchema(runner: QueryRunner): Promise<void> {
  if (!(await findSchema(runner))) await runner.query(`CREATE SCHEMA "${schemaOf(runner.dataSource)}"`);
}

function schemaOf({ options }: DataSource): string | undefined {
  return options.type === 'postgres' ? options.schema : undefined;
}

/**
 * Refuses a database in which other software has tables under the names of Parley's, before anything is written.
 *
 * @throws StartupError that names the tables; the driver's error
 */
export async function refuseForeignTables(source: DataSource, runner: QueryRunner): Promise<void> {
  const dialect = source.options.type === 'postgres' ? 'postgres' : 'sqlite';
  const names = async (sql: string): Promise<string[]> =>
    ((await runner.query(sql)) as { name: string }[]).map(({ name }) => name);
  const existing = new Set(await names(TABLES[dialect]));
  const taken = [MIGRATIONS_TABLE, ...source.entityMetadatas.map(({ tableName }) => tableName)].filter((name) =>
    existing.has(name),
  );
  if (taken.length === 0 || (await isOurs(names, existing, COLUMNS[dialect], source))) return;
  const remedy =
    dialect === 'postgres'
      ? 'set DATABASE_SCHEMA to a schema of its own, such as parley'
      : 'give Parley a file of its own in DATABASE_URL';
  throw new StartupError(
    `The database belongs to other software: its ${taken.length === 1 ? 'table' : 'tables'} ${taken.join(', ')} ${taken.length === 1 ? 'is' : 'are'} not Parley's. Please ${remedy}.`,
  );
}

/** Whether a migration of Parley has made the tables. */
async function isOurs(
  names: (sql: string) => Promise<string[]>,
  existing: ReadonlySet<string>,
  columns: string,
  source: DataSource,
): Promise<boolean> {
  if (!existing.has(MIGRATIONS_TABLE)) return false;
  const found = await names(columns);
  if (!found.includes('name') || !found.includes('timestamp')) return false;
  const applied = await names(`SELECT name FROM ${MIGRATIONS_TABLE}`);
  const known = new Set(source.migrations.map(({ constructor: { name } }) => name));
  if (applied.some((name) => known.has(name))) return true;
  // A first start that was interrupted: its table, and nothing else.
  return applied.length === 0 && !source.entityMetadatas.some(({ tableName }) => existing.has(tableName));
}

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/**
 * @typedef {'sqlite' | 'postgres'} DatabaseKind
 * @typedef {{ query: string, parameters?: readonly unknown[] }} Statement
 * @typedef {{ up: readonly Statement[], down: readonly Statement[] }} SchemaChanges
 */

/** Names of migrations: words of lower-case letters and digits, joined by hyphens. */
export const MIGRATION_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** @type {readonly DatabaseKind[]} */
const KINDS = ['sqlite', 'postgres'];

/**
 * The statements that make the tables of a database match the entities, and those that revert them.
 *
 * @param {import('typeorm').DataSource} source
 * @returns {Promise<SchemaChanges>}
 */
export async function schemaChanges(source) {
  const { upQueries, downQueries } = await source.driver.createSchemaBuilder().log();
  return { up: upQueries, down: [...downQueries].reverse() };
}

/**
 * Writes a migration and lists it in the index of its folder. Both files still need to be formatted.
 *
 * @param {string} folder with one folder for each kind of database
 * @param {DatabaseKind} kind
 * @param {string} name as `MIGRATION_NAME`
 * @param {SchemaChanges} changes
 * @returns {{ file: string, index: string } | undefined} the paths of both; undefined if there is nothing to change
 * @throws if there is a migration of this name for this kind
 */
export function writeMigration(folder, kind, name, changes) {
  if (changes.up.length === 0) return undefined;
  if (timestampOf(folder, kind, name) !== undefined) throw new Error(`${kind}: there is a migration ${name} already`);
  const timestamp = sharedTimestamp(folder, name) ?? nextTimestamp(folder);
  const file = join(folder, kind, `${timestamp}-${name}.ts`);
  const index = join(folder, kind, 'index.ts');
  const listed = withMigration(readFileSync(index, 'utf8'), name, timestamp);
  writeFileSync(file, migrationSource(name, timestamp, changes));
  writeFileSync(index, listed);
  return { file, index };
}

/**
 * Creates an empty database on the server of a PostgreSQL URL, and removes it after use.
 *
 * @param {string} url
 * @param {(url: string) => Promise<void>} work gets the URL of the new database
 */
export async function withScratchPostgres(url, work) {
  const name = `parley_migration_${randomBytes(6).toString('hex')}`;
  const scratch = new URL(url);
  scratch.pathname = `/${name}`;
  await administer(url, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  try {
    await work(scratch.href);
  } finally {
    await administer(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}

/**
 * @param {string} connectionString
 * @param {string} statement
 */
async function administer(connectionString, statement) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * @param {string} name
 * @param {number} timestamp
 * @param {SchemaChanges} changes
 */
function migrationSource(name, timestamp, { up, down }) {
  const className = classNameOf(name, timestamp);
  const sentence = `${name[0]?.toUpperCase()}${name.slice(1).replaceAll('-', ' ')}.`;
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';

/** ${sentence} */
export class ${className} implements MigrationInterface {
  name = '${className}';

  async up(runner: QueryRunner): Promise<void> {
    ${up.map(callOf).join('\n    ')}
  }

  async down(runner: QueryRunner): Promise<void> {
    ${down.map(callOf).join('\n    ')}
  }
}
`;
}

/** @param {Statement} statement */
function callOf({ query, parameters = [] }) {
  const text = `\`${query.replace(/[`\\]|\$\{/g, '\\$&')}\``;
  return `await runner.query(${parameters.length === 0 ? text : `${text}, ${JSON.stringify(parameters)}`});`;
}

/**
 * The index with one more import and one more item at the end of its list.
 *
 * @param {string} index
 * @param {string} name
 * @param {number} timestamp
 */
function withMigration(index, name, timestamp) {
  const className = classNameOf(name, timestamp);
  const imports = index.lastIndexOf('import ');
  const afterImports = index.indexOf('\n', imports) + 1;
  const endOfList = index.lastIndexOf(']');
  if (imports < 0 || endOfList < 0) throw new Error('The index of the migrations has no list');
  const line = `import { ${className} } from './${timestamp}-${name}.js';\n`;
  const list = index.slice(afterImports, endOfList).trimEnd().replace(/,$/, '');
  return `${index.slice(0, afterImports)}${line}${list},\n  ${className},\n${index.slice(endOfList)}`;
}

/**
 * @param {string} name
 * @param {number} timestamp
 */
function classNameOf(name, timestamp) {
  const words = name.split('-').map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}${timestamp}`;
}

/**
 * The migrations of one change have one timestamp, also if they are generated one after the other.
 *
 * @param {string} folder
 * @param {string} name
 */
function sharedTimestamp(folder, name) {
  return KINDS.map((kind) => timestampOf(folder, kind, name)).find((timestamp) => timestamp !== undefined);
}

/**
 * @param {string} folder
 * @param {DatabaseKind} kind
 * @param {string} name
 * @returns {number | undefined}
 */
function timestampOf(folder, kind, name) {
  return migrationsOf(folder, kind).find((migration) => migration.name === name)?.timestamp;
}

/**
 * Migrations are applied in the order of their timestamps: a new one comes after all others.
 *
 * @param {string} folder
 */
function nextTimestamp(folder) {
  const known = KINDS.flatMap((kind) => migrationsOf(folder, kind)).map(({ timestamp }) => timestamp);
  return Math.max(Date.now(), ...known.map((timestamp) => timestamp + 1));
}

/**
 * @param {string} folder
 * @param {DatabaseKind} kind
 */
function migrationsOf(folder, kind) {
  return readdirSync(join(folder, kind)).flatMap((file) => {
    const [, timestamp, name = ''] = /^(\d{13})-(.+)\.ts$/.exec(file) ?? [];
    return timestamp === undefined ? [] : [{ name, timestamp: Number(timestamp) }];
  });
}

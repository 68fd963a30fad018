// npm run backup -- FOLDER: copies everything that a server with SQLite keeps in DATA_DIR, while it runs: the database
// with what is only in its write-ahead log, attachments, and generated keys. A server restores it by starting with
// DATA_DIR=FOLDER. Settings are read from the environment and from .env, as npm start does.
// PostgreSQL has tools of its own: docs/operations/backup.md.
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled } from './lib/project.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.exitCode = await main(process.argv.slice(2));

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
async function main([folder, ...rest]) {
  if (folder === undefined || folder === '' || rest.length > 0) {
    console.error('Usage: npm run backup -- FOLDER');
    return 2;
  }
  const target = resolve(folder);
  const failed = (await ensureInstalled(root)) || (await ensureBuilt(root));
  if (failed !== 0) return failed;
  if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));
  try {
    await backUp(target);
    console.log(`Wrote ${target}`);
    return 0;
  } catch (error) {
    console.error(/** @type {Error} */ (error).message);
    return 1;
  }
}

/** @param {string} target */
async function backUp(target) {
  const { DatabaseSettings } = await load('src/database/index.js');
  const { readSettings, ServerSettings } = await load('src/config/index.js');
  const { address } = readSettings(DatabaseSettings, process.env);
  const { dataDir } = readSettings(ServerSettings, process.env);
  if (address.kind !== 'sqlite') throw new Error('DATABASE_URL names PostgreSQL: back it up with pg_dump');
  if (!existsSync(address.file)) throw new Error(`There is no database ${address.file}`);
  if (existsSync(target) && readdirSync(target).length > 0) throw new Error(`${target} is not empty`);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  // The database first: a file that it refers to is never older than the reference.
  await copyDatabase(address.file, join(target, 'parley.db'));
  copyFiles(dataDir, target, dirname(address.file) === resolve(dataDir) ? basename(address.file) : undefined);
}

/**
 * A consistent copy of a database that is being written; SQLite's own online backup.
 *
 * @param {string} file
 * @param {string} copy
 */
async function copyDatabase(file, copy) {
  const { loadSqliteDriver } = await load('src/database/index.js');
  const Sqlite = /** @type {typeof import('better-sqlite3')} */ (loadSqliteDriver());
  const database = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    // All pages in one step: with more, each commit in between would begin the copy anew.
    await database.backup(copy, { progress: () => 2 ** 31 - 1 });
  } finally {
    database.close();
  }
  const copied = new Sqlite(copy);
  try {
    const result = copied.pragma('quick_check', { simple: true });
    if (result !== 'ok') throw new Error(`The copy of ${file} is damaged: ${result}`);
  } finally {
    copied.close();
  }
}

/**
 * @param {string} from
 * @param {string} to
 * @param {string | undefined} database the name of the database file, which is copied otherwise
 */
function copyFiles(from, to, database) {
  for (const name of existsSync(from) ? readdirSync(from) : []) {
    const isDatabase = database !== undefined && [database, `${database}-wal`, `${database}-shm`].includes(name);
    const source = resolve(from, name);
    if (!isDatabase && source !== to) cpSync(source, join(to, name), { recursive: true, preserveTimestamps: true });
  }
}

/** @param {string} path inside dist/ */
function load(path) {
  return import(pathToFileURL(join(root, 'dist', path)).href);
}

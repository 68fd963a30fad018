// npm run migration:generate -- NAME: writes the migrations that make the tables match the entities.
// npm run migration:run: applies the pending migrations of the configured database.
// Both read the settings from the environment and from .env, as npm start does.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MIGRATION_NAME, schemaChanges, withScratchPostgres, writeMigration } from './lib/migrations.mjs';
import { ALL_PARTS, ensureBuilt, ensureInstalled, run } from './lib/project.mjs';

const USAGE = `Usage: npm run migration:generate -- NAME   such as add-run-priority
       npm run migration:run`;

const root = fileURLToPath(new URL('..', import.meta.url));
const PRETTIER = join(root, 'test/node_modules/prettier/bin/prettier.cjs');
const [action, name = ''] = process.argv.slice(2);
process.exitCode = await main();

/** @returns {Promise<number>} exit code */
async function main() {
  const isUsable = action === 'run' || (action === 'generate' && MIGRATION_NAME.test(name));
  if (!isUsable) {
    console.error(USAGE);
    return 2;
  }
  const parts = action === 'generate' ? ALL_PARTS : undefined;
  const failed = (await ensureInstalled(root, { parts })) || (await ensureBuilt(root));
  if (failed !== 0) return failed;
  process.chdir(root);
  if (existsSync('.env')) process.loadEnvFile('.env');
  try {
    await (action === 'run' ? applyPending() : generate());
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

async function applyPending() {
  const { migrateDatabase } = await load('src/database/index.js');
  const { readDatabase } = await load('src/app.module.js');
  const { settings, extensions } = readDatabase(process.env);
  const applied = await migrateDatabase(settings, extensions);
  for (const migration of applied) console.log(`Applied ${migration}`);
  if (applied.length === 0) console.log('No migration is pending');
}

async function generate() {
  const url = process.env.DATABASE_URL ?? '';
  await withScratchFolder((folder) => generateFor('sqlite', { DATA_DIR: folder }));
  if (/^postgres(ql)?:/.test(url)) {
    await withScratchPostgres(url, (scratch) => generateFor('postgres', { DATABASE_URL: scratch }));
    return;
  }
  console.log('PostgreSQL is skipped: to write its migration, set DATABASE_URL and run this again with the same name');
}

/**
 * Compares the entities with an empty database to which all migrations are applied.
 *
 * @param {import('./lib/migrations.mjs').DatabaseKind} kind
 * @param {NodeJS.ProcessEnv} env the settings of the database
 */
async function generateFor(kind, env) {
  const { dataSourceOptions, DatabaseSettings, migrate } = await load('src/database/index.js');
  const { readSettings } = await load('src/config/index.js');
  const { DataSource } = await import('typeorm');
  const source = await new DataSource(dataSourceOptions(readSettings(DatabaseSettings, env))).initialize();
  try {
    await migrate(source);
    const changes = await schemaChanges(source);
    const written = writeMigration(join(root, 'src/database/migrations'), kind, name, changes);
    if (written === undefined) {
      console.log(`${kind}: the tables already match the entities`);
      return;
    }
    await run(root, process.execPath, [PRETTIER, '--log-level=warn', '--write', written.file, written.index]);
    console.log(`Wrote ${relative(root, written.file)}`);
  } finally {
    await source.destroy();
  }
}

/** @param {(folder: string) => Promise<void>} work */
async function withScratchFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-migration-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} path inside dist/ */
function load(path) {
  return import(pathToFileURL(join(root, 'dist', path)).href);
}

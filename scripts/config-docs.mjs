// Writes docs/configuration.md and .env.example from the table of settings in src/config/environment.ts.
// With --check it only says whether the committed files are current.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { configurationPage, environmentExample } from './lib/config-pages.mjs';
import { ensureBuilt, ensureInstalled } from './lib/project.mjs';
import { firstDifference } from './lib/stable-json.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.exitCode = (await ensureInstalled(root)) || (await ensureBuilt(root)) || (await main());

/** @returns {Promise<number>} exit code */
async function main() {
  const settings = await loadSettings();
  const pages = { 'docs/configuration.md': configurationPage(settings), '.env.example': environmentExample(settings) };
  let failed = 0;
  mkdirSync(join(root, 'docs'), { recursive: true });
  for (const [path, content] of Object.entries(pages)) {
    if (!process.argv.includes('--check')) writeFileSync(join(root, path), content);
    else if (!isCurrent(path, content)) failed = 1;
  }
  return failed;
}

/**
 * @param {string} path
 * @param {string} content
 * @returns {boolean}
 */
function isCurrent(path, content) {
  const difference = firstDifference(read(path), content);
  if (difference === undefined) console.log(`${path} is current`);
  else console.error(`${path} is not current: run "node scripts/config-docs.mjs" and commit it.\n${difference}`);
  return difference === undefined;
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
}

/** @returns {Promise<import('./lib/config-pages.mjs').SettingEntry[]>} */
async function loadSettings() {
  const folder = pathToFileURL(join(root, 'dist/src/config/'));
  await import(new URL('environment.js', folder).href);
  const { settingDefinitions } = await import(new URL('setting.decorator.js', folder).href);
  return settingDefinitions();
}

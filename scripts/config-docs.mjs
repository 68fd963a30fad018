// npm run config:docs: writes docs/configuration.md and .env.example from the settings that src/app.settings.ts
// lists. With --check it only reports whether the committed files are current.
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
  const slices = await loadSlices();
  const pages = { 'docs/configuration.md': configurationPage(slices), '.env.example': environmentExample(slices) };
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

/** @returns {Promise<readonly import('./lib/config-pages.mjs').SettingSlice[]>} */
async function loadSlices() {
  const { APP_SETTINGS } = await import(pathToFileURL(join(root, 'dist/src/app.settings.js')).href);
  return APP_SETTINGS;
}

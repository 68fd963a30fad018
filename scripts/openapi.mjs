// npm run openapi: writes docs/openapi.json from the build, without listening. With --check it only
// says whether the committed file is current.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { firstDifference, stableJson } from './lib/stable-json.mjs';
import { ensureBuilt, ensureInstalled } from './lib/project.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'docs/openapi.json');

const failed = (await ensureInstalled(root)) || (await ensureBuilt(root));
// Timers of the application must not keep this script alive.
process.exit(failed !== 0 ? failed : process.argv.includes('--check') ? await check() : await write());

/** @returns {Promise<number>} exit code */
async function write() {
  mkdirSync(join(root, 'docs'), { recursive: true });
  writeFileSync(target, await generate());
  console.log('docs/openapi.json is written');
  return 0;
}

/** @returns {Promise<number>} exit code */
async function check() {
  const difference = firstDifference(readCommitted(), await generate());
  if (difference === undefined) {
    console.log('docs/openapi.json is current');
    return 0;
  }
  console.error(`docs/openapi.json is not current: run "npm run openapi" and commit the file.\n${difference}`);
  return 1;
}

/** @returns {string} */
function readCommitted() {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return '';
  }
}

/** @returns {Promise<string>} */
async function generate() {
  // The decorators of the application need it before anything of Nest is loaded.
  await import('reflect-metadata');
  const { describeApi } = await import(pathToFileURL(join(root, 'dist/src/boot/describe-api.js')).href);
  return stableJson(await describeApi());
}

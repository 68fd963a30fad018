// npm run openapi: writes docs/openapi.json from the build, without listening, and the types of the client from it.
// With --check it only says whether the committed files are current.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { clientTypes } from './lib/client-types.mjs';
import { firstDifference, stableJson } from './lib/stable-json.mjs';
import { ALL_PARTS, ensureBuilt, ensureInstalled } from './lib/project.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'docs/openapi.json');
const types = join(root, 'src/client/api.ts');

const failed = (await ensureInstalled(root, { parts: ALL_PARTS })) || (await ensureBuilt(root));
// Timers of the application must not keep this script alive.
process.exit(failed !== 0 ? failed : process.argv.includes('--check') ? await check() : await write());

/** @returns {Promise<number>} exit code */
async function write() {
  mkdirSync(join(root, 'docs'), { recursive: true });
  const document = await generate();
  writeFileSync(target, document);
  writeFileSync(types, await clientTypes(document));
  console.log('docs/openapi.json and src/client/api.ts are written');
  return 0;
}

/** @returns {Promise<number>} exit code */
async function check() {
  const document = await generate();
  const wanted = new Map([
    [target, document],
    [types, await clientTypes(document)],
  ]);
  for (const [file, content] of wanted) {
    const difference = firstDifference(readCommitted(file), content);
    if (difference === undefined) continue;
    console.error(`${file} is not current: run "npm run openapi" and commit the file.\n${difference}`);
    return 1;
  }
  console.log('docs/openapi.json and src/client/api.ts are current');
  return 0;
}

/**
 * @param {string} file
 * @returns {string}
 */
function readCommitted(file) {
  try {
    return readFileSync(file, 'utf8');
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

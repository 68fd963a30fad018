// npm run openapi: writes docs/openapi.json from the build, without listening. With --check it only
// says whether the committed file is current.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
  const folder = mkdtempSync(join(tmpdir(), 'parley-openapi-'));
  try {
    /** @param {string} path */
    const load = (path) => import(pathToFileURL(join(root, 'dist/src', path)).href);
    const { NestFactory } = await import('@nestjs/core');
    const { AppModule } = await load('app.module.js');
    const { configureApp, createFastifyAdapter, createOpenApiDocument } = await load('app.setup.js');
    const { readConfiguration } = await load('app.settings.js');
    const configuration = readConfiguration({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' });
    const app = await NestFactory.create(AppModule.forRoot(configuration), createFastifyAdapter(configuration), {
      logger: false,
      abortOnError: false,
    });
    configureApp(/** @type {any} */ (app));
    // What the operations need is known once their routes are registered.
    await app.init();
    const document = createOpenApiDocument(app);
    await app.close();
    return stableJson(document);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

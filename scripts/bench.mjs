// npm run bench: measures the server against a hand-written relay, node:http and Nest's own event streams.
// --quick runs the short set with its gates, --only=m1,replay some rows or scenarios (docs/how-to/benchmark.md).
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchHelp, benchOption, benchProblem } from './lib/bench-options.mjs';
import { ALL_PARTS, ensureBuilt, ensureInstalled, run } from './lib/project.mjs';
import { loadTool } from './lib/tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'dist');
/** What is compiled: a folder, and what the benchmark uses of the tests. */
const SOURCES = ['bench', 'test/support/free-port.ts', 'test/support/loopback-server.ts'];
const args = process.argv.slice(2);
process.exitCode = args.includes('--help') ? help() : await bench();

/** @returns {number} the exit code */
function help() {
  console.log(benchHelp());
  return 0;
}

/** @returns {Promise<number>} the exit code */
async function bench() {
  const against = benchOption(args, '--against');
  const other = against === undefined ? undefined : resolve(against);
  const problem = benchProblem(args) ?? (other === undefined ? undefined : checkoutProblem(other));
  if (problem !== undefined) {
    console.error(problem);
    return 2;
  }
  const failed = (await ensureInstalled(root, { parts: ALL_PARTS })) || (await ensureBuilt(root));
  if (failed !== 0) return failed;
  compile();
  return run(root, process.execPath, [join(output, 'bench/main.js'), ...args], {
    ...process.env,
    ...(other !== undefined && { BENCH_AGAINST: besideServerOf(other) }),
  });
}

/**
 * The compiled benchmark beside the compiled server of another checkout, so that its server process runs that server.
 *
 * @param {string} other
 * @returns {string} the folder
 */
function besideServerOf(other) {
  const folder = join(other, 'dist/bench-of-another-checkout');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(output, 'bench'), folder, { recursive: true });
  return folder;
}

/**
 * What is wrong with the checkout to compare with; undefined if nothing is.
 *
 * @param {string} folder
 */
function checkoutProblem(folder) {
  if (existsSync(join(folder, 'dist/src/index.js'))) return undefined;
  return `There is no build in ${folder}. Build it first: node scripts/build.mjs`;
}

/** Beside the compiled server, so that the benchmark measures what `npm start` runs. */
function compile() {
  const { transformFileSync } = loadTool(root, '@swc/core');
  rmSync(join(output, 'bench'), { recursive: true, force: true });
  for (const path of SOURCES.flatMap(filesOf)) {
    const { code } = transformFileSync(join(root, path), {
      swcrc: false,
      jsc: {
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true },
        target: 'es2022',
        keepClassNames: true,
      },
      module: { type: 'commonjs' },
    });
    const target = join(output, path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
  }
}

/** The TypeScript files at a path below the root. */
function filesOf(/** @type {string} */ path) {
  if (path.endsWith('.ts')) return [path];
  const found = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' });
  return found.filter((name) => name.endsWith('.ts')).map((name) => join(path, name));
}

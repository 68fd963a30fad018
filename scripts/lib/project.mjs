import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { buildReason, ENTRY, prepareOutput, sourceState, writeBuildStamp } from './build-state.mjs';
import { consoleReason, consoleState, forgetConsole, publishConsole } from './console-build.mjs';
import { installReason, writeInstallStamp } from './install-state.mjs';
import { withLock } from './lock.mjs';
import { needsCompiledDriver } from './node-version.mjs';

/** @typedef {'stdout' | 'stderr'} Log `stderr`: stdout is left to the result of the script */

/**
 * Runs a program in this terminal and answers its exit code; a signal counts as 128 plus its usual
 * number. Interrupts of the terminal reach the program by themselves.
 *
 * @param {string} root
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @param {Log} [log] where its stdout goes
 * @returns {Promise<number>}
 */
export function run(root, command, args, env = process.env, log = 'stdout') {
  return new Promise((resolve, reject) => {
    const stdout = log === 'stderr' ? process.stderr : 'inherit';
    const child = spawn(command, args, { cwd: root, env, stdio: ['inherit', stdout, 'inherit'] });
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => child.kill(signal);
    process.on('SIGTERM', forward).on('SIGINT', forward);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      process.off('SIGTERM', forward).off('SIGINT', forward);
      resolve(code ?? (signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : 137));
    });
  });
}

/**
 * The folders that have packages of their own, each with its lockfile. Node.js finds those of `test` and `console` from
 * there alone: a server is started without them.
 *
 * @typedef {'server' | 'console' | 'tests'} Part
 * @type {Readonly<Record<Part, { folder: string, title: string, usually: string }>>}
 */
const PARTS = {
  server: { folder: '.', title: 'the packages of the server', usually: '290 MB; usually one minute' },
  console: { folder: 'console', title: 'the packages that build the console', usually: '95 MB; usually half a minute' },
  tests: { folder: 'test', title: 'the packages of the tests', usually: '770 MB; usually one minute' },
};
/** All parts: what the tests, the benchmark and the linters need. */
export const ALL_PARTS = /** @type {readonly Part[]} */ (Object.keys(PARTS));

/**
 * Installs the packages of each part when they are not as its package-lock.json says.
 *
 * @param {string} root
 * @param {{ parts?: readonly Part[], log?: Log }} [options]
 * @returns {Promise<number>} 0, or npm's exit code
 */
export async function ensureInstalled(root, { parts = ['server'], log = 'stdout' } = {}) {
  if (isPackaged(root)) return 0;
  for (const part of parts) {
    const code = await ensurePart(root, part, log);
    if (code !== 0) return code;
  }
  return 0;
}

/**
 * @param {string} root
 * @param {Part} part
 * @param {Log} log
 */
async function ensurePart(root, part, log) {
  const { folder, title, usually } = PARTS[part];
  const path = join(root, folder);
  if (installReason(path) === undefined) return 0;
  return withLock(join(root, `.cache/install-${part}.lock`), async () => {
    const reason = installReason(path);
    if (reason === undefined) return 0;
    say(log, `Installing ${title} (${reason}; ${usually}) …`);
    const code = (await installPackages(path, log)) || (part === 'server' ? await getDriver(path, log) : 0);
    if (code === 0) writeInstallStamp(path);
    else console.error('The installation failed; what npm says above tells why.');
    return code;
  });
}

/**
 * @param {string} path
 * @param {Log} log
 */
function installPackages(path, log) {
  return npm(path, log, 'ci', '--include=dev', '--ignore-scripts');
}

/**
 * The driver of SQLite for this Node.js: the only package whose script is needed, or one that npm leaves out without a
 * word when it cannot be fetched.
 *
 * @param {string} path
 * @param {Log} log
 */
async function getDriver(path, log) {
  if (needsCompiledDriver(process.versions.node)) {
    say(log, 'Getting the driver of SQLite for this Node.js (a download, or usually a minute with a compiler) …');
    return npm(path, log, 'rebuild', 'better-sqlite3', '--ignore-scripts=false');
  }
  if (existsSync(join(path, 'node_modules/parley-sqlite'))) return 0;
  say(log, 'npm has left out the driver of SQLite. Installing once more …');
  return installPackages(path, log);
}

/**
 * Runs npm with this Node.js, whichever the shell finds first: what is installed depends on it.
 *
 * @param {string} path
 * @param {Log} log
 * @param {readonly string[]} args
 */
function npm(path, log, ...args) {
  const [command, ...prefix] = npmCommand();
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}` };
  return run(path, command, [...prefix, ...args, '--no-fund', '--no-audit'], env, log);
}

/**
 * Compiles the server when its sources are not those of the last build.
 *
 * @param {string} root
 * @param {{ force?: boolean, log?: Log }} [options]
 * @returns {Promise<number>} 0, or the exit code of the compiler
 */
export async function ensureBuilt(root, { force = false, log = 'stdout' } = {}) {
  if (isPackaged(root) || (!force && buildReason(root) === undefined)) return 0;
  return withLock(join(root, '.cache/build.lock'), async () => {
    const reason = buildReason(root) ?? (force ? 'asked for' : undefined);
    return reason === undefined ? 0 : buildServer(root, reason, log);
  });
}

/**
 * Installs what builds the console and builds it, when its sources are not those of the last build. Independent of the
 * server: the server may run meanwhile, and serves the console once it is there.
 *
 * @param {string} root
 * @param {{ force?: boolean, log?: Log }} [options]
 * @returns {Promise<number>} 0, or the exit code of what failed
 */
export async function ensureConsole(root, { force = false, log = 'stdout' } = {}) {
  if (!consoleNeeded(root) && !force) return 0;
  const failed = await ensureInstalled(root, { parts: ['console'], log });
  if (failed !== 0 || isPackaged(root)) return failed;
  return withLock(join(root, '.cache/console.lock'), async () => {
    const reason = consoleReason(root) ?? (force ? 'asked for' : undefined);
    return reason === undefined ? 0 : buildConsole(root, reason, log);
  });
}

/**
 * Whether the console has to be built: never in an image.
 *
 * @param {string} root
 */
export function consoleNeeded(root) {
  return !isPackaged(root) && consoleReason(root) !== undefined;
}

/**
 * @param {string} root
 * @param {string} reason
 * @param {Log} log
 */
async function buildServer(root, reason, log) {
  say(log, `Building the server (${reason}; usually half a minute) …`);
  const state = sourceState(root);
  prepareOutput(root);
  const code = (await runNode(root, ['scripts/compile.mjs'], log)) || (await buildClient(root, log));
  if (code === 0) writeBuildStamp(root, state);
  else console.error('The build failed; what the compiler says above tells where.');
  return code;
}

/**
 * The client is an ES module, for browsers too.
 *
 * @param {string} root
 * @param {Log} log
 */
async function buildClient(root, log) {
  const code = await runNode(root, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.client.json'], log);
  if (code === 0) writeFileSync(join(root, 'dist/client/package.json'), '{"type":"module"}\n');
  return code;
}

/**
 * @param {string} root
 * @param {string} reason
 * @param {Log} log
 */
async function buildConsole(root, reason, log) {
  say(log, `Building the console (${reason}; usually ten seconds) …`);
  const state = consoleState(root);
  forgetConsole(root);
  const vite = ['console/node_modules/vite/bin/vite.js', 'build', 'console', '--logLevel', 'warn'];
  const code = await runNode(root, /** @type {[string, ...string[]]} */ (vite), log);
  if (code === 0) publishConsole(root, state);
  else console.error('The build of the console failed; what Vite says above tells where.');
  return code;
}

/**
 * @param {string} root
 * @param {readonly [string, ...string[]]} script its path, and its arguments
 * @param {Log} log
 */
function runNode(root, [path, ...args], log) {
  return run(root, process.execPath, [join(root, path), ...args], process.env, log);
}

/**
 * Whether this is an image: the compiled server with its packages and without its sources, with nothing to install or
 * to build.
 *
 * @param {string} root
 */
function isPackaged(root) {
  return !existsSync(join(root, 'src')) && existsSync(join(root, ENTRY));
}

/**
 * @param {Log} log
 * @param {string} line
 */
function say(log, line) {
  process[log].write(`${line}\n`);
}

/** @returns {[string, ...string[]]} */
function npmCommand() {
  const candidates = [
    process.env.npm_execpath,
    join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
    join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js'),
  ];
  const script = candidates.find((path) => path !== undefined && /npm-cli\.[cm]?js$/.test(path) && existsSync(path));
  return script === undefined ? ['npm'] : [process.execPath, script];
}

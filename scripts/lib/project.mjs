import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildReason, ENTRY, prepareOutput, sourceState, writeBuildStamp } from './build-state.mjs';
import { consoleReason, consoleState, forgetConsole, writeConsoleStamp } from './console-build.mjs';
import { installReason, writeInstallStamp } from './install-state.mjs';
import { withLock } from './lock.mjs';

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
 * Installs the dependencies when they are not as package-lock.json says.
 *
 * @param {string} root
 * @param {{ log?: Log }} [options]
 * @returns {Promise<number>} 0, or npm's exit code
 */
export async function ensureInstalled(root, { log = 'stdout' } = {}) {
  if (isPackaged(root) || installReason(root) === undefined) return 0;
  return withLock(join(root, '.cache/install.lock'), async () => {
    const reason = installReason(root);
    if (reason === undefined) return 0;
    say(log, `Installing the dependencies (${reason}) …`);
    const [command, ...prefix] = npmCommand();
    const code = await run(
      root,
      command,
      [...prefix, 'ci', '--include=dev', '--no-fund', '--no-audit'],
      process.env,
      log,
    );
    if (code === 0) writeInstallStamp(root);
    else console.error('The installation failed; what npm says above tells why.');
    return code;
  });
}

/**
 * Compiles the server and builds the console, each when its sources are not those of the last build.
 *
 * @param {string} root
 * @param {{ force?: boolean, log?: Log }} [options]
 * @returns {Promise<number>} 0, or the exit code of the compiler that failed
 */
export async function ensureBuilt(root, { force = false, log = 'stdout' } = {}) {
  if (isPackaged(root)) return 0;
  if (!force && buildReason(root) === undefined && consoleReason(root) === undefined) return 0;
  return withLock(join(root, '.cache/build.lock'), async () => {
    const asked = force ? 'asked for' : undefined;
    const reason = buildReason(root) ?? asked;
    const failed = reason === undefined ? 0 : await buildServer(root, reason, log);
    if (failed !== 0) return failed;
    const reasonForConsole = consoleReason(root) ?? asked;
    return reasonForConsole === undefined ? 0 : buildConsole(root, reasonForConsole, log);
  });
}

/**
 * @param {string} root
 * @param {string} reason
 * @param {Log} log
 */
async function buildServer(root, reason, log) {
  say(log, `Building (${reason}) …`);
  const state = sourceState(root);
  prepareOutput(root);
  const code =
    (await runNode(root, ['node_modules/@nestjs/cli/bin/nest.js', 'build'], log)) || (await buildClient(root, log));
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
  say(log, `Building the console (${reason}) …`);
  const state = consoleState(root);
  forgetConsole(root);
  const code = await runNode(root, ['node_modules/vite/bin/vite.js', 'build', 'console', '--logLevel', 'warn'], log);
  if (code === 0) writeConsoleStamp(root, state);
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

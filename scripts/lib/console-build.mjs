import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintFiles, listFiles, readJson } from './fingerprint.mjs';
import { writeStamp } from './stamp.mjs';

const STAMP = 'dist/.console.json';
const GROUND = ['console/index.html', 'console/vite.config.mjs', 'console/package-lock.json'];

const CONSOLE_FOLDER = 'dist/console';
/** The built page of the console. */
export const CONSOLE_PAGE = `${CONSOLE_FOLDER}/index.html`;

/**
 * The present state of everything that the console is built from; see `sourceState`.
 *
 * @param {string} root
 */
export function consoleState(root) {
  const sources = listFiles(join(root, 'console/src'), (path) => !/\.spec\.tsx?$/.test(path));
  return { sources: fingerprintFiles(root, [...GROUND, ...sources.map((path) => `console/src/${path}`)]) };
}

/**
 * Why the console has to be built, or undefined when the last build is of these sources.
 *
 * @param {string} root
 * @returns {string | undefined}
 */
export function consoleReason(root) {
  const stamp = readJson(join(root, STAMP));
  if (stamp === undefined || !existsSync(join(root, CONSOLE_PAGE))) return 'there is no build';
  return stamp.sources === consoleState(root).sources ? undefined : 'the sources have changed';
}

/**
 * Forgets the last build: a failed one is never taken for a good one.
 *
 * @param {string} root
 */
export function forgetConsole(root) {
  rmSync(join(root, STAMP), { force: true });
}

/**
 * Puts a successful build in the place of the last one, at once, and notes it: a server that runs meanwhile never serves
 * half of it.
 *
 * @param {string} root
 * @param {ReturnType<typeof consoleState>} state as it was before the build
 */
export function publishConsole(root, state) {
  rmSync(join(root, CONSOLE_FOLDER), { recursive: true, force: true });
  renameSync(join(root, `${CONSOLE_FOLDER}.new`), join(root, CONSOLE_FOLDER));
  writeStamp(join(root, STAMP), state);
}

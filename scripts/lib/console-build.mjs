import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintFiles, listFiles, readJson } from './fingerprint.mjs';
import { writeStamp } from './stamp.mjs';

const STAMP = 'dist/.console.json';

/** The built page of the console. */
export const CONSOLE_PAGE = 'dist/console/index.html';

/**
 * The present state of everything that the console is built from; see `sourceState`.
 *
 * @param {string} root
 */
export function consoleState(root) {
  const sources = listFiles(join(root, 'console'), (path) => !/\.spec\.tsx?$/.test(path));
  return { sources: fingerprintFiles(root, ['package-lock.json', ...sources.map((path) => `console/${path}`)]) };
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
 * Notes a successful build of the console.
 *
 * @param {string} root
 * @param {ReturnType<typeof consoleState>} state as it was before the build
 */
export function writeConsoleStamp(root, state) {
  writeStamp(join(root, STAMP), state);
}

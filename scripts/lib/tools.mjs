import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Folders with packages, those of the tests first: they have the tools for developers. */
const FOLDERS = ['test', '.', 'console'];

/**
 * Loads a package of the tests, which nothing outside of `test` finds by itself. Install the part `tests` first.
 *
 * @param {string} root
 * @param {string} name
 * @returns {any}
 * @throws {Error} if it is not installed
 */
export function loadTool(root, name) {
  return createRequire(join(root, 'test/package.json'))(name);
}

/**
 * The script of a command that a package offers, as in `node_modules/.bin`.
 *
 * @param {string} root
 * @param {string} command such as `eslint`
 * @returns {string | undefined} its path
 */
export function toolPath(root, command) {
  for (const folder of FOLDERS) {
    const manifest = manifestOf(join(root, folder, 'node_modules'), PACKAGES[command] ?? command);
    if (manifest === undefined) continue;
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    const path = typeof bin === 'string' ? bin : bin?.[command];
    if (path !== undefined) return join(dirname(manifest), path);
  }
  return undefined;
}

/** Packages that are named otherwise than their command. @type {Readonly<Record<string, string>>} */
const PACKAGES = { depcruise: 'dependency-cruiser', nest: '@nestjs/cli', tsc: 'typescript' };

/**
 * @param {string} modules
 * @param {string} name
 */
function manifestOf(modules, name) {
  const path = join(modules, name, 'package.json');
  return existsSync(path) ? path : undefined;
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes the record of a build.
 *
 * @param {string} path
 * @param {object} state what was built, as JSON
 */
export function writeStamp(path, state) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(state)}\n`);
}

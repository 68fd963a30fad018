import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/**
 * The files below a folder whose path (relative, with slashes) is accepted, sorted. A folder that
 * does not exist has none.
 *
 * @param {string} root
 * @param {(path: string) => boolean} accepts
 * @returns {string[]}
 */
export function listFiles(root, accepts) {
  const entries = readOr([], () => readdirSync(root, { recursive: true, withFileTypes: true }));
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter(accepts)
    .sort();
}

/**
 * A digest of the names, sizes and modification times of files: cheap, and different as soon as a
 * file is written, added, removed or replaced by an older one. A missing file counts as such.
 *
 * @param {string} root
 * @param {readonly string[]} paths relative to the root
 * @returns {string}
 */
export function fingerprintFiles(root, paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const stat = readOr(undefined, () => statSync(join(root, path)));
    hash.update(stat === undefined ? `${path}\0missing\n` : `${path}\0${stat.size}\0${stat.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/**
 * The digest of a file's content, or undefined when there is no such file.
 *
 * @param {string} path
 * @returns {string | undefined}
 */
export function hashFile(path) {
  const content = readOr(undefined, () => readFileSync(path));
  return content === undefined ? undefined : createHash('sha256').update(content).digest('hex');
}

/**
 * The content of a JSON file, or undefined when it is missing or not JSON.
 *
 * @param {string} path
 * @returns {any}
 */
export function readJson(path) {
  return readOr(undefined, () => JSON.parse(readFileSync(path, 'utf8')));
}

/**
 * @template T, U
 * @param {T} fallback
 * @param {() => U} read
 * @returns {T | U}
 */
function readOr(fallback, read) {
  try {
    return read();
  } catch {
    return fallback;
  }
}

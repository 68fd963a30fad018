import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFile, readJson } from './fingerprint.mjs';
import { needsCompiledDriver } from './node-version.mjs';

const STAMP = 'node_modules/.parley-install.json';

/** What native modules are built for. From Node.js 22 on they need no particular version (ADR 36). */
function platform() {
  const abi = needsCompiledDriver(process.versions.node) ? process.versions.modules : 'napi';
  return `${process.platform}-${process.arch}-${abi}`;
}

/**
 * Why the dependencies have to be installed, or undefined when they are as package-lock.json says.
 *
 * @param {string} root the folder of package.json
 * @returns {string | undefined}
 */
export function installReason(root) {
  if (!existsSync(join(root, 'node_modules'))) return 'node_modules is missing';
  const stamp = readJson(join(root, STAMP));
  if (stamp !== undefined && stamp.platform !== platform()) return 'node_modules was installed for another Node.js';
  if (stamp !== undefined && stamp.lock === hashFile(join(root, 'package-lock.json'))) return undefined;
  if (!installedAsLocked(root)) return 'package-lock.json has changed';
  // Installed by hand with npm: as good as our own installation.
  writeInstallStamp(root);
  return undefined;
}

/**
 * Notes that node_modules is as package-lock.json says.
 *
 * @param {string} root
 */
export function writeInstallStamp(root) {
  const stamp = { lock: hashFile(join(root, 'package-lock.json')), platform: platform() };
  writeFileSync(join(root, STAMP), `${JSON.stringify(stamp)}\n`);
}

/**
 * Compares npm's record of what it installed with the lockfile. npm writes the record last, so an
 * interrupted installation has none.
 *
 * @param {string} root
 * @returns {boolean}
 */
function installedAsLocked(root) {
  const locked = readJson(join(root, 'package-lock.json'))?.packages;
  const installed = readJson(join(root, 'node_modules/.package-lock.json'))?.packages;
  if (locked === undefined || installed === undefined) return false;
  const sameVersion = Object.entries(locked).every(
    ([path, entry]) =>
      path === '' || (installed[path]?.version ?? (isOmissible(entry) ? entry.version : '')) === entry.version,
  );
  return sameVersion && Object.keys(installed).every((path) => path in locked);
}

/**
 * Whether npm may leave a package out: built for other systems, or an unmet optional peer.
 *
 * @param {{ optional?: boolean, peer?: boolean }} entry
 */
function isOmissible(entry) {
  return entry.optional === true || entry.peer === true;
}

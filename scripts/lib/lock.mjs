import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Does something that two processes must not do at once in one folder. Waits while another living
 * process holds the lock; a lock whose process is gone is taken over.
 *
 * @template T
 * @param {string} path the lock file
 * @param {() => T | Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withLock(path, action) {
  mkdirSync(dirname(path), { recursive: true });
  for (let waited = 0; !tryAcquire(path); waited += 1) {
    if (waited === 10) console.log('Waiting for another process that is installing or building here …');
    await delay(100);
  }
  try {
    return await action();
  } finally {
    rmSync(path, { force: true });
  }
}

/**
 * @param {string} path
 * @returns {boolean}
 */
function tryAcquire(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!holderIsAlive(path)) rmSync(path, { force: true });
    return false;
  }
}

/**
 * @param {string} path
 * @returns {boolean}
 */
function holderIsAlive(path) {
  try {
    const holder = Number(readFileSync(path, 'utf8'));
    // An empty file is a lock that is being written this very moment.
    if (!Number.isInteger(holder) || holder <= 0) return true;
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * @param {unknown} error
 * @returns {string | undefined}
 */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}

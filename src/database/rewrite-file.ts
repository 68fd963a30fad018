import { Worker } from 'node:worker_threads';
import { sqliteDriverPath } from './sqlite-driver.js';

/** What the thread answers. */
type Outcome = { readonly done: true } | { readonly message: string; readonly code: string };

/**
 * Runs in the thread. Pages that were split keep copies of what they held, which `secure_delete` does not overwrite: only
 * a rewrite leaves them out. As source text, because specs are not compiled.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
function rewrite() {
  const database = new (require(workerData.driver))(workerData.file, { fileMustExist: true, timeout: 30000 });
  try {
    database.pragma('synchronous = NORMAL');
    database.exec('VACUUM');
    if (database.pragma('wal_checkpoint(TRUNCATE)')[0].busy === 0) return { done: true };
    return { message: 'The log of the database is in use', code: 'SQLITE_BUSY' };
  } catch (error) {
    return { message: String(error.message), code: String(error.code) };
  } finally {
    database.close();
  }
}
parentPort.postMessage(rewrite());`;

/**
 * Rewrites a SQLite file without what was removed from it, then empties its write-ahead log: in a thread, because it takes
 * some seconds for each gigabyte. Needs as much room on the disk as the file has.
 *
 * @throws the driver's error: the file is as it was, or the log is not empty
 */
export async function rewriteFile(file: string): Promise<void> {
  const worker = new Worker(PROGRAM, { eval: true, workerData: { driver: sqliteDriverPath(), file } });
  const outcome = await new Promise<Outcome>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
    worker.once('exit', () => reject(new Error('The thread that rewrites the database ended')));
  });
  if ('code' in outcome) throw Object.assign(new Error(outcome.message), { code: outcome.code });
}

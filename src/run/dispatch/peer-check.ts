import { disagreements } from '../../config/index.js';
import type { Worker } from '../ports/worker-registry.js';

/**
 * Checks that a worker may join others: uploads and keys must be the same everywhere, because a client's next request
 * may reach any of them.
 *
 * @param checksSchema whether a worker that knows fewer migrations than another one is refused
 * @throws Error that names the settings, and the worker that has others
 */
export function checkPeers(worker: Worker, others: readonly Worker[], checksSchema: boolean): void {
  for (const other of others) {
    const settings = disagreements(worker.fingerprints, other.fingerprints);
    if (settings.length > 0) {
      throw new Error(
        `Parley cannot start: ${settings.join(', ')} must be the same on all servers of one database, but the running server ${nameOf(other)} has other values. ${hintOf(settings)}`,
      );
    }
    if (checksSchema && worker.schemaVersion < other.schemaVersion) {
      throw new Error(
        `Parley cannot start: the running server ${nameOf(other)} has version ${other.version}, whose database schema ${other.schemaVersion} is newer than ${worker.schemaVersion}, the newest that this version (${worker.version}) knows. Use the newer version, or set MIGRATE=off.`,
      );
    }
  }
}

function nameOf({ name, id }: Worker): string {
  return `${name} (${id})`;
}

function hintOf(settings: readonly string[]): string {
  const hints = settings.map((setting) =>
    setting === 'ATTACHMENT_STORE'
      ? 'Use the same bucket with ATTACHMENT_STORE=s3, or a DATA_DIR that all servers share.'
      : `Set ${setting} to the same keys; without it each DATA_DIR has a generated key of its own.`,
  );
  return hints.join(' ');
}

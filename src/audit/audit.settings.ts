import { randomBytes } from 'node:crypto';
import { keyList, ownKey, type ServerKey, ServerSettings, setting, settings } from '../config/index.js';
import { DatabaseSettings } from '../database/index.js';

/** With what the audit trail is sealed. */
export class AuditSettings extends settings('Audit trail', {
  keys: setting('AUDIT_KEYS', keyList(), {
    unset: 'one key, generated when it is first needed and kept in DATA_DIR',
    secret: true,
    description:
      'Keys that seal the [audit trail](audit.md), as `kid:secret`, separated by commas. The first seals, all verify: a key has to stay in the list for as long as lines are kept that it has sealed. All servers on one PostgreSQL database need the same keys: a server with another list does not start, and what a server seals without a list only that server can verify.',
  }),
}) {
  readonly #dataDir = this.source.slice(ServerSettings).dataDir;

  override warnings(): readonly string[] {
    const isShared = this.source.slice(DatabaseSettings).address.kind === 'postgres';
    if (this.keys || !isShared) return [];
    return [
      'AUDIT_KEYS is not set: only this server, with the file audit-key in DATA_DIR, can verify what it seals of the audit trail. Set the same keys for all servers on this database.',
    ];
  }

  /** The ring: the first key seals, all verify. Reading it may create the file of the own key. */
  ring(): readonly ServerKey[] {
    // Its name tells the own keys of several servers apart: a seal of another's is of an unknown key, and not forged.
    return this.keys ?? [ownKey(this.#dataDir, 'audit-key', `local-${randomBytes(4).toString('hex')}`)];
  }
}

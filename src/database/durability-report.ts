import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Database } from './database.js';
import type { Queryable } from './queryable.js';

/** Settings of PostgreSQL, each with the value that lets a power failure lose committed data. */
const UNSAFE: Readonly<Record<string, string>> = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

const READ = `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')`;

/** Without the rights of pg_monitor the states are null, and nothing is known. */
const STANDBYS = `
  SELECT COUNT(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) AS synchronous,
    COUNT(*) FILTER (WHERE sync_state IN ('async', 'potential')) AS asynchronous
  FROM pg_stat_replication WHERE state = 'streaming'`;

/** Warns at start-up if the database cannot guarantee `DURABILITY=strict` (docs/durability.md). */
export class DurabilityReport implements OnApplicationBootstrap {
  private readonly logger = new Logger('Database');

  constructor(private readonly database: Database) {}

  /** Logs a warning that names the settings, and one about standbys that may lack commits; nothing if there are none. */
  async onApplicationBootstrap(): Promise<void> {
    const gaps = await durabilityGaps(this.database.read);
    if (gaps.length > 0) {
      this.logger.warn(
        `DURABILITY is strict, but PostgreSQL has ${gaps.join(', ')}: a power failure may lose committed data.`,
      );
    }
    if (await isReplicatedLate(this.database.read)) {
      this.logger.warn(
        'DURABILITY is strict, but all standbys of PostgreSQL are asynchronous: a failover may lose committed data.',
      );
    }
  }
}

/** Whether there are standbys, and commits wait for none of them. False if the role may not see it, and for SQLite. */
async function isReplicatedLate(database: Queryable): Promise<boolean> {
  if (database.dialect !== 'postgres') return false;
  const [row] = await database.all<{ synchronous: number; asynchronous: number }>(STANDBYS);
  return Number(row?.asynchronous) > 0 && Number(row?.synchronous) === 0;
}

/**
 * The settings of PostgreSQL that break `DURABILITY=strict`, such as `fsync=off`. Always empty for SQLite, whose
 * settings the server chooses itself.
 */
export async function durabilityGaps(database: Queryable): Promise<readonly string[]> {
  if (database.dialect !== 'postgres') return [];
  const rows = await database.all<{ name: string; setting: string }>(READ);
  return rows
    .filter(({ name, setting }) => UNSAFE[name] === setting)
    .map(({ name, setting }) => `${name}=${setting}`)
    .sort();
}

import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Database } from './database.js';
import type { Queryable } from './queryable.js';

/** Settings of PostgreSQL, each with the value that lets a power failure lose committed data. */
const UNSAFE: Readonly<Record<string, string>> = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

const READ = `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')`;

/** Warns at start-up if the database cannot guarantee `DURABILITY=strict` (docs/durability.md). */
export class DurabilityReport implements OnApplicationBootstrap {
  private readonly logger = new Logger('Database');

  constructor(private readonly database: Database) {}

  /** Logs one warning that names the settings; nothing if there are none. */
  async onApplicationBootstrap(): Promise<void> {
    const gaps = await durabilityGaps(this.database.read);
    if (gaps.length === 0) return;
    this.logger.warn(
      `DURABILITY is strict, but PostgreSQL has ${gaps.join(', ')}: a power failure may lose committed data.`,
    );
  }
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

import type { Queryable } from './database.js';

/** Settings of PostgreSQL without which what is committed may not be on the disk, and the values that break it. */
const BREAKING: Readonly<Record<string, string>> = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

const READ = `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')`;

/**
 * What keeps `DURABILITY=strict` from being true: settings of the PostgreSQL that is used, such as
 * `fsync=off`. Empty for the embedded database, whose settings are the server's own.
 */
export async function durabilityGaps(database: Queryable): Promise<readonly string[]> {
  if (database.dialect !== 'postgres') return [];
  const rows = await database.all<{ name: string; setting: string }>(READ);
  return rows
    .filter(({ name, setting }) => BREAKING[name] === setting)
    .map(({ name, setting }) => `${name}=${setting}`)
    .sort();
}

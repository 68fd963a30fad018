import type BetterSqlite3 from 'better-sqlite3';
import { StartupError } from '../common/index.js';

/** The driver with binaries inside its package, for Node.js 22 and newer; the other is compiled or downloaded. */
const PREBUILT = 'parley-sqlite';
const COMPILED = 'better-sqlite3';
/** The prebuilt driver ends the process of an older Node.js. */
const FIRST_WITH_PREBUILT = 22;

/** `better-sqlite3`, whichever version runs on this Node.js. */
export type SqliteDriver = typeof BetterSqlite3;

/**
 * The module of the SQLite driver, as an absolute path: a thread loads it, too. One of two versions of `better-sqlite3`
 * (ADR 36); the compiled one is taken where an installation left the prebuilt one out.
 *
 * @throws StartupError that says what to install, if there is none
 */
export function sqliteDriverPath(): string {
  const names = Number.parseInt(process.versions.node, 10) < FIRST_WITH_PREBUILT ? [COMPILED] : [PREBUILT, COMPILED];
  for (const name of names) {
    try {
      return require.resolve(name);
    } catch {
      // The next one.
    }
  }
  throw new StartupError(
    'The embedded database needs the package better-sqlite3, which npm left out or could not compile. ' +
      'Install it with: npm install better-sqlite3@12 (Node.js 20), or npm install parley-sqlite@npm:better-sqlite3@13. ' +
      'Or set DATABASE_URL to a PostgreSQL.',
  );
}

/**
 * Loads the SQLite driver.
 *
 * @throws as `sqliteDriverPath`
 */
export function loadSqliteDriver(): SqliteDriver {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- which module it is, is known at run time
  return require(sqliteDriverPath()) as SqliteDriver;
}

import { dirname, resolve } from 'node:path';
import {
  choice,
  type ConfigurationProblem,
  describeAddress,
  ensureDataFolder,
  integer,
  keyList,
  milliseconds,
  parseUrl,
  type Rule,
  ServerSettings,
  setting,
  settings,
} from '../config/index.js';

/** Where a database is. */
export interface DatabaseAddress {
  readonly kind: 'sqlite' | 'postgres';
  /** `postgres://…`, or `sqlite:` and the absolute path of the file. */
  readonly url: string;
  /** The file of a SQLite database, or `:memory:`; empty for PostgreSQL. */
  readonly file: string;
}

/** Where the server keeps its sessions and runs, and how safely it writes. */
export class DatabaseSettings extends settings('Database', {
  address: setting('DATABASE_URL', databaseUrl(), {
    default: (source) => sqliteFile(resolve(source.slice(ServerSettings).dataDir, 'parley.db')),
    unset: '`sqlite:<DATA_DIR>/parley.db`',
    secret: true,
    description:
      'The database: `sqlite:<file>` (embedded, nothing to install) or `postgres://user:password@host:port/database`.',
  }),
  schema: setting('DATABASE_SCHEMA', schemaName(), {
    unset: 'the first of the `search_path` of the role, usually `public`',
    description:
      'The PostgreSQL schema that holds the tables, for a database that also belongs to other software. It is created if it does not exist. SQLite has none: use a file of its own.',
  }),
  encryptionKeys: setting('DATA_ENCRYPTION_KEYS', keyList(), {
    unset: 'content is stored as it is',
    secret: true,
    description:
      'Keys that [encrypt the content](encryption.md) in the database and in uploads, as `kid:secret`, separated by commas. The first wraps the data keys of tenants, all unwrap: a key has to stay in the list until `npm run data -- reencrypt` has wrapped them again. Without the keys the content is lost. All servers on one database need the same keys: a server with another list does not start.',
  }),
  encryption: setting('DATA_ENCRYPTION', choice('on', 'off'), {
    default: 'on',
    description:
      '`off`: new content is stored as it is, and `DATA_ENCRYPTION_KEYS` only serve to read what is encrypted. For [the way back](encryption.md#switch-it-off): then `npm run data -- decrypt` stores everything as it is.',
  }),
  durability: setting('DURABILITY', choice('strict', 'relaxed'), {
    default: 'strict',
    description:
      '`strict` survives a power failure; `relaxed` is faster and survives a killed process, but not a power failure.',
  }),
  migrate: setting('MIGRATE', choice('auto', 'check', 'off'), {
    default: 'auto',
    description:
      'What a start does about pending migrations: `auto` applies them, `check` refuses to start, `off` does not look. `npm run migration:run` applies them without starting the server.',
  }),
  poolSize: setting('DATABASE_POOL_SIZE', integer({ min: 2, max: 1000 }), {
    default: 10,
    description: 'Connections to PostgreSQL. SQLite ignores it.',
  }),
  waitMs: setting('DATABASE_WAIT_MS', milliseconds({ min: 100, max: 60_000 }), {
    default: 1000,
    description:
      'How long a request waits for a connection to PostgreSQL, or for a PostgreSQL that answers nothing, before it is refused with 503. Runs in progress wait until their lease ends.',
  }),
  lockWaitMs: setting('DATABASE_LOCK_WAIT_MS', milliseconds({ min: 100, max: 25_000 }), {
    default: 5000,
    description:
      'How long a request waits for a lock that another transaction in PostgreSQL holds before it is refused with 503.',
  }),
  preparedStatements: setting('DATABASE_PREPARED_STATEMENTS', choice('auto', 'on', 'off'), {
    default: 'auto',
    description:
      'Whether PostgreSQL keeps the inserts of runs prepared on each connection, which saves a fifth of its work for a short run. `auto` does so on direct connections and not behind a pooler that gives each transaction a connection. `on` is for poolers that know prepared statements, such as PgBouncer 1.21 with `max_prepared_statements`.',
  }),
  idleTransactionMs: setting('DATABASE_IDLE_TRANSACTION_MS', milliseconds({ min: 500, max: 20_000 }), {
    default: 10_000,
    description:
      'How long PostgreSQL waits for the next statement of a transaction before it rolls it back and frees its locks: those of a process that is paused or has lost its host. Not more than LEASE_MS, so that its runs can be continued when its lease ends.',
  }),
}) {
  /** The setting that the address comes from, for messages. */
  readonly addressSetting = (this.source.env['DATABASE_URL'] ?? '') === '' ? 'DATA_DIR' : 'DATABASE_URL';

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    if (this.schema === undefined || this.address.kind === 'postgres' || unusable.has('DATABASE_URL')) return [];
    return [{ name: 'DATABASE_SCHEMA', message: 'needs a DATABASE_URL of PostgreSQL: a SQLite file has no schemas' }];
  }
}

/**
 * Creates the folder of a SQLite file, because the driver does not.
 *
 * @param setting that the address comes from, for the message
 * @throws StartupError if no files can be created in it
 */
export function ensureDatabaseFolder({ kind, file }: DatabaseAddress, setting = 'DATABASE_URL'): void {
  if (kind === 'sqlite' && file !== ':memory:') ensureDataFolder(dirname(file), setting);
}

/** `sqlite:<file>`, or the URL of a PostgreSQL database. */
function databaseUrl(): Rule<DatabaseAddress> {
  return {
    expectation: 'sqlite:<file>, or postgres://user:password@host:port/database',
    parse: (text) => {
      if (text.startsWith('sqlite:')) {
        const file = text.replace(/^sqlite:(\/\/)?/, '');
        return file === '' ? undefined : sqliteFile(file);
      }
      const url = parseUrl(text);
      const isPostgres = url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1;
      return isPostgres ? { kind: 'postgres', url: text, file: '' } : undefined;
    },
    describe: describeAddress,
  };
}

/** A name that needs no quotes and is not one of PostgreSQL's own. */
function schemaName(): Rule<string> {
  return {
    expectation: 'a name of lower-case letters, digits and _ that does not begin with a digit or pg_',
    parse: (text) => (/^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/.test(text) ? text : undefined),
  };
}

/** Relative names are resolved against the working directory, so that logs show the whole path. */
function sqliteFile(name: string): DatabaseAddress {
  const file = name === ':memory:' ? name : resolve(name);
  return { kind: 'sqlite', url: `sqlite:${file}`, file };
}

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** A fresh, empty database for one test file. */
export interface TestDatabase {
  readonly kind: 'sqlite' | 'postgres';
  /** What a server needs in its environment to use it. */
  readonly env: {
    readonly DATA_DIR: string;
    readonly DATABASE_URL?: string;
    readonly DATABASE_WAIT_MS?: string;
    readonly DATABASE_SCHEMA?: string;
    readonly DATA_ENCRYPTION_KEYS?: string;
  };
  /** Deletes it and everything in it. */
  drop(): Promise<void>;
}

/** An embedded database in a temporary folder. */
export async function sqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  return {
    kind: 'sqlite',
    env: { DATA_DIR: folder, ...encryptionEnv() },
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A database of its own in the server that TEST_DATABASE_URL names, with its tables in TEST_DATABASE_SCHEMA. */
export async function postgresDatabase(server: string): Promise<TestDatabase> {
  const name = `parley_test_${randomBytes(6).toString('hex')}`;
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await administer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const { TEST_DATABASE_SCHEMA } = process.env;
  const schema = TEST_DATABASE_SCHEMA ? { DATABASE_SCHEMA: TEST_DATABASE_SCHEMA } : {};
  return {
    kind: 'postgres',
    // On a busy machine a healthy database may take longer than the default.
    env: { DATA_DIR: folder, DATABASE_URL: url.toString(), DATABASE_WAIT_MS: '10000', ...schema, ...encryptionEnv() },
    drop: async () => {
      await administer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** TEST_DATA_ENCRYPTION_KEYS encrypts the content of all databases of tests: any spec can be run so. */
export function encryptionEnv(): { readonly DATA_ENCRYPTION_KEYS?: string } {
  const { TEST_DATA_ENCRYPTION_KEYS } = process.env;
  return TEST_DATA_ENCRYPTION_KEYS ? { DATA_ENCRYPTION_KEYS: TEST_DATA_ENCRYPTION_KEYS } : {};
}

/** Runs the same tests on SQLite and, when TEST_DATABASE_URL names a server, on PostgreSQL. */
export function describeOnDatabases(title: string, tests: (open: () => Promise<TestDatabase>) => void): void {
  describe(`${title} on SQLite`, () => tests(sqliteDatabase));
  const server = process.env.TEST_DATABASE_URL;
  if (server) {
    describe(`${title} on PostgreSQL`, () => tests(() => postgresDatabase(server)));
  } else {
    describe.skip(`${title} on PostgreSQL (skipped: TEST_DATABASE_URL is not set)`, () => tests(sqliteDatabase));
  }
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

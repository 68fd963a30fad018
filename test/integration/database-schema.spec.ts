import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { readSettings } from '../../src/config/index.js';
import {
  type Database,
  databaseIdentity,
  DatabaseSettings,
  loadSqliteDriver,
  openDatabase,
} from '../../src/database/index.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';

const open = (env: NodeJS.ProcessEnv): Promise<Database> => openDatabase(readSettings(DatabaseSettings, env));

/** The tables of an application that others wrote. */
const FOREIGN = [
  'CREATE TABLE schema_migrations (version varchar(14) PRIMARY KEY)',
  `INSERT INTO schema_migrations VALUES ('20260101000000')`,
  'CREATE TABLE sessions (sid text PRIMARY KEY, data text)',
  `INSERT INTO sessions VALUES ('s1', 'of the host')`,
];

describe('a SQLite file of other software', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-foreign-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['its migrations and sessions', FOREIGN, 'tables schema_migrations, sessions are'],
    ['its sessions alone', FOREIGN.slice(2), 'table sessions is'],
    [
      'migrations of another TypeORM',
      ['CREATE TABLE schema_migrations (id, timestamp, name)', `INSERT INTO schema_migrations VALUES (1, 2, 'Host2')`],
      'table schema_migrations is',
    ],
  ])('is refused for %s, and stays as it is', async (name, statements, words) => {
    const file = join(folder, `${name}.db`);
    const SqliteDriver = loadSqliteDriver();
    const host = new SqliteDriver(file);
    for (const statement of statements) host.exec(statement);
    const before = host.prepare('SELECT name, sql FROM sqlite_master').all();
    await expect(open({ DATABASE_URL: `sqlite:${file}` })).rejects.toThrow(
      `The database belongs to other software: its ${words} not Parley's. Please give Parley a file of its own in DATABASE_URL.`,
    );
    expect(host.prepare('SELECT name, sql FROM sqlite_master').all()).toEqual(before);
    host.close();
  });

  it('DATABASE_SCHEMA is refused', () => {
    expect(() => readSettings(DatabaseSettings, { DATABASE_SCHEMA: 'parley' })).toThrow(
      'DATABASE_SCHEMA needs a DATABASE_URL of PostgreSQL',
    );
  });
});

const server = process.env.TEST_DATABASE_URL;
const describeOnPostgres = server ? describe : describe.skip;

describeOnPostgres('a PostgreSQL database of other software', () => {
  let test: TestDatabase;
  let host: Client;
  const opened: { close(): Promise<void> }[] = [];
  const envWith = (schema: string): NodeJS.ProcessEnv => ({ ...test.env, DATABASE_SCHEMA: schema });

  beforeAll(async () => {
    test = await postgresDatabase(server as string);
    host = new Client({ connectionString: test.env.DATABASE_URL });
    await host.connect();
    for (const statement of FOREIGN) await host.query(statement);
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
    await host.end();
    await test.drop();
  });

  const tables = async (schema: string): Promise<string[]> => {
    const { rows } = await host.query<{ name: string }>(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1',
      [schema],
    );
    return rows.map(({ name }) => name);
  };

  it.each(['auto', 'check'])(
    'is refused with MIGRATE=%s and without DATABASE_SCHEMA, and stays as it is',
    async (mode) => {
      await expect(open({ ...test.env, DATABASE_SCHEMA: '', MIGRATE: mode })).rejects.toThrow(
        `its tables schema_migrations, sessions are not Parley's. Please set DATABASE_SCHEMA to a schema of its own`,
      );
      expect(await tables('public')).toEqual(['schema_migrations', 'sessions']);
    },
  );

  it('MIGRATE=check names the migrations that a schema lacks, and does not create it', async () => {
    await expect(open({ ...envWith('later'), MIGRATE: 'check' })).rejects.toThrow(
      /lacks \d+ migration\(s\): CreateLedger/,
    );
    expect(await tables('later')).toEqual([]);
  });

  it('two servers with schemas of their own see neither each other nor the host', async () => {
    const start = async (schema: string): Promise<TestServer> => {
      const started = await startServer({
        database: { ...test, env: envWith(schema) as TestDatabase['env'], drop: async () => undefined },
      });
      opened.push(started);
      return started;
    };
    const one = await start('agents_one');
    await start('agents_two');
    const body = { session_id: 'shared-name', input: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] };
    const answer = await fetch(`${one.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(await answer.text()).toContain('"status":"completed"');
    const counts = async (schema: string): Promise<number> =>
      (await host.query<{ n: string }>(`SELECT count(*) AS n FROM ${schema}.runs`)).rows.map(({ n }) => Number(n))[0] ??
      -1;
    expect([await counts('agents_one'), await counts('agents_two')]).toEqual([1, 0]);
    expect(await tables('agents_one')).toEqual(await tables('agents_two'));
    expect(await tables('agents_one')).toContain('schema_migrations');
    expect(await tables('public')).toEqual(['schema_migrations', 'sessions']);
    expect((await host.query('SELECT * FROM sessions')).rows).toEqual([{ sid: 's1', data: 'of the host' }]);
  });

  it('has another identity for each schema', async () => {
    const names = new Set<string>();
    for (const schema of ['agents_one', 'agents_two']) {
      const database = await open(envWith(schema));
      names.add(await databaseIdentity(database.forRuns));
      await database.close();
    }
    expect(names.size).toBe(2);
  });

  it('a role that may not create schemas uses one that exists', async () => {
    const role = `parley_role_${process.pid}`;
    await host.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    await host.query(`CREATE SCHEMA prepared AUTHORIZATION ${role}`);
    const url = new URL(test.env.DATABASE_URL as string);
    [url.username, url.password] = [role, 'secret'];
    const env = { ...envWith('prepared'), DATABASE_URL: url.toString() };
    try {
      await (await open(env)).close();
      expect(await tables('prepared')).toContain('runs');
      await expect(open({ ...env, DATABASE_SCHEMA: 'denied' })).rejects.toThrow('permission denied');
    } finally {
      await host.query('DROP SCHEMA prepared CASCADE');
      await host.query(`DROP ROLE ${role}`);
    }
  });
});

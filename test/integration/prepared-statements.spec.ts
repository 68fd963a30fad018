import pg from 'pg';
import { prepared, type PreparedMode, PreparedStatements } from '../../src/database/prepared-statements.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { NO_PGBOUNCER, PgBouncer } from '../support/pgbouncer.js';

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const SKIPPED = POSTGRES === '' ? 'TEST_DATABASE_URL is not set' : undefined;

const OFTEN = prepared('SELECT ?::int AS given');
const TYPED = prepared('SELECT value FROM typed WHERE no = ?');
const SELDOM = 'SELECT ?::int AS other';
/** What the server keeps for the connection that asks. */
const KEPT = "SELECT name, statement FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1::int%'";

(SKIPPED ? describe.skip : describe)(`prepared statements${SKIPPED ? ` (skipped: ${SKIPPED})` : ''}`, () => {
  let database: TestDatabase;
  let clients: pg.Client[];

  beforeAll(async () => (database = await postgresDatabase(POSTGRES)));
  beforeEach(() => (clients = []));
  afterEach(() => Promise.all(clients.map((client) => client.end())));
  afterAll(() => database.drop());

  async function connected(url = database.env.DATABASE_URL ?? ''): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, pipeline: true });
    clients.push(client);
    await client.connect();
    return client;
  }

  /** Sends both statements several times, with other values. Returns what the server keeps. */
  async function keptAfterUse(client: pg.Client, mode: PreparedMode): Promise<{ name: string; statement: string }[]> {
    const statements = new PreparedStatements(mode);
    for (let value = 0; value < 3; value += 1) {
      const [often, seldom] = await Promise.all([OFTEN, SELDOM].map((sql) => statements.query(client, sql, [value])));
      expect([often?.rows, seldom?.rows]).toEqual([[{ given: value }], [{ other: value }]]);
    }
    return (await client.query<{ name: string; statement: string }>(KEPT)).rows;
  }

  it.each(['auto', 'on'] as const)('those that every run makes are kept on a direct connection: %s', async (mode) => {
    const kept = await keptAfterUse(await connected(), mode);
    expect(kept).toEqual([
      { name: expect.stringMatching(/^parley_[0-9a-f]{24}$/) as string, statement: 'SELECT $1::int AS given' },
    ]);
  });

  it('none are kept when that is switched off', async () => {
    expect(await keptAfterUse(await connected(), 'off')).toEqual([]);
  });

  it('a statement that was refused in a failed transaction can be made after it', async () => {
    const client = await connected();
    const statements = new PreparedStatements('on');
    const inFailed = ['BEGIN', 'SELECT 1 / 0'].map((sql) => client.query(sql));
    inFailed.push(statements.query(client, OFTEN, [1]), statements.query(client, OFTEN, [2]));
    const settled = await Promise.allSettled([...inFailed, client.query('ROLLBACK')]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled']);
    expect((await statements.query(client, OFTEN, [3])).rows).toEqual([{ given: 3 }]);
  });

  it('a connection that could not be asked is asked again', async () => {
    const client = await connected();
    const statements = new PreparedStatements('auto');
    const failed = ['BEGIN', 'SELECT 1 / 0'].map((sql) => client.query(sql));
    failed.push(statements.query(client, OFTEN, [1]));
    await Promise.allSettled([...failed, client.query('ROLLBACK')]);
    await statements.query(client, OFTEN, [2]);
    await statements.query(client, OFTEN, [3]);
    expect((await client.query(KEPT)).rows).toHaveLength(1);
  });

  it('a statement whose column has got another type fails once on a connection', async () => {
    const [client, other] = [await connected(), await connected()];
    const statements = new PreparedStatements('on');
    await other.query("CREATE TABLE typed (no int, value varchar(10)); INSERT INTO typed VALUES (7, '7')");
    await statements.query(client, TYPED, [7]);
    await other.query('ALTER TABLE typed ALTER COLUMN value TYPE varchar(20)');
    await expect(statements.query(client, TYPED, [7])).rejects.toMatchObject({ code: '0A000' });
    expect((await statements.query(client, TYPED, [7])).rows).toEqual([{ value: '7' }]);
  });

  const pooled = NO_PGBOUNCER ? it.skip : it;
  pooled('behind a pooler that gives each transaction a connection, none are kept', async () => {
    const pooler = await PgBouncer.start(POSTGRES);
    try {
      const client = await connected(pooler.urlOf(database.env.DATABASE_URL ?? ''));
      expect(await keptAfterUse(client, 'auto')).toEqual([]);
      await client.end();
      clients = [];
    } finally {
      await pooler.stop();
    }
  });
});

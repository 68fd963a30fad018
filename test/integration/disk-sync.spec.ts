import fs from 'node:fs';
import { readSettings } from '../../src/config/index.js';
import { type Database, DatabaseSettings, isUnavailable, openDatabase } from '../../src/database/index.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { until } from '../support/until.js';

const INSERT = `INSERT INTO sessions (tenant_id, user_id, id, created_at, updated_at) VALUES ('t', 'u', ?, 1, 1)`;
const COUNT = 'SELECT COUNT(*) AS n FROM sessions';

type Done = (error: NodeJS.ErrnoException | null) => void;

describe('the disk under SQLite', () => {
  let test: TestDatabase;
  let open: Database[];
  /** The syncs that were started and not released. */
  let waiting: Done[];
  let holds: boolean;

  beforeEach(async () => {
    test = await sqliteDatabase();
    open = [];
    waiting = [];
    holds = false;
    const { fdatasync } = fs;
    jest.spyOn(fs, 'fdatasync').mockImplementation((file, done) => {
      if (holds) waiting.push(done);
      else fdatasync(file, done);
    });
  });

  afterEach(async () => {
    holds = false;
    for (const done of waiting) done(null);
    await Promise.all(open.map((database) => database.close()));
    jest.restoreAllMocks();
    await test.drop();
  });

  async function opened(durability: 'strict' | 'relaxed' = 'strict'): Promise<Database> {
    const database = await openDatabase(readSettings(DatabaseSettings, { ...test.env, DURABILITY: durability }));
    open.push(database);
    // The first read of a process syncs what others may have written.
    await database.ping();
    return database;
  }

  const insert = (database: Database, id: string): Promise<number> => database.write((tx) => tx.run(INSERT, [id]));

  /** Whether a promise has been settled after everything that does not wait for the disk. */
  async function isSettled(promise: Promise<unknown>): Promise<boolean> {
    let settled = false;
    promise.then(
      () => (settled = true),
      () => (settled = true),
    );
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return settled;
  }

  it('a write is answered after its sync, and so are the reads that see it', async () => {
    const database = await opened();
    holds = true;
    const write = insert(database, 'a');
    await until(() => waiting.length > 0);
    const plain = database.read.all(COUNT);
    const managed = database.read.manager.query(COUNT);
    for (const promise of [write, plain, managed]) expect(await isSettled(promise)).toBe(false);
    waiting.shift()?.(null);
    expect(await write).toBe(1);
    expect([await plain, await managed]).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  });

  it('work that shows nothing begins before the sync, and so do its reads', async () => {
    const database = await opened();
    holds = true;
    const begun: unknown[] = [];
    const write = database.write(
      (tx) => tx.run(INSERT, ['a']),
      (changed) => begun.push(changed),
    );
    await until(() => begun.length > 0);
    expect(begun).toEqual([1]);
    expect(await database.forRuns.readUnsynced.all(COUNT)).toEqual([{ n: 1 }]);
    expect(await isSettled(write)).toBe(false);
    waiting.shift()?.(null);
    await write;
    expect(begun).toEqual([1]);
  });

  it('nothing begins after a write that was rolled back', async () => {
    const database = await opened();
    const begun: string[] = [];
    const failed = database.write(
      () => Promise.reject(new Error('no')),
      () => begun.push('failed'),
    );
    const kept = database.write(
      (tx) => tx.run(INSERT, ['a']),
      () => begun.push('kept'),
    );
    await expect(failed).rejects.toThrow('no');
    await kept;
    expect(begun).toEqual(['kept']);
  });

  it('a write that changes nothing does not wait', async () => {
    const database = await opened();
    await insert(database, 'a');
    holds = true;
    expect(await database.write((tx) => tx.all(COUNT))).toEqual([{ n: 1 }]);
    expect(await database.read.all(COUNT)).toEqual([{ n: 1 }]);
  });

  it('what another process has committed is read after a sync', async () => {
    const [one, other] = [await opened(), await opened()];
    await insert(one, 'a');
    holds = true;
    const read = other.read.all(COUNT);
    expect(await isSettled(read)).toBe(false);
    waiting.shift()?.(null);
    expect(await read).toEqual([{ n: 1 }]);
  });

  it('with DURABILITY=relaxed nothing waits', async () => {
    const database = await opened('relaxed');
    holds = true;
    await insert(database, 'a');
    expect(await database.read.all(COUNT)).toEqual([{ n: 1 }]);
  });

  it('a disk that reports an error is unavailable until everything is stored by a checkpoint', async () => {
    const database = await opened();
    holds = true;
    const failed = insert(database, 'a').catch((error: unknown) => error);
    await until(() => waiting.length > 0);
    const read = database.read.all(COUNT).catch((error: unknown) => error);
    waiting.shift()?.(Object.assign(new Error('input/output error'), { code: 'EIO' }));
    for (const error of [await failed, await read]) expect(isUnavailable(error)).toBe(true);
    // The checkpoint does its own syncs: another sync of the log could not be trusted.
    await insert(database, 'b');
    expect(waiting).toHaveLength(0);
    holds = false;
    expect(await database.read.all(COUNT)).toEqual([{ n: 2 }]);
    await insert(database, 'c');
    expect(await database.read.all(COUNT)).toEqual([{ n: 3 }]);
  });

  it('a thread copies the log to the database file', async () => {
    const database = await opened();
    const { file } = readSettings(DatabaseSettings, test.env).address;
    const before = fs.statSync(file).size;
    const body = 'x'.repeat(1000);
    await database.write(async (tx) => {
      for (let index = 0; index < 1000; index += 1) await tx.run(INSERT, [`${index}${body}`]);
    });
    await until(() => fs.statSync(file).size > before + 1_000_000);
    expect(await database.read.all(COUNT)).toEqual([{ n: 1000 }]);
  });
});

import { durabilityGaps } from '../../src/database/durability-report.js';
import { isUniqueViolation, type Queryable } from '../../src/database/index.js';
import { describeOnLedgers, nextId } from '../support/ledger.js';

const INSERT = `INSERT INTO sessions (tenant_id, user_id, id, created_at, updated_at) VALUES ('t', 'u', ?, 1, 1)`;
const COUNT = 'SELECT COUNT(*) AS n FROM sessions';

describeOnLedgers('a write', (ledger) => {
  const insert = (id: string) => (tx: Queryable) => tx.run(INSERT, [id]);

  it('a write that fails changes nothing, and others of its batch are committed', async () => {
    const { database } = ledger();
    const failing = database.write(async (tx) => {
      await tx.run(INSERT, ['trace']);
      throw new Error('changed its mind');
    });
    const results = await Promise.allSettled([database.write(insert('a')), failing, database.write(insert('b'))]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const rows = await database.read.all<{ id: string }>('SELECT id FROM sessions ORDER BY id');
    expect(rows.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('of 200 parallel writes every third fails alone', async () => {
    const { database } = ledger();
    const writes = Array.from({ length: 200 }, (_, index) =>
      database.write(async (tx) => {
        await tx.run(INSERT, [`s${index}`]);
        if (index % 3 === 0) throw new Error('no');
        return index;
      }),
    );
    const results = await Promise.allSettled(writes);
    const kept = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(kept).toHaveLength(133);
    expect(await ledger().count('sessions')).toBe(133);
  });

  it('a write that is gathered already does not wait for the end of the turn on SQLite', async () => {
    const { database } = ledger();
    let hasBegun = false;
    const write = database.forRuns.write(async (tx) => {
      hasBegun = true;
      await tx.run(INSERT, [nextId('gathered')]);
    });
    expect(hasBegun).toBe(database.dialect === 'sqlite');
    await Promise.all([write, database.write(insert(nextId('later')))]);
    expect(await ledger().count('sessions')).toBe(2);
  });

  it('a write of several statements on one row is atomic', async () => {
    const { database } = ledger();
    await database.write(insert('counter'));
    const bump = (): Promise<number> =>
      database.write((tx) => tx.run(`UPDATE sessions SET run_count = run_count + 1 WHERE id = 'counter'`));
    await Promise.all(Array.from({ length: 50 }, bump));
    const [row] = await database.read.all(`SELECT run_count AS n FROM sessions WHERE id = 'counter'`);
    expect(row).toEqual({ n: 50 });
  });

  it('a write is not visible before its commit', async () => {
    const { database } = ledger();
    const seen = await database.write(async (tx) => {
      await tx.run(INSERT, ['hidden']);
      const [outside] = await database.read.all<{ n: number }>(COUNT);
      const [inside] = await tx.all<{ n: number }>(COUNT);
      return [outside?.n, inside?.n];
    });
    expect(seen).toEqual([0, 1]);
    expect(await ledger().count('sessions')).toBe(1);
  });

  it('a duplicate key is reported as such by every kind of statement', async () => {
    const { database } = ledger();
    const id = nextId('taken');
    await database.write(insert(id));
    const error: unknown = await database.write(insert(id)).catch((reason: unknown) => reason);
    expect(isUniqueViolation(error)).toBe(true);
    const syntax: unknown = await database.write((tx) => tx.run('SELEKT')).catch((reason: unknown) => reason);
    expect(String(syntax)).toMatch(/syntax error/);
    expect(isUniqueViolation(syntax)).toBe(false);
    await database.ping();
  });

  it('the error of a statement that nobody waits for is the error of the write, whatever follows it', async () => {
    const { database } = ledger();
    const id = nextId('sent');
    await database.write(insert(id));
    const write = database.write(async (tx) => {
      tx.send(INSERT, [id]);
      await tx.all(COUNT);
    });
    const error: unknown = await write.catch((reason: unknown) => reason);
    expect(isUniqueViolation(error)).toBe(true);
  });

  it('times and counters are read as numbers', async () => {
    const { database } = ledger();
    const sql = `${INSERT} RETURNING no, created_at`;
    const [row] = await database.write((tx) => tx.all<Record<string, unknown>>(sql, ['numbers']));
    expect(row).toEqual({ no: expect.any(Number) as number, created_at: 1 });
  });

  it('settings of PostgreSQL that weaken durability are detected', async () => {
    const { database } = ledger();
    // The embedded database's settings are the server's own.
    if (database.dialect === 'sqlite') {
      expect(await durabilityGaps(database.read)).toEqual([]);
      return;
    }
    const gapsWith = (setting: string): Promise<readonly string[]> =>
      database.write(async (tx) => {
        await tx.run(`SET LOCAL synchronous_commit = ${setting}`);
        return durabilityGaps(tx);
      });
    expect(await gapsWith('on')).not.toContain('synchronous_commit=off');
    expect(await gapsWith('off')).toContain('synchronous_commit=off');
  });
});

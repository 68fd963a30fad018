import { Client } from 'pg';
import { readSettings } from '../../src/config/index.js';
import {
  type Database,
  DATABASE_NOW,
  DatabaseSettings,
  isLockTimeout,
  isUnavailable,
  openDatabase,
} from '../../src/database/index.js';
import { cut } from '../../src/database/request-waits.js';
import { Metrics } from '../../src/common/index.js';
import { LocalRelay } from '../../src/run/adapters/local/local-relay.js';
import type { CommitSource } from '../../src/run/log/commit-source.js';
import { GroupCommit } from '../../src/run/log/group-commit.js';
import type { LogWrite } from '../../src/run/ports/run-log.js';
import { RunMetrics } from '../../src/run/run.metrics.js';
import { HELD } from '../../src/run/ports/run-leases.js';
import type { RunRecord } from '../../src/run/run-record.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { LEASE, Ledger, lines, logWrite, nextId } from '../support/ledger.js';
import { until } from '../support/until.js';

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
/** Writes the events of one run, as its writer does. */
class Source implements CommitSource {
  readonly deadline = Infinity;
  committedCount = 0;
  private seq = 0;
  private pending = 0;

  constructor(
    private readonly commits: GroupCommit,
    private readonly run: RunRecord,
  ) {}

  write(): void {
    this.pending += 1;
    this.commits.request(this);
  }

  take(): LogWrite | undefined {
    if (this.pending === 0) return undefined;
    const write = logWrite(this.run, { firstSeq: this.seq, lines: lines(this.seq, this.pending) });
    this.seq += this.pending;
    this.pending = 0;
    return write;
  }

  committed(write: LogWrite): void {
    this.committedCount += write.lines.length;
  }

  lost(reason: unknown): void {
    throw new Error(`the run was lost: ${String(reason)}`);
  }

  restorable(): undefined {
    return undefined;
  }
}

/** What is bounded takes far less; without a bound, transactions wait for 30 s. */
const MOST_MS = 10_000;

(POSTGRES ? describe : describe.skip)(
  `locks that another transaction holds in PostgreSQL${POSTGRES ? '' : ' (skipped: no TEST_DATABASE_URL)'}`,
  () => {
    let test: TestDatabase;
    let ledger: Ledger;
    /** Connections of somebody else, whose transactions never end. */
    let others: Client[] = [];

    beforeAll(async () => {
      test = await postgresDatabase(POSTGRES);
      ledger = await Ledger.open(test);
    });
    afterEach(async () => {
      await Promise.all(others.map((other) => other.end()));
      others = [];
      await ledger.clear();
    });
    afterAll(async () => {
      await ledger.database.close();
      await test.drop();
    });

    async function connected(): Promise<Client> {
      const client = new Client({ connectionString: test.env.DATABASE_URL });
      client.on('error', () => undefined);
      await client.connect();
      others.push(client);
      return client;
    }

    async function holding(sql: string, parameters: readonly unknown[] = []): Promise<Client> {
      const client = await connected();
      await client.query('BEGIN');
      expect((await client.query(sql, [...parameters])).rowCount).toBe(1);
      return client;
    }

    async function lostWorker(): Promise<string> {
      const id = nextId('00000000-0000-4000-8000');
      const process = { hostId: null, pid: 1, processStart: null };
      const worker = { ...process, id, name: 'n', role: 'all', version: '1', schemaVersion: '1', fingerprints: {} };
      await ledger.workers.register(worker, { slots: 1, busy: 0, draining: false }, 60_000, () => undefined);
      const ended = `UPDATE workers SET lease_until = ${DATABASE_NOW.postgres} - 1 WHERE id = ?`;
      await ledger.database.write((tx) => tx.run(ended, [id]));
      return id;
    }

    async function runOf(owner: string): Promise<RunRecord> {
      return (await ledger.accept({ sessionId: nextId('s') }, { lease: { owner, until: HELD } })).run;
    }

    async function claimed(): Promise<readonly string[]> {
      return (await ledger.leases.claim(LEASE, 9)).map(({ id }) => id);
    }

    async function removeLost(): Promise<void> {
      const { suspects } = await ledger.leases.sweep('');
      for (const { id, isLost } of suspects) if (isLost) await ledger.workers.remove(id, 'lost');
    }

    /** Backends of the servers under test that wait for a lock. */
    async function waitingBackends(): Promise<number> {
      const sql = `SELECT count(*) AS n FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'parley'`;
      const [row] = await ledger.database.read.all<{ n: number }>(sql);
      return Number(row?.n);
    }

    it('runs of a lost worker are taken over at once, except for one whose row is locked: when it is free', async () => {
      const id = await lostWorker();
      const [locked, free] = [await runOf(id), await runOf(id)];
      const other = await holding('SELECT 1 FROM runs WHERE no = $1 FOR UPDATE', [locked.rowId]);
      const startedAt = performance.now();
      await removeLost();
      expect(await claimed()).toEqual([free.id]);
      expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
      await other.query('ROLLBACK');
      await removeLost();
      expect(await claimed()).toEqual([locked.id]);
    });

    it('a worker whose row is locked is given up for now, and no backend is left waiting', async () => {
      const id = await lostWorker();
      const run = await runOf(id);
      const other = await holding('SELECT 1 FROM workers WHERE id = $1 FOR UPDATE', [id]);
      const startedAt = performance.now();
      const error: unknown = await ledger.workers.remove(id, 'lost').catch((reason: unknown) => reason);
      expect([isLockTimeout(error), isUnavailable(error)]).toEqual([true, true]);
      expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
      expect(await waitingBackends()).toBe(0);
      await other.query('ROLLBACK');
      await removeLost();
      expect(await claimed()).toEqual([run.id]);
    });

    it('a transaction that stands still is ended by the server, and its locks are free', async () => {
      const run = await runOf('somebody');
      const paused = await openedWith({ DATABASE_IDLE_TRANSACTION_MS: '500' });
      try {
        let isLocked = false;
        const standing = paused.write(async (tx) => {
          await tx.all('SELECT 1 FROM runs WHERE no = ? FOR UPDATE', [run.rowId]);
          isLocked = true;
          await new Promise((resolve) => setTimeout(resolve, MOST_MS).unref());
          return tx.all('SELECT 1');
        });
        const outcome = standing.then(
          () => 'committed',
          (reason: unknown) => isUnavailable(reason),
        );
        await until(() => isLocked, 'the lock');
        await ledger.database.forRuns.write((tx) => tx.run('UPDATE runs SET attempt = 7 WHERE no = ?', [run.rowId]));
        expect((await ledger.find(run)).attempt).toBe(7);
        expect(await outcome).toBe(true);
        // Its connection is not used again.
        expect(await paused.read.all('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      } finally {
        await paused.close();
      }
    });

    it('a request waits for a lock for a limited time, and has written nothing then', async () => {
      const run = await runOf('somebody');
      await holding('SELECT 1 FROM runs WHERE no = $1 FOR UPDATE', [run.rowId]);
      const short = await openedWith({ DATABASE_LOCK_WAIT_MS: '300' });
      try {
        const write = short.write(async (tx) => {
          tx.send(`UPDATE sessions SET updated_at = 1 WHERE no = ?`, [run.sessionRowId]);
          await tx.run('UPDATE runs SET attempt = 7 WHERE no = ?', [run.rowId]);
        });
        const error: unknown = await write.catch((reason: unknown) => reason);
        expect([isLockTimeout(error), isUnavailable(error)]).toEqual([true, true]);
        const sql = 'SELECT updated_at FROM sessions WHERE no = ?';
        expect(await ledger.database.read.all(sql, [run.sessionRowId])).not.toEqual([{ updated_at: 1 }]);
      } finally {
        await short.close();
      }
    });

    it('a run whose row is locked does not delay the commits of other runs', async () => {
      const [locked, free] = [await runOf('somebody'), await runOf('somebody')];
      const other = await holding('SELECT 1 FROM runs WHERE no = $1 FOR UPDATE', [locked.rowId]);
      const commits = new GroupCommit(ledger.commits, ledger.log, new LocalRelay(), new RunMetrics(new Metrics()));
      const startedAt = performance.now();
      const [late, early] = [new Source(commits, locked), new Source(commits, free)];
      for (let count = 1; count <= 5; count += 1) {
        for (const source of [late, early]) source.write();
        await until(() => early.committedCount === count, 'the commit of the other run');
      }
      expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
      expect(await ledger.log.length(locked.rowId)).toBe(0);
      await other.query('ROLLBACK');
      await commits.idle();
      expect([await ledger.log.length(locked.rowId), await ledger.log.length(free.rowId)]).toEqual([5, 5]);
    });

    it('requests to a locked session leave the connections to others, and are refused', async () => {
      const run = await runOf('somebody');
      await holding('SELECT 1 FROM sessions WHERE no = $1 FOR UPDATE', [run.sessionRowId]);
      const env = { ...test.env, DATABASE_POOL_SIZE: '4', DATABASE_LOCK_WAIT_MS: '2000', DATABASE_WAIT_MS: '1000' };
      const small = await Ledger.open({ ...test, env });
      try {
        const requests = Array.from({ length: 12 }, () => small.accept({ sessionId: run.sessionId }));
        const outcomes = Promise.allSettled(requests);
        await until(async () => (await waitingBackends()) === 1, 'the first request to wait');
        await small.database.ping();
        const other = await small.accept({ sessionId: nextId('s') });
        expect([other.created, await waitingBackends()]).toEqual([true, 1]);
        for (const outcome of await outcomes)
          expect(outcome.status === 'rejected' && isUnavailable(outcome.reason)).toBe(true);
        expect(await small.count('runs')).toBe(2);
      } finally {
        await small.database.close();
      }
    });

    it('requests that wait for locks leave connections to the lease and to running runs', async () => {
      const runs = await Promise.all([1, 2, 3, 4].map(() => runOf('somebody')));
      const sessions = runs.map(({ sessionRowId }) => sessionRowId);
      const other = await connected();
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM sessions WHERE no = ANY($1) FOR UPDATE', [sessions]);
      const env = { ...test.env, DATABASE_POOL_SIZE: '4', DATABASE_WAIT_MS: '300' };
      const small = await Ledger.open({ ...test, env });
      try {
        const requests = Promise.allSettled(runs.map(({ sessionId }) => small.accept({ sessionId })));
        await until(async () => (await waitingBackends()) === 3, 'requests to have all the connections that they may');
        await expect(small.database.ping()).rejects.toMatchObject({ code: 'ETIMEDOUT' });
        expect(await small.workers.heartbeat('nobody', { slots: 1, busy: 0, draining: false }, 60_000)).toBe(false);
        await other.query('ROLLBACK');
        const accepted = (await requests).filter(({ status }) => status === 'fulfilled');
        expect(accepted).toHaveLength(3);
        await small.database.ping();
      } finally {
        await small.database.close();
      }
    });

    it('the statement of a connection that is cut is canceled in the server', async () => {
      const client = await connected();
      const sleeping = client.query('SELECT pg_sleep(600)').catch((error: unknown) => error);
      const backends = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'`;
      const count = async () => (await ledger.database.read.all(backends)).length;
      await until(async () => (await count()) === 1, 'the statement');
      cut(client);
      expect(await sleeping).toBeInstanceOf(Error);
      await until(async () => (await count()) === 0, 'the end of the statement');
    });

    function openedWith(limits: Readonly<Record<string, string>>): Promise<Database> {
      return openDatabase(readSettings(DatabaseSettings, { ...test.env, ...limits }));
    }
  },
);

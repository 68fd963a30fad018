import { Metrics } from '../../../common/index.js';
import { RequestDatabase, type Queryable } from '../../../database/index.js';
import { LogPartitions, type RunRange } from '../../ports/log-partitions.js';
import { showDefaultRows } from './partition.metrics.js';

/**
 * Runs of one partition. A busy installation fills four a day, so that a day is dropped as a few tables; a small one
 * has a single partition for months, and few tables to plan with.
 */
export const PARTITION_RUNS = 250_000;
/** Partitions that are empty yet: a day of a busy installation. */
const AHEAD = 4;
/** Runs of one transaction when their terminal events are copied. */
const COPIED_RUNS = 10_000;
/**
 * All writers wait while a statement waits for the lock on the whole table, for example behind a backup. It gives up soon,
 * and the chore tries again.
 */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '300ms'`;
/** Rows of the default partition that are counted. */
const MOST_COUNTED = 10_000;
/** Rows that move from the default partition in one transaction, in milliseconds. */
const MOST_MOVED = 1000;

const PARTITIONS = `
  SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'run_event_chunks'::regclass`;
const LAST_RUN = `SELECT last_value AS no FROM runs_no_seq`;
const NOT_ENDED = `
  SELECT no FROM runs WHERE no >= ? AND no < ? AND events_pruned_at IS NULL AND (finished_at IS NULL OR finished_at >= ?)
  LIMIT 1`;
const NOT_REMOVED = 'SELECT no FROM runs WHERE no >= ? AND no < ? AND events_pruned_at IS NULL LIMIT 1';
const COUNT_DEFAULT = `
  SELECT COUNT(*) AS n FROM (SELECT 1 FROM run_event_chunks_default LIMIT ${MOST_COUNTED}) d`;
const HAS_MANY = `SELECT 1 FROM run_event_chunks_default OFFSET ${MOST_MOVED} LIMIT 1`;

/** The locks make the removal of a run wait, which then removes what was copied. */
const COPY_LAST = `
  WITH last AS MATERIALIZED (
    SELECT c.run_no, c.first_seq, c.body, c.created_at
    FROM run_event_chunks c JOIN runs r ON r.no = c.run_no AND c.first_seq = r.next_seq - 1
    WHERE c.run_no >= ? AND c.run_no < ? AND r.no >= ? AND r.no < ? AND c.event_count = 1
      AND NOT EXISTS (SELECT 1 FROM run_results x WHERE x.run_no = c.run_no)
    FOR KEY SHARE OF r
  )
  INSERT INTO run_results (run_no, seq, body, created_at)
  SELECT run_no, first_seq, body, created_at FROM last ON CONFLICT DO NOTHING`;

/** A partition as the catalogue has it. `from` is 0 for the first one, which has no lower bound. */
interface Partition extends RunRange {
  readonly name: string;
}

/** Partitions of PostgreSQL. SQLite has none. */
export class SqlLogPartitions extends LogPartitions {
  constructor(
    private readonly database: RequestDatabase,
    metrics: Metrics,
    private readonly runsOfOne = PARTITION_RUNS,
  ) {
    super();
    if (!this.isUseful) return;
    showDefaultRows(metrics, MOST_COUNTED, async () =>
      Number((await this.database.read.all<{ n: number }>(COUNT_DEFAULT))[0]?.n ?? 0),
    );
  }

  get isUseful(): boolean {
    return this.database.dialect === 'postgres';
  }

  async createAhead(): Promise<number> {
    let created = 0;
    if ((await this.database.read.all(HAS_MANY)).length > 0) {
      await this.adoptDefault();
      created += 1;
    }
    const wanted = (await this.lastRun()) + AHEAD * this.runsOfOne;
    for (let from = await this.end(); from <= wanted; from += this.runsOfOne) {
      await this.database.write((tx) => create(tx, from, from + this.runsOfOne));
      created += 1;
    }
    return created;
  }

  async ended(finishedBefore: number): Promise<readonly RunRange[]> {
    if (!this.isUseful) return [];
    const last = await this.lastRun();
    const ended: RunRange[] = [];
    for (const { from, to } of await this.partitions()) {
      // Further runs may get numbers of the others.
      if (to > last) break;
      if ((await this.database.read.all(NOT_ENDED, [from, to, finishedBefore])).length === 0) ended.push({ from, to });
    }
    return ended;
  }

  async drop(range: RunRange, signal?: AbortSignal): Promise<boolean> {
    const { from, to } = range;
    const partition = (await this.partitions()).find((other) => other.from === from && other.to === to);
    if (!partition) return false;
    const has = async (sql: Queryable): Promise<boolean> => (await sql.all(NOT_REMOVED, [from, to])).length > 0;
    if (await has(this.database.read)) return false;
    for (let next = from; next < to && !signal?.aborted; next += COPIED_RUNS) {
      const end = Math.min(to, next + COPIED_RUNS);
      await this.database.write((tx) => tx.run(COPY_LAST, [next, end, next, end]));
    }
    if (signal?.aborted) return false;
    return this.database.write(async (tx) => {
      await tx.run(LOCK_TIMEOUT);
      if (await has(tx)) return false;
      await tx.run(`DROP TABLE "${partition.name}"`);
      return true;
    });
  }

  /**
   * Makes the default partition, with all its rows, the one of the runs so far, and another one the default. No row moves:
   * the rows are read while others write, to prove where they belong. The proof refuses runs whose numbers are not
   * reached meanwhile.
   */
  private async adoptDefault(): Promise<void> {
    const from = await this.end();
    const reached = (await this.lastRun()) + this.runsOfOne;
    const to = from + Math.ceil((reached + 1 - from) / this.runsOfOne) * this.runsOfOne;
    try {
      await this.database.write((tx) => limitDefault(tx, from, to));
      await this.database.write((tx) => tx.run(`ALTER TABLE run_event_chunks_default VALIDATE CONSTRAINT ${BOUNDS}`));
      await this.database.write((tx) => replaceDefault(tx, from, to));
    } catch (error) {
      await this.database.write(freeDefault).catch(() => undefined);
      throw error;
    }
  }

  private async lastRun(): Promise<number> {
    const [row] = await this.database.read.all<{ no: number }>(LAST_RUN);
    return row?.no ?? 0;
  }

  /** The first number that no partition has. */
  private async end(): Promise<number> {
    return (await this.partitions()).at(-1)?.to ?? 0;
  }

  /** All but the default one, in order. */
  private async partitions(): Promise<readonly Partition[]> {
    const rows = await this.database.read.all<{ name: string; bound: string }>(PARTITIONS);
    return rows
      .flatMap(({ name, bound }) => {
        const [, from, to] = /FROM \((\w+)\) TO \((\d+)\)/.exec(bound) ?? [];
        return to === undefined ? [] : [{ name, from: from === 'MINVALUE' ? 0 : Number(from), to: Number(to) }];
      })
      .sort((one, other) => one.to - other.to);
  }
}

/** What proves which runs the default partition has. */
const BOUNDS = 'ck_run_event_chunks_bounds';

/** Rows that are there already are not read. */
async function limitDefault(tx: Queryable, from: number, to: number): Promise<void> {
  await freeDefault(tx);
  await tx.run(`
    ALTER TABLE run_event_chunks_default
    ADD CONSTRAINT ${BOUNDS} CHECK (run_no >= ${from} AND run_no < ${to}) NOT VALID`);
}

async function freeDefault(tx: Queryable): Promise<void> {
  await tx.run(LOCK_TIMEOUT);
  await tx.run(`ALTER TABLE run_event_chunks_default DROP CONSTRAINT IF EXISTS ${BOUNDS}`);
}

/** Entries of the catalogue only: the proof makes reading the rows unnecessary. */
async function replaceDefault(tx: Queryable, from: number, to: number): Promise<void> {
  const name = `run_event_chunks_${from}`;
  await lock(tx);
  await tx.run('ALTER TABLE run_event_chunks DETACH PARTITION run_event_chunks_default');
  await tx.run(`ALTER TABLE run_event_chunks_default RENAME TO "${name}"`);
  await tx.run(`ALTER TABLE run_event_chunks ATTACH PARTITION "${name}" FOR VALUES FROM (${from}) TO (${to})`);
  await tx.run(`ALTER TABLE "${name}" DROP CONSTRAINT ${BOUNDS}`);
  await tx.run('CREATE TABLE run_event_chunks_default PARTITION OF run_event_chunks DEFAULT');
}

/**
 * The lock on the parent comes first: a statement that had passed the parent would look for rows, or add some, where they
 * are no longer.
 */
async function lock(tx: Queryable): Promise<void> {
  await tx.run(LOCK_TIMEOUT);
  await tx.run('LOCK TABLE ONLY run_event_chunks IN ACCESS EXCLUSIVE MODE');
  await tx.run('LOCK TABLE run_event_chunks_default IN ACCESS EXCLUSIVE MODE');
}

/** The few rows that the default partition may have move to their own. */
async function create(tx: Queryable, from: number, to: number): Promise<void> {
  const name = `run_event_chunks_${from}`;
  await lock(tx);
  await tx.run(`CREATE TABLE "${name}" (LIKE run_event_chunks INCLUDING ALL)`);
  await tx.run(`
    WITH moved AS (DELETE FROM run_event_chunks_default WHERE run_no >= ${from} AND run_no < ${to} RETURNING *)
    INSERT INTO "${name}" SELECT * FROM moved`);
  await tx.run(`ALTER TABLE run_event_chunks ATTACH PARTITION "${name}" FOR VALUES FROM (${from}) TO (${to})`);
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs of one partition. */
const PARTITION_RUNS = 250_000;
/** Partitions that are empty yet. */
const AHEAD = 4;

const LAST_BOUND = `
  SELECT MAX(substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\((\\d+)\\)')::int) AS "bound"
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = '"run_event_chunks"'::regclass`;
const IS_DEFAULT_USED = 'SELECT EXISTS (SELECT 1 FROM "run_event_chunks_default") AS "used"';
const LAST_RUN = 'SELECT last_value::int AS "no" FROM "runs_no_seq"';

/** A reader that holds the tables, such as a backup, must not make all writers wait behind this migration. */
const LOCK_WAIT = '500ms';
const LOCK_TIMEOUT_CODE = '55P03';

/**
 * The partitions of the next million runs, so that the first runs after the division of the events need none of the chore
 * that creates them later. A default partition with rows is left to the chore, and so are tables that others hold.
 */
export class CreatePartitions1797120000000 implements MigrationInterface {
  name = 'CreatePartitions1797120000000';

  async up(runner: QueryRunner): Promise<void> {
    if (!(await lockTables(runner))) return;
    const [state] = (await runner.query(IS_DEFAULT_USED)) as { used: boolean }[];
    if (state?.used) return;
    const [last] = (await runner.query(LAST_BOUND)) as { bound: number | null }[];
    const [run] = (await runner.query(LAST_RUN)) as { no: number }[];
    const wanted = (run?.no ?? 0) + AHEAD * PARTITION_RUNS;
    for (let from = last?.bound ?? 0; from <= wanted; from += PARTITION_RUNS) {
      await runner.query(`CREATE TABLE "run_event_chunks_${from}" (LIKE "run_event_chunks" INCLUDING ALL)`);
      await runner.query(`
        ALTER TABLE "run_event_chunks" ATTACH PARTITION "run_event_chunks_${from}"
        FOR VALUES FROM (${from}) TO (${from + PARTITION_RUNS})`);
    }
  }

  /** They stay: the version before this one creates the same. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}

/** Returns false if another transaction holds one of the tables. */
async function lockTables(runner: QueryRunner): Promise<boolean> {
  await runner.query('SAVEPOINT lock_tables');
  await runner.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
  try {
    // In the order of writers.
    await runner.query('LOCK TABLE "runs", "run_event_chunks" IN ACCESS EXCLUSIVE MODE');
    await runner.query('SET LOCAL lock_timeout = 0');
    return true;
  } catch (error) {
    await runner.query('ROLLBACK TO SAVEPOINT lock_tables');
    if ((error as { driverError?: { code?: unknown } }).driverError?.code === LOCK_TIMEOUT_CODE) return false;
    throw error;
  }
}

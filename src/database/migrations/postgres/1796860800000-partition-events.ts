import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs of one partition. */
const PARTITION_RUNS = 250_000;

/** The least multiple that is greater than every run number of the table. */
const NEXT_BOUND = `
  SELECT (COALESCE(MAX("run_no"), 0) / ${PARTITION_RUNS} + 1) * ${PARTITION_RUNS} AS "bound" FROM "run_event_chunks"`;

/** A bound that an operator has proved before, so that no scan is necessary now (docs/upgrade.md). */
const PROVED_BOUND = `
  SELECT substring(pg_get_constraintdef(oid) FROM '\\d+')::int AS "bound" FROM pg_constraint
  WHERE conrelid = '"run_event_chunks"'::regclass AND conname = 'ck_run_event_chunks_0' AND convalidated`;

/**
 * Events are divided by run number. The table becomes the first partition as it is: its rows stay where they are, and
 * are read once to prove that they belong there. What is kept of runs whose partition is dropped has a table of its own.
 */
export class PartitionEvents1796860800000 implements MigrationInterface {
  name = 'PartitionEvents1796860800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "run_results" (
        "run_no" integer NOT NULL,
        "seq" integer NOT NULL,
        "body" text NOT NULL,
        "created_at" bigint NOT NULL,
        CONSTRAINT "pk_run_results" PRIMARY KEY ("run_no")
      )
    `);
    // Writers and readers wait from here on. As writers do, runs come first: a later migration changes them in the same
    // transaction, and would wait for a writer that waits for this one.
    await runner.query('LOCK TABLE "runs", "run_event_chunks" IN ACCESS EXCLUSIVE MODE');
    const proved = (await runner.query(PROVED_BOUND)) as { bound: number }[];
    const [{ bound } = { bound: PARTITION_RUNS }] =
      proved.length > 0 ? proved : ((await runner.query(NEXT_BOUND)) as { bound: number }[]);
    await runner.query('ALTER TABLE "run_event_chunks" RENAME TO "run_event_chunks_0"');
    await runner.query(
      'ALTER TABLE "run_event_chunks_0" RENAME CONSTRAINT "pk_run_event_chunks" TO "pk_run_event_chunks_0"',
    );
    await runner.query(`
      CREATE TABLE "run_event_chunks" (
        LIKE "run_event_chunks_0" INCLUDING ALL EXCLUDING INDEXES EXCLUDING CONSTRAINTS,
        CONSTRAINT "pk_run_event_chunks" PRIMARY KEY ("run_no", "first_seq")
      ) PARTITION BY RANGE ("run_no")
    `);
    await runner.query(`
      ALTER TABLE "run_event_chunks" ATTACH PARTITION "run_event_chunks_0" FOR VALUES FROM (MINVALUE) TO (${bound})`);
    await runner.query('ALTER TABLE "run_event_chunks_0" DROP CONSTRAINT IF EXISTS "ck_run_event_chunks_0"');
    await runner.query('CREATE TABLE "run_event_chunks_default" PARTITION OF "run_event_chunks" DEFAULT');
  }

  /** Copies all events into one table. What was dropped with a partition does not come back. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE "chunks" (LIKE "run_event_chunks" INCLUDING ALL EXCLUDING INDEXES)');
    await runner.query('INSERT INTO "chunks" SELECT * FROM "run_event_chunks"');
    await runner.query(`
      INSERT INTO "chunks" ("run_no", "first_seq", "event_count", "body", "created_at")
      SELECT "run_no", "seq", 1, "body", "created_at" FROM "run_results" r
      WHERE NOT EXISTS (SELECT 1 FROM "run_event_chunks" c WHERE c."run_no" = r."run_no" AND c."first_seq" = r."seq")`);
    await runner.query('DROP TABLE "run_event_chunks"');
    await runner.query('ALTER TABLE "chunks" RENAME TO "run_event_chunks"');
    await runner.query(
      'ALTER TABLE "run_event_chunks" ADD CONSTRAINT "pk_run_event_chunks" PRIMARY KEY ("run_no", "first_seq")',
    );
    await runner.query('DROP TABLE "run_results"');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Chunks may hold the events of several commits, and runs say whether theirs do. */
export class CompactLogs1796688000000 implements MigrationInterface {
  name = 'CompactLogs1796688000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "run_event_chunks" ADD COLUMN "times" text');
    await runner.query('ALTER TABLE "runs" ADD COLUMN "compacted_at" bigint');
    await runner.query(`
      CREATE INDEX "ix_runs_uncompacted" ON "runs" ("finished_at")
      WHERE finished_at IS NOT NULL AND compacted_at IS NULL AND events_pruned_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "ix_runs_uncompacted"');
    await runner.query('ALTER TABLE "runs" DROP COLUMN "compacted_at"');
    await runner.query('ALTER TABLE "run_event_chunks" DROP COLUMN "times"');
  }
}

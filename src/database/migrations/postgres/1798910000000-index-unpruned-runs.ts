import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The runs of a tenant with a retention of its own that still have events, by their end. */
export class IndexUnprunedRuns1798910000000 implements MigrationInterface {
  name = 'IndexUnprunedRuns1798910000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "ix_runs_tenant_unpruned" ON "runs" ("tenant_id", "finished_at") WHERE finished_at IS NOT NULL AND events_pruned_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "ix_runs_tenant_unpruned"`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Fewer and smaller indexes of runs: every run that is accepted or ends writes to them. */
export class ShrinkRunIndexes1796947200000 implements MigrationInterface {
  name = 'ShrinkRunIndexes1796947200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "ix_runs_owner_status"`);
    await runner.query(`DROP INDEX "ix_runs_finished"`);
    await runner.query(`DROP INDEX "ix_runs_tenant_finished"`);
    await runner.query(
      `CREATE INDEX "ix_runs_unpruned" ON "runs" ("finished_at") WHERE finished_at IS NOT NULL AND events_pruned_at IS NULL`,
    );
    await runner.query(
      `CREATE INDEX "ix_runs_tenant_ended" ON "runs" ("tenant_id", "finished_at") WHERE finished_at IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "ix_runs_tenant_ended"`);
    await runner.query(`DROP INDEX "ix_runs_unpruned"`);
    await runner.query(`CREATE INDEX "ix_runs_tenant_finished" ON "runs" ("tenant_id", "finished_at")`);
    await runner.query(`CREATE INDEX "ix_runs_finished" ON "runs" ("events_pruned_at", "finished_at")`);
    await runner.query(`CREATE INDEX "ix_runs_owner_status" ON "runs" ("tenant_id", "user_id", "status")`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Small indexes over the runs that have not ended. */
export class IndexActiveRuns1795996800000 implements MigrationInterface {
  name = 'IndexActiveRuns1795996800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX "ix_runs_queued" ON "runs" ("no") WHERE status = 'queued'`);
    await runner.query(`CREATE INDEX "ix_runs_lease" ON "runs" ("lease_until", "no") WHERE status = 'running'`);
    await runner.query(`CREATE INDEX "ix_runs_lease_owner" ON "runs" ("lease_owner") WHERE status = 'running'`);
    await runner.query(
      `CREATE INDEX "ix_runs_active" ON "runs" ("session_no", "ordinal") WHERE status IN ('queued', 'running')`,
    );
    await runner.query('DROP INDEX "ix_runs_status"');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX "ix_runs_status" ON "runs" ("status", "no")`);
    await runner.query('DROP INDEX "ix_runs_active"');
    await runner.query('DROP INDEX "ix_runs_lease_owner"');
    await runner.query('DROP INDEX "ix_runs_lease"');
    await runner.query('DROP INDEX "ix_runs_queued"');
  }
}

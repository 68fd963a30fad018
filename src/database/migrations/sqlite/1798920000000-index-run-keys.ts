import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The runs of a tenant's users with a client's own id. */
export class IndexRunKeys1798920000000 implements MigrationInterface {
  name = 'IndexRunKeys1798920000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "ix_runs_tenant_key" ON "runs" ("tenant_id", "run_key", "user_id") WHERE run_key IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "ix_runs_tenant_key"`);
  }
}

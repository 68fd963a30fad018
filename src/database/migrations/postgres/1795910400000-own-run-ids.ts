import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Ids of runs are unique for each user instead of in the tenant, and the runs of a user can be counted by their
 * status. It cannot be reverted once two users of a tenant have runs with the same id.
 */
export class OwnRunIds1795910400000 implements MigrationInterface {
  name = 'OwnRunIds1795910400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "runs" DROP CONSTRAINT "uq_runs_tenant_id"');
    await runner.query('ALTER TABLE "runs" ADD CONSTRAINT "uq_runs_owner_id" UNIQUE ("tenant_id", "id", "user_id")');
    await runner.query('CREATE INDEX "ix_runs_owner_status" ON "runs" ("tenant_id", "user_id", "status")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "ix_runs_owner_status"');
    await runner.query('ALTER TABLE "runs" DROP CONSTRAINT "uq_runs_owner_id"');
    await runner.query('ALTER TABLE "runs" ADD CONSTRAINT "uq_runs_tenant_id" UNIQUE ("tenant_id", "id")');
  }
}

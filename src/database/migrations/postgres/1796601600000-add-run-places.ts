import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The places of runs in the queue of all tenants, an index that counts a tenant's runs, and the roles of processes. */
export class AddRunPlaces1796601600000 implements MigrationInterface {
  name = 'AddRunPlaces1796601600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "runs" ADD COLUMN "place" integer NOT NULL DEFAULT '0'`);
    await runner.query(`CREATE INDEX "ix_runs_place" ON "runs" ("place", "no") WHERE status = 'queued'`);
    await runner.query(
      `CREATE INDEX "ix_runs_active_owner" ON "runs" ("tenant_id", "user_id") WHERE status IN ('queued', 'running')`,
    );
    await runner.query(`ALTER TABLE "workers" ADD COLUMN "role" character varying(16) NOT NULL DEFAULT 'all'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "workers" DROP COLUMN "role"');
    await runner.query('DROP INDEX "ix_runs_active_owner"');
    await runner.query('DROP INDEX "ix_runs_place"');
    await runner.query('ALTER TABLE "runs" DROP COLUMN "place"');
  }
}

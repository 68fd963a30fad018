import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists of runs with what their clients find them by, and sessions that the lists of sessions leave out. */
export class ListRunMetadata1797465600000 implements MigrationInterface {
  name = 'ListRunMetadata1797465600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "run_metadata" ("run_no" integer NOT NULL, "tenant_id" character varying(128) NOT NULL, "user_id" character varying(256) NOT NULL, "wire" character varying(32) NOT NULL, "run_id" character varying(128) NOT NULL, "model" character varying(256) NOT NULL, "metadata" text NOT NULL, CONSTRAINT "pk_run_metadata" PRIMARY KEY ("run_no"))`,
    );
    await runner.query(`CREATE INDEX "ix_run_metadata_tenant" ON "run_metadata" ("tenant_id", "wire", "run_no")`);
    await runner.query(
      `CREATE INDEX "ix_run_metadata_owner" ON "run_metadata" ("tenant_id", "user_id", "wire", "run_no")`,
    );
    await runner.query(`ALTER TABLE "sessions" ADD "unlisted" integer NOT NULL DEFAULT 0`);
    await runner.query(`DROP INDEX "ix_sessions_tenant_updated"`);
    await runner.query(`DROP INDEX "ix_sessions_owner_updated"`);
    await runner.query(
      `CREATE INDEX "ix_sessions_tenant_listed" ON "sessions" ("tenant_id", "updated_at", "no") WHERE unlisted = 0`,
    );
    await runner.query(
      `CREATE INDEX "ix_sessions_owner_listed" ON "sessions" ("tenant_id", "user_id", "updated_at", "no") WHERE unlisted = 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "ix_sessions_owner_listed"`);
    await runner.query(`DROP INDEX "ix_sessions_tenant_listed"`);
    await runner.query(
      `CREATE INDEX "ix_sessions_owner_updated" ON "sessions" ("tenant_id", "user_id", "updated_at", "no")`,
    );
    await runner.query(`CREATE INDEX "ix_sessions_tenant_updated" ON "sessions" ("tenant_id", "updated_at", "no")`);
    await runner.query(`ALTER TABLE "sessions" DROP COLUMN "unlisted"`);
    await runner.query(`DROP INDEX "ix_run_metadata_owner"`);
    await runner.query(`DROP INDEX "ix_run_metadata_tenant"`);
    await runner.query(`DROP TABLE "run_metadata"`);
  }
}

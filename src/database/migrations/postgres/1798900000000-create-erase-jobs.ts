import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Erasures of users: work that survives its process, then receipts. */
export class CreateEraseJobs1798900000000 implements MigrationInterface {
  name = 'CreateEraseJobs1798900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "erase_jobs" ("no" SERIAL NOT NULL, "id" character varying(36) NOT NULL, "tenant_id" character varying(128) NOT NULL, "user_id" character varying(256), "subject" character varying(64) NOT NULL, "pseudonym" character varying(64), "status" character varying(16) NOT NULL, "counts" text NOT NULL DEFAULT '{}', "due_at" bigint NOT NULL, "fence" integer NOT NULL DEFAULT '0', "requested_at" bigint NOT NULL, "finished_at" bigint, CONSTRAINT "uq_erase_jobs_id" UNIQUE ("id"), CONSTRAINT "pk_erase_jobs" PRIMARY KEY ("no"))`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "ux_erase_jobs_user" ON "erase_jobs" ("tenant_id", "user_id") WHERE user_id IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX "ix_erase_jobs_subject" ON "erase_jobs" ("tenant_id", "subject", "no")`);
    await runner.query(`CREATE INDEX "ix_erase_jobs_due" ON "erase_jobs" ("due_at") WHERE status <> 'done'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "erase_jobs"`);
  }
}

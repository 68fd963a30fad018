import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Erasures of users: work that survives its process, then receipts. */
export class CreateEraseJobs1798900000000 implements MigrationInterface {
  name = 'CreateEraseJobs1798900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "erase_jobs" ("no" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "id" varchar(36) NOT NULL, "tenant_id" varchar(128) NOT NULL, "user_id" varchar(256), "subject" varchar(64) NOT NULL, "pseudonym" varchar(64), "status" varchar(16) NOT NULL, "counts" text NOT NULL DEFAULT ('{}'), "due_at" bigint NOT NULL, "fence" integer NOT NULL DEFAULT (0), "requested_at" bigint NOT NULL, "finished_at" bigint, CONSTRAINT "uq_erase_jobs_id" UNIQUE ("id"))`,
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

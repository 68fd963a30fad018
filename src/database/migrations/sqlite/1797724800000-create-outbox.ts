import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Callbacks about chains of runs, and the requests that are still to be made. */
export class CreateOutbox1797724800000 implements MigrationInterface {
  name = 'CreateOutbox1797724800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "run_hooks" ("no" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "channel" varchar(32) NOT NULL, "tenant_id" varchar(128) NOT NULL, "user_id" varchar(256) NOT NULL, "root_run_id" varchar(128) NOT NULL, "id" varchar(256) NOT NULL, "format" varchar(16) NOT NULL, "url" varchar(2048) NOT NULL, "secrets" text NOT NULL, "created_at" bigint NOT NULL, CONSTRAINT "uq_run_hooks" UNIQUE ("tenant_id", "root_run_id", "user_id", "channel", "id"))`,
    );
    await runner.query(
      `CREATE TABLE "outbox" ("no" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "hook_no" integer NOT NULL, "run_no" integer NOT NULL, "run_id" varchar(128) NOT NULL, "seq" integer NOT NULL, "status" varchar(16) NOT NULL DEFAULT ('waiting'), "attempts" integer NOT NULL DEFAULT (0), "due_at" bigint NOT NULL, "created_at" bigint NOT NULL, "ended_at" bigint, "outcome" varchar(200), CONSTRAINT "uq_outbox_cause" UNIQUE ("hook_no", "run_no", "seq"))`,
    );
    await runner.query(`CREATE INDEX "ix_outbox_due" ON "outbox" ("due_at", "no") WHERE status = 'waiting'`);
    await runner.query(`CREATE INDEX "ix_outbox_ended" ON "outbox" ("ended_at") WHERE ended_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "outbox"`);
    await runner.query(`DROP TABLE "run_hooks"`);
  }
}

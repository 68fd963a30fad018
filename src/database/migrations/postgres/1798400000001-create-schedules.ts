import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Plans by which runs begin. */
export class CreateSchedules1798400000001 implements MigrationInterface {
  name = 'CreateSchedules1798400000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "schedules" ("no" SERIAL NOT NULL, "id" character varying(64) NOT NULL, "tenant_id" character varying(128) NOT NULL, "user_id" character varying(256) NOT NULL, "name" character varying(256) NOT NULL, "plan" text NOT NULL, "timezone" character varying(64) NOT NULL, "agent" character varying(256) NOT NULL, "input" text NOT NULL, "session" character varying(256) NOT NULL, "overlap" character varying(16) NOT NULL, "catch_up" character varying(16) NOT NULL, "jitter_seconds" integer NOT NULL DEFAULT '0', "expires_at" bigint, "enabled" integer NOT NULL DEFAULT '1', "metadata" text, "model_options" text, "authority" text, "origin" character varying(16) NOT NULL, "suspended_reason" character varying(512), "created_at" bigint NOT NULL, "anchor_at" bigint NOT NULL, "next_at" bigint, "due_at" bigint, "last_run_id" character varying(128), "last_at" bigint, CONSTRAINT "uq_schedules" UNIQUE ("id"), CONSTRAINT "pk_schedules" PRIMARY KEY ("no"))`,
    );
    await runner.query(`CREATE INDEX "ix_schedules_owner" ON "schedules" ("tenant_id", "user_id", "no")`);
    await runner.query(`CREATE INDEX "ix_schedules_due" ON "schedules" ("due_at", "no") WHERE due_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "schedules"`);
  }
}

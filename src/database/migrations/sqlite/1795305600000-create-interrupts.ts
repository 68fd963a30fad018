import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Questions to people, and the audit log of what was decided. */
export class CreateInterrupts1795305600000 implements MigrationInterface {
  name = 'CreateInterrupts1795305600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "interrupts" (
        "no" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
        "id" varchar(128) NOT NULL,
        "tenant_id" varchar(128) NOT NULL,
        "user_id" varchar(256) NOT NULL,
        "session_no" integer NOT NULL,
        "session_id" varchar(256) NOT NULL,
        "run_no" integer NOT NULL,
        "run_id" varchar(128) NOT NULL,
        "root_run_no" integer NOT NULL,
        "waiting_run_no" integer NOT NULL,
        "kind" varchar(16) NOT NULL,
        "status" varchar(16) NOT NULL,
        "call_id" varchar(256),
        "input_key" varchar(256),
        "tool_name" varchar(256),
        "arguments" text,
        "arguments_hash" varchar(64),
        "server_label" varchar(256),
        "reason" text,
        "message" text,
        "response_schema" text,
        "may_edit" integer NOT NULL DEFAULT (0),
        "decision" text,
        "resumed_by_run_no" integer,
        "resumed_by_run_id" varchar(128),
        "created_at" bigint NOT NULL,
        "expires_at" bigint,
        "answered_at" bigint,
        CONSTRAINT "uq_interrupts_tenant_id" UNIQUE ("tenant_id", "id")
      )
    `);
    await runner.query(`CREATE INDEX "ix_interrupts_session" ON "interrupts" ("session_no", "status")`);
    await runner.query(`CREATE INDEX "ix_interrupts_expiry" ON "interrupts" ("status", "expires_at")`);
    await runner.query(`
      CREATE TABLE "audit_entries" (
        "no" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
        "tenant_id" varchar(128) NOT NULL,
        "user_id" varchar(256) NOT NULL,
        "session_id" varchar(256) NOT NULL,
        "run_id" varchar(128) NOT NULL,
        "action" varchar(32) NOT NULL,
        "interrupt_id" varchar(128),
        "call_id" varchar(256),
        "tool_name" varchar(256),
        "arguments_hash" varchar(64),
        "details" text NOT NULL,
        "created_at" bigint NOT NULL
      )
    `);
    await runner.query(`CREATE INDEX "ix_audit_entries_run" ON "audit_entries" ("tenant_id", "run_id", "no")`);
    await runner.query(`
      CREATE TRIGGER "audit_entries_no_update" BEFORE UPDATE ON "audit_entries"
      BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END
    `);
    await runner.query(`
      CREATE TRIGGER "audit_entries_no_delete" BEFORE DELETE ON "audit_entries"
      BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "interrupts"');
    await runner.query('DROP TABLE "audit_entries"');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Questions to people, and the audit log of what was decided. */
export class CreateInterrupts1795305600000 implements MigrationInterface {
  name = 'CreateInterrupts1795305600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "interrupts" (
        "no" SERIAL NOT NULL,
        "id" character varying(128) NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        "user_id" character varying(256) NOT NULL,
        "session_no" integer NOT NULL,
        "session_id" character varying(256) NOT NULL,
        "run_no" integer NOT NULL,
        "run_id" character varying(128) NOT NULL,
        "root_run_no" integer NOT NULL,
        "waiting_run_no" integer NOT NULL,
        "kind" character varying(16) NOT NULL,
        "status" character varying(16) NOT NULL,
        "call_id" character varying(256),
        "input_key" character varying(256),
        "tool_name" character varying(256),
        "arguments" text,
        "arguments_hash" character varying(64),
        "server_label" character varying(256),
        "reason" text,
        "message" text,
        "response_schema" text,
        "may_edit" integer NOT NULL DEFAULT '0',
        "decision" text,
        "resumed_by_run_no" integer,
        "resumed_by_run_id" character varying(128),
        "created_at" bigint NOT NULL,
        "expires_at" bigint,
        "answered_at" bigint,
        CONSTRAINT "uq_interrupts_tenant_id" UNIQUE ("tenant_id", "id"),
        CONSTRAINT "pk_interrupts" PRIMARY KEY ("no")
      )
    `);
    await runner.query(`CREATE INDEX "ix_interrupts_session" ON "interrupts" ("session_no", "status")`);
    await runner.query(`CREATE INDEX "ix_interrupts_expiry" ON "interrupts" ("status", "expires_at")`);
    await runner.query(`
      CREATE TABLE "audit_entries" (
        "no" SERIAL NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        "user_id" character varying(256) NOT NULL,
        "session_id" character varying(256) NOT NULL,
        "run_id" character varying(128) NOT NULL,
        "action" character varying(32) NOT NULL,
        "interrupt_id" character varying(128),
        "call_id" character varying(256),
        "tool_name" character varying(256),
        "arguments_hash" character varying(64),
        "details" text NOT NULL,
        "created_at" bigint NOT NULL,
        CONSTRAINT "pk_audit_entries" PRIMARY KEY ("no")
      )
    `);
    await runner.query(`CREATE INDEX "ix_audit_entries_run" ON "audit_entries" ("tenant_id", "run_id", "no")`);
    await runner.query(`
      CREATE FUNCTION audit_entries_only_grow() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'the audit log only grows'; END $$
    `);
    await runner.query(`
      CREATE TRIGGER "audit_entries_no_change" BEFORE UPDATE OR DELETE ON "audit_entries"
      FOR EACH ROW EXECUTE FUNCTION audit_entries_only_grow()
    `);
    await runner.query(`
      CREATE TRIGGER "audit_entries_no_truncate" BEFORE TRUNCATE ON "audit_entries"
      FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_only_grow()
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "interrupts"');
    await runner.query('DROP TABLE "audit_entries"');
    await runner.query('DROP FUNCTION audit_entries_only_grow()');
  }
}

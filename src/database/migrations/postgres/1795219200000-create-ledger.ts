import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ledger: sessions, messages, runs, their events and their journal. */
export class CreateLedger1795219200000 implements MigrationInterface {
  name = 'CreateLedger1795219200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "messages" (
        "session_no" integer NOT NULL,
        "seq" integer NOT NULL,
        "id" character varying(256) NOT NULL,
        "run_no" integer NOT NULL,
        "run_ordinal" integer NOT NULL,
        "role" character varying(16),
        "type" character varying(32) NOT NULL,
        "body" text NOT NULL,
        "created_at" bigint NOT NULL,
        CONSTRAINT "pk_messages" PRIMARY KEY ("session_no", "seq")
      )
    `);
    await runner.query(`CREATE INDEX "ix_messages_session_id" ON "messages"  ("session_no", "id")`);
    await runner.query(`CREATE INDEX "ix_messages_session_run" ON "messages"  ("session_no", "run_ordinal", "seq")`);
    await runner.query(`
      CREATE TABLE "run_event_chunks" (
        "run_no" integer NOT NULL,
        "first_seq" integer NOT NULL,
        "event_count" integer NOT NULL,
        "body" text NOT NULL,
        "created_at" bigint NOT NULL,
        CONSTRAINT "pk_run_event_chunks" PRIMARY KEY ("run_no", "first_seq")
      )
    `);
    await runner.query(`
      CREATE TABLE "run_steps" (
        "run_no" integer NOT NULL,
        "step_key" character varying(256) NOT NULL,
        "status" character varying(16) NOT NULL,
        "input_hash" character varying(64) NOT NULL,
        "output" text,
        "message_ids" text NOT NULL DEFAULT '[]',
        "updated_at" bigint NOT NULL,
        CONSTRAINT "pk_run_steps" PRIMARY KEY ("run_no", "step_key")
      )
    `);
    await runner.query(`
      CREATE TABLE "runs" (
        "no" SERIAL NOT NULL,
        "id" character varying(128) NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        "user_id" character varying(256) NOT NULL,
        "session_id" character varying(256) NOT NULL,
        "session_no" integer NOT NULL,
        "ordinal" integer NOT NULL,
        "agent_type" character varying(128) NOT NULL,
        "status" character varying(16) NOT NULL,
        "request" text NOT NULL,
        "fingerprint" character varying(64) NOT NULL,
        "attempt" integer NOT NULL DEFAULT '0',
        "fence" integer NOT NULL DEFAULT '0',
        "lease_owner" character varying(256),
        "lease_until" bigint NOT NULL DEFAULT '0',
        "cancel_requested_at" bigint,
        "next_seq" integer NOT NULL DEFAULT '0',
        "error" text,
        "usage" text,
        "created_at" bigint NOT NULL,
        "started_at" bigint,
        "finished_at" bigint,
        CONSTRAINT "uq_runs_session_ordinal" UNIQUE ("session_no", "ordinal"),
        CONSTRAINT "uq_runs_tenant_id" UNIQUE ("tenant_id", "id"),
        CONSTRAINT "pk_runs" PRIMARY KEY ("no")
      )
    `);
    await runner.query(`CREATE INDEX "ix_runs_status" ON "runs"  ("status", "no")`);
    await runner.query(`
      CREATE TABLE "sessions" (
        "no" SERIAL NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        "user_id" character varying(256) NOT NULL,
        "id" character varying(256) NOT NULL,
        "state" text NOT NULL DEFAULT '{}',
        "run_count" integer NOT NULL DEFAULT '0',
        "message_count" integer NOT NULL DEFAULT '0',
        "created_at" bigint NOT NULL,
        "updated_at" bigint NOT NULL,
        CONSTRAINT "uq_sessions_owner_id" UNIQUE ("tenant_id", "user_id", "id"),
        CONSTRAINT "pk_sessions" PRIMARY KEY ("no")
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "messages"');
    await runner.query('DROP TABLE "run_event_chunks"');
    await runner.query('DROP TABLE "run_steps"');
    await runner.query('DROP TABLE "runs"');
    await runner.query('DROP TABLE "sessions"');
  }
}

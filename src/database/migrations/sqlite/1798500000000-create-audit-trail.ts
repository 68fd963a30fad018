import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit trail: lines with their contents apart, and the seals that chain them. Old entries are moved by a chore. */
export class CreateAuditTrail1798500000000 implements MigrationInterface {
  name = 'CreateAuditTrail1798500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "audit_lines" (
        "no" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
        "tenant_id" varchar(128) NOT NULL,
        "tenant" varchar(128) NOT NULL,
        "at" bigint NOT NULL,
        "action" varchar(64) NOT NULL,
        "outcome" varchar(16) NOT NULL,
        "actor_kind" varchar(16) NOT NULL,
        "actor_id" varchar(256) NOT NULL,
        "actor_account" varchar(128),
        "on_behalf_of" varchar(64),
        "subject_kind" varchar(32),
        "subject_id" varchar(512),
        "run_id" varchar(128),
        "interrupt_id" varchar(128),
        "call_id" varchar(256),
        "tool_name" varchar(256),
        "request_id" varchar(256),
        "network" varchar(64),
        "payload_hash" varchar(64),
        "details" text NOT NULL
      )
    `);
    await runner.query(`CREATE INDEX "ix_audit_lines_at" ON "audit_lines" ("tenant_id", "at", "no")`);
    await runner.query(`CREATE INDEX "ix_audit_lines_action" ON "audit_lines" ("tenant_id", "action", "at", "no")`);
    await runner.query(`CREATE INDEX "ix_audit_lines_run" ON "audit_lines" ("tenant_id", "run_id", "no")`);
    await runner.query(`
      CREATE TABLE "audit_payloads" (
        "line_no" integer NOT NULL,
        "tenant_id" varchar(128) NOT NULL,
        "user_id" varchar(256) NOT NULL,
        "salt" varchar(64) NOT NULL,
        "content" text NOT NULL,
        CONSTRAINT "pk_audit_payloads" PRIMARY KEY ("line_no")
      )
    `);
    await runner.query(`CREATE INDEX "ix_audit_payloads_user" ON "audit_payloads" ("tenant_id", "user_id")`);
    await runner.query(`
      CREATE TABLE "audit_pending" (
        "line_no" integer NOT NULL,
        "tenant_id" varchar(128) NOT NULL,
        CONSTRAINT "pk_audit_pending" PRIMARY KEY ("line_no")
      )
    `);
    await runner.query(`CREATE INDEX "ix_audit_pending_tenant" ON "audit_pending" ("tenant_id", "line_no")`);
    await runner.query(`
      CREATE TABLE "audit_seals" (
        "chain_id" varchar(36) NOT NULL,
        "seq" integer NOT NULL,
        "line_no" integer NOT NULL,
        "hash" varchar(64) NOT NULL,
        "kid" varchar(64) NOT NULL,
        CONSTRAINT "uq_audit_seals_line" UNIQUE ("line_no"),
        CONSTRAINT "pk_audit_seals" PRIMARY KEY ("chain_id", "seq")
      )
    `);
    await runner.query(`
      CREATE TABLE "audit_chains" (
        "id" varchar(36) NOT NULL,
        "tenant_id" varchar(128) NOT NULL,
        "seq" integer NOT NULL,
        "hash" varchar(64) NOT NULL,
        "pruned_seq" integer NOT NULL,
        "pruned_hash" varchar(64),
        "created_at" bigint NOT NULL,
        CONSTRAINT "uq_audit_chains_tenant" UNIQUE ("tenant_id"),
        CONSTRAINT "pk_audit_chains" PRIMARY KEY ("id")
      )
    `);
    await runner.query(`
      CREATE TABLE "user_pseudonyms" (
        "pseudonym" varchar(64) NOT NULL,
        "tenant_id" varchar(128) NOT NULL,
        "user_id" varchar(256) NOT NULL,
        "created_at" bigint NOT NULL,
        CONSTRAINT "pk_user_pseudonyms" PRIMARY KEY ("pseudonym")
      )
    `);
    await runner.query(`CREATE INDEX "ix_user_pseudonyms_user" ON "user_pseudonyms" ("tenant_id", "user_id")`);
    for (const table of ['audit_lines', 'audit_seals']) {
      await runner.query(`
        CREATE TRIGGER "${table}_no_update" BEFORE UPDATE ON "${table}"
        BEGIN SELECT RAISE(ABORT, 'the audit trail only grows'); END
      `);
    }
    // A beginning of a chain may go that is marked as pruned.
    await runner.query(`
      CREATE TRIGGER "audit_lines_no_delete" BEFORE DELETE ON "audit_lines"
      WHEN NOT EXISTS (SELECT 1 FROM audit_seals s JOIN audit_chains c ON c.id = s.chain_id
        WHERE s.line_no = OLD.no AND s.seq <= c.pruned_seq)
      BEGIN SELECT RAISE(ABORT, 'the audit trail only grows'); END
    `);
    await runner.query(`
      CREATE TRIGGER "audit_seals_no_delete" BEFORE DELETE ON "audit_seals"
      WHEN NOT EXISTS (SELECT 1 FROM audit_chains c WHERE c.id = OLD.chain_id AND OLD.seq <= c.pruned_seq)
      BEGIN SELECT RAISE(ABORT, 'the audit trail only grows'); END
    `);
    // Entries of earlier versions are moved away.
    await runner.query(`DROP TRIGGER "audit_entries_no_delete"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TRIGGER "audit_entries_no_delete" BEFORE DELETE ON "audit_entries"
      BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END
    `);
    for (const table of TABLES) await runner.query(`DROP TABLE "${table}"`);
  }
}

const TABLES = ['user_pseudonyms', 'audit_pending', 'audit_payloads', 'audit_lines', 'audit_seals', 'audit_chains'];

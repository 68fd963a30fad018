import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit trail: lines with their contents apart, and the seals that chain them. Old entries are moved by a chore. */
export class CreateAuditTrail1798500000000 implements MigrationInterface {
  name = 'CreateAuditTrail1798500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "audit_lines" (
        "no" SERIAL NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        "tenant" character varying(128) NOT NULL,
        "at" bigint NOT NULL,
        "action" character varying(64) NOT NULL,
        "outcome" character varying(16) NOT NULL,
        "actor_kind" character varying(16) NOT NULL,
        "actor_id" character varying(256) NOT NULL,
        "actor_account" character varying(128),
        "on_behalf_of" character varying(64),
        "subject_kind" character varying(32),
        "subject_id" character varying(512),
        "run_id" character varying(128),
        "interrupt_id" character varying(128),
        "call_id" character varying(256),
        "tool_name" character varying(256),
        "request_id" character varying(256),
        "network" character varying(64),
        "payload_hash" character varying(64),
        "details" text NOT NULL,
        CONSTRAINT "pk_audit_lines" PRIMARY KEY ("no")
      )
    `);
    await runner.query(`CREATE INDEX "ix_audit_lines_at" ON "audit_lines" ("tenant_id", "at", "no")`);
    await runner.query(`CREATE INDEX "ix_audit_lines_action" ON "audit_lines" ("tenant_id", "action", "at", "no")`);
    await runner.query(`CREATE INDEX "ix_audit_lines_run" ON "audit_lines" ("tenant_id", "run_id", "no")`);
    await runner.query(`
      CREATE TABLE "audit_payloads" (
        "line_no" integer NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        "user_id" character varying(256) NOT NULL,
        "salt" character varying(64) NOT NULL,
        "content" text NOT NULL,
        CONSTRAINT "pk_audit_payloads" PRIMARY KEY ("line_no")
      )
    `);
    await runner.query(`CREATE INDEX "ix_audit_payloads_user" ON "audit_payloads" ("tenant_id", "user_id")`);
    await runner.query(`
      CREATE TABLE "audit_pending" (
        "line_no" integer NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        CONSTRAINT "pk_audit_pending" PRIMARY KEY ("line_no")
      )
    `);
    await runner.query(`CREATE INDEX "ix_audit_pending_tenant" ON "audit_pending" ("tenant_id", "line_no")`);
    await runner.query(`
      CREATE TABLE "audit_seals" (
        "chain_id" character varying(36) NOT NULL,
        "seq" integer NOT NULL,
        "line_no" integer NOT NULL,
        "hash" character varying(64) NOT NULL,
        "kid" character varying(64) NOT NULL,
        CONSTRAINT "uq_audit_seals_line" UNIQUE ("line_no"),
        CONSTRAINT "pk_audit_seals" PRIMARY KEY ("chain_id", "seq")
      )
    `);
    await runner.query(`
      CREATE TABLE "audit_chains" (
        "id" character varying(36) NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        "seq" integer NOT NULL,
        "hash" character varying(64) NOT NULL,
        "pruned_seq" integer NOT NULL,
        "pruned_hash" character varying(64),
        "created_at" bigint NOT NULL,
        CONSTRAINT "uq_audit_chains_tenant" UNIQUE ("tenant_id"),
        CONSTRAINT "pk_audit_chains" PRIMARY KEY ("id")
      )
    `);
    await runner.query(`
      CREATE TABLE "user_pseudonyms" (
        "pseudonym" character varying(64) NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        "user_id" character varying(256) NOT NULL,
        "created_at" bigint NOT NULL,
        CONSTRAINT "pk_user_pseudonyms" PRIMARY KEY ("pseudonym")
      )
    `);
    await runner.query(`CREATE INDEX "ix_user_pseudonyms_user" ON "user_pseudonyms" ("tenant_id", "user_id")`);
    await runner.query(`
      CREATE FUNCTION audit_trail_only_grows() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'the audit trail only grows'; END $$
    `);
    // A beginning of a chain may go that is marked as pruned.
    await runner.query(`
      CREATE FUNCTION audit_lines_stay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT 1 FROM audit_seals s JOIN audit_chains c ON c.id = s.chain_id
          WHERE s.line_no = OLD.no AND s.seq <= c.pruned_seq) THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'the audit trail only grows';
      END $$
    `);
    await runner.query(`
      CREATE FUNCTION audit_seals_stay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT 1 FROM audit_chains c WHERE c.id = OLD.chain_id AND OLD.seq <= c.pruned_seq)
          THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'the audit trail only grows';
      END $$
    `);
    for (const table of ['audit_lines', 'audit_seals']) {
      await runner.query(
        `CREATE TRIGGER "${table}_no_update" BEFORE UPDATE ON "${table}" FOR EACH ROW EXECUTE FUNCTION audit_trail_only_grows()`,
      );
      await runner.query(
        `CREATE TRIGGER "${table}_no_delete" BEFORE DELETE ON "${table}" FOR EACH ROW EXECUTE FUNCTION ${table}_stay()`,
      );
      await runner.query(
        `CREATE TRIGGER "${table}_no_truncate" BEFORE TRUNCATE ON "${table}" FOR EACH STATEMENT EXECUTE FUNCTION audit_trail_only_grows()`,
      );
    }
    // Entries of earlier versions are moved away.
    await runner.query(`DROP TRIGGER "audit_entries_no_change" ON "audit_entries"`);
    await runner.query(`
      CREATE TRIGGER "audit_entries_no_change" BEFORE UPDATE ON "audit_entries"
      FOR EACH ROW EXECUTE FUNCTION audit_entries_only_grow()
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER "audit_entries_no_change" ON "audit_entries"`);
    await runner.query(`
      CREATE TRIGGER "audit_entries_no_change" BEFORE UPDATE OR DELETE ON "audit_entries"
      FOR EACH ROW EXECUTE FUNCTION audit_entries_only_grow()
    `);
    for (const table of TABLES) await runner.query(`DROP TABLE "${table}"`);
    for (const name of ['audit_trail_only_grows', 'audit_lines_stay', 'audit_seals_stay'])
      await runner.query(`DROP FUNCTION ${name}()`);
  }
}

const TABLES = ['user_pseudonyms', 'audit_pending', 'audit_payloads', 'audit_lines', 'audit_seals', 'audit_chains'];

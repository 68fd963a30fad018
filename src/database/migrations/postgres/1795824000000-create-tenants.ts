import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tenants, with the one that every installation has, and their API keys. */
export class CreateTenants1795824000000 implements MigrationInterface {
  name = 'CreateTenants1795824000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "tenants" (
        "id" character varying(128) NOT NULL,
        "name" character varying(256) NOT NULL,
        "status" character varying(16) NOT NULL,
        "settings" text NOT NULL DEFAULT '{}',
        "created_at" bigint NOT NULL,
        "updated_at" bigint NOT NULL,
        CONSTRAINT "pk_tenants" PRIMARY KEY ("id")
      )
    `);
    await runner.query(`
      INSERT INTO "tenants" ("id", "name", "status", "created_at", "updated_at")
      SELECT 'default', 'Default', 'active', n.at, n.at FROM (SELECT CAST(extract(epoch FROM now()) AS bigint) * 1000 AS at) n
    `);
    await runner.query(`
      CREATE TABLE "api_keys" (
        "id" character varying(12) NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        "hash" character varying(64) NOT NULL,
        "account" character varying(63) NOT NULL,
        "name" character varying(256),
        "scopes" text NOT NULL,
        "user_id" character varying(256),
        "networks" text,
        "limits" text,
        "created_by" character varying(320) NOT NULL,
        "created_at" bigint NOT NULL,
        "expires_at" bigint,
        "overlap_until" bigint,
        "revoked_by" character varying(320),
        "revoked_at" bigint,
        "last_used_at" bigint,
        "last_used_network" character varying(64),
        CONSTRAINT "pk_api_keys" PRIMARY KEY ("id")
      )
    `);
    await runner.query(`CREATE INDEX "ix_api_keys_tenant_created" ON "api_keys" ("tenant_id", "created_at", "id")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "api_keys"');
    await runner.query('DROP TABLE "tenants"');
  }
}

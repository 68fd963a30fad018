import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tenants, with the one that every installation has, and their API keys. */
export class CreateTenants1795824000000 implements MigrationInterface {
  name = 'CreateTenants1795824000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "tenants" (
        "id" varchar(128) NOT NULL,
        "name" varchar(256) NOT NULL,
        "status" varchar(16) NOT NULL,
        "settings" text NOT NULL DEFAULT ('{}'),
        "created_at" bigint NOT NULL,
        "updated_at" bigint NOT NULL,
        PRIMARY KEY ("id")
      )
    `);
    await runner.query(`
      INSERT INTO "tenants" ("id", "name", "status", "created_at", "updated_at")
      SELECT 'default', 'Default', 'active', n.at, n.at FROM (SELECT CAST(strftime('%s', 'now') AS integer) * 1000 AS at) n
    `);
    await runner.query(`
      CREATE TABLE "api_keys" (
        "id" varchar(12) NOT NULL,
        "tenant_id" varchar(128) NOT NULL,
        "hash" varchar(64) NOT NULL,
        "account" varchar(63) NOT NULL,
        "name" varchar(256),
        "scopes" text NOT NULL,
        "user_id" varchar(256),
        "networks" text,
        "limits" text,
        "created_by" varchar(320) NOT NULL,
        "created_at" bigint NOT NULL,
        "expires_at" bigint,
        "overlap_until" bigint,
        "revoked_by" varchar(320),
        "revoked_at" bigint,
        "last_used_at" bigint,
        "last_used_network" varchar(64),
        PRIMARY KEY ("id")
      )
    `);
    await runner.query(`CREATE INDEX "ix_api_keys_tenant_created" ON "api_keys" ("tenant_id", "created_at", "id")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "api_keys"');
    await runner.query('DROP TABLE "tenants"');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Endpoints of webhooks, and what is announced to them. */
export class CreateWebhooks1798400000000 implements MigrationInterface {
  name = 'CreateWebhooks1798400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "webhooks" ("no" SERIAL NOT NULL, "id" character varying(64) NOT NULL, "tenant_id" character varying(128) NOT NULL, "url" character varying(2048) NOT NULL, "description" character varying(256), "events" text NOT NULL, "format" character varying(16) NOT NULL, "agents" text, "include" text NOT NULL, "enabled" integer NOT NULL DEFAULT '1', "disabled_reason" character varying(256), "secret" text NOT NULL, "old_secret" text, "old_secret_until" bigint, "revision" integer NOT NULL DEFAULT '0', "created_at" bigint NOT NULL, "enabled_at" bigint NOT NULL, "last_success_at" bigint, CONSTRAINT "uq_webhooks" UNIQUE ("id"), CONSTRAINT "pk_webhooks" PRIMARY KEY ("no"))`,
    );
    await runner.query(`CREATE INDEX "ix_webhooks_tenant" ON "webhooks" ("tenant_id", "no")`);
    await runner.query(
      `CREATE TABLE "webhook_deliveries" ("no" SERIAL NOT NULL, "id" character varying(64) NOT NULL, "webhook_no" integer NOT NULL, "tenant_id" character varying(128) NOT NULL, "type" character varying(64) NOT NULL, "run_no" integer, "run_id" character varying(128), "user_id" character varying(256), "traceparent" character varying(64), "body" text NOT NULL, "status" character varying(16) NOT NULL DEFAULT 'waiting', "attempts" integer NOT NULL DEFAULT '0', "due_at" bigint NOT NULL DEFAULT '0', "leased_until" bigint, "created_at" bigint NOT NULL, "ended_at" bigint, "attempt_log" text, CONSTRAINT "uq_webhook_deliveries" UNIQUE ("id"), CONSTRAINT "pk_webhook_deliveries" PRIMARY KEY ("no"))`,
    );
    await runner.query(
      `CREATE INDEX "ix_webhook_deliveries_waiting" ON "webhook_deliveries" ("webhook_no", "due_at", "no") WHERE status = 'waiting'`,
    );
    await runner.query(
      `CREATE INDEX "ix_webhook_deliveries_leased" ON "webhook_deliveries" ("webhook_no", "leased_until") WHERE status = 'waiting' AND leased_until IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX "ix_webhook_deliveries_list" ON "webhook_deliveries" ("webhook_no", "no")`);
    await runner.query(`CREATE INDEX "ix_webhook_deliveries_created" ON "webhook_deliveries" ("created_at")`);
    await runner.query(
      `CREATE INDEX "ix_webhook_deliveries_run" ON "webhook_deliveries" ("run_no") WHERE run_no IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "webhook_deliveries"`);
    await runner.query(`DROP TABLE "webhooks"`);
  }
}

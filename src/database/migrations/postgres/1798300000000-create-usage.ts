import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Prices, budgets and their counters, what model calls use, and its sums per day. */
export class CreateUsage1798300000000 implements MigrationInterface {
  name = 'CreateUsage1798300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "prices" ("no" SERIAL NOT NULL, "tenant_id" character varying(128) NOT NULL, "model" character varying(200) NOT NULL, "provider" character varying(64) NOT NULL DEFAULT '', "valid_from" bigint NOT NULL, "input" bigint NOT NULL, "cached_input" bigint NOT NULL, "output" bigint NOT NULL, "reasoning" bigint NOT NULL, "per_call" bigint NOT NULL DEFAULT '0', "max_output" integer, "created_at" bigint NOT NULL, CONSTRAINT "uq_prices_version" UNIQUE ("tenant_id", "model", "provider", "valid_from"), CONSTRAINT "pk_prices" PRIMARY KEY ("no"))`,
    );
    await runner.query(
      `CREATE TABLE "budgets" ("no" SERIAL NOT NULL, "id" character varying(64) NOT NULL, "tenant_id" character varying(128) NOT NULL, "subject" character varying(16) NOT NULL, "name" character varying(256) NOT NULL, "time_window" character varying(8) NOT NULL, "tokens" bigint, "cost" bigint, "action" character varying(8) NOT NULL, "warn_at" text NOT NULL, "created_at" bigint NOT NULL, "updated_at" bigint NOT NULL, CONSTRAINT "uq_budgets_id" UNIQUE ("tenant_id", "id"), CONSTRAINT "uq_budgets_subject" UNIQUE ("tenant_id", "subject", "name", "time_window"), CONSTRAINT "pk_budgets" PRIMARY KEY ("no"))`,
    );
    await runner.query(
      `CREATE TABLE "budget_counters" ("budget_no" integer NOT NULL, "name" character varying(256) NOT NULL, "period" character varying(32) NOT NULL, "tenant_id" character varying(128) NOT NULL, "settled_tokens" bigint NOT NULL DEFAULT '0', "settled_cost" bigint NOT NULL DEFAULT '0', "reserved_tokens" bigint NOT NULL DEFAULT '0', "reserved_cost" bigint NOT NULL DEFAULT '0', "warned" integer NOT NULL DEFAULT '0', "exceeded" integer NOT NULL DEFAULT '0', "recount_at" bigint, "updated_at" bigint NOT NULL, CONSTRAINT "pk_budget_counters" PRIMARY KEY ("budget_no", "name", "period"))`,
    );
    await runner.query(
      `CREATE TABLE "usage_entries" ("run_no" integer NOT NULL, "step" character varying(256) NOT NULL, "fence" integer NOT NULL, "tenant_id" character varying(128) NOT NULL, "user_id" character varying(256) NOT NULL, "run_id" character varying(128) NOT NULL, "root_run_no" integer NOT NULL, "agent" character varying(128) NOT NULL, "account" character varying(64) NOT NULL DEFAULT '', "model" character varying(200) NOT NULL, "provider" character varying(64) NOT NULL DEFAULT '', "state" character varying(16) NOT NULL, "input_tokens" bigint NOT NULL, "cached_tokens" bigint NOT NULL DEFAULT '0', "output_tokens" bigint NOT NULL, "reasoning_tokens" bigint NOT NULL DEFAULT '0', "cost" bigint NOT NULL, "price_no" integer, "day" character varying(10) NOT NULL, "at" bigint NOT NULL, "settled_at" bigint, CONSTRAINT "pk_usage_entries" PRIMARY KEY ("run_no", "step", "fence"))`,
    );
    await runner.query(
      `CREATE TABLE "usage_days" ("tenant_id" character varying(128) NOT NULL, "day" character varying(10) NOT NULL, "user_id" character varying(256) NOT NULL, "agent" character varying(128) NOT NULL, "account" character varying(64) NOT NULL, "model" character varying(200) NOT NULL, "runs" integer NOT NULL, "calls" integer NOT NULL, "input_tokens" bigint NOT NULL, "cached_tokens" bigint NOT NULL, "output_tokens" bigint NOT NULL, "reasoning_tokens" bigint NOT NULL, "estimated_tokens" bigint NOT NULL, "cost" bigint NOT NULL, CONSTRAINT "pk_usage_days" PRIMARY KEY ("tenant_id", "day", "user_id", "agent", "account", "model"))`,
    );
    await runner.query(`CREATE INDEX "ix_budget_counters_tenant" ON "budget_counters" ("tenant_id", "budget_no")`);
    await runner.query(`CREATE INDEX "ix_usage_entries_at" ON "usage_entries" ("tenant_id", "at")`);
    await runner.query(`CREATE INDEX "ix_usage_entries_day" ON "usage_entries" ("tenant_id", "day", "user_id")`);
    await runner.query(`CREATE INDEX "ix_usage_entries_run" ON "usage_entries" ("tenant_id", "run_id")`);
    await runner.query(
      `CREATE INDEX "ix_usage_entries_reserved" ON "usage_entries" ("run_no") WHERE state = 'reserved'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "usage_days"`);
    await runner.query(`DROP TABLE "usage_entries"`);
    await runner.query(`DROP TABLE "budget_counters"`);
    await runner.query(`DROP TABLE "budgets"`);
    await runner.query(`DROP TABLE "prices"`);
  }
}

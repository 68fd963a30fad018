import type { MigrationInterface, QueryRunner } from 'typeorm';

const RUN_COLUMNS = [
  'wire',
  'run_key',
  'parent_run_id',
  'wire_data',
  'keep',
  'created_session',
  'state_before',
  'claimed_at',
  'used_ms',
  'events_pruned_at',
];

/** Runs by a client's key, runs that do not count, forks, retention; metadata of sessions. */
export class ExtendRuns1795392000000 implements MigrationInterface {
  name = 'ExtendRuns1795392000000';

  async up(runner: QueryRunner): Promise<void> {
    const statements = [
      `ALTER TABLE "runs" ADD COLUMN "wire" character varying(32) NOT NULL DEFAULT 'agent-api'`,
      `ALTER TABLE "runs" ADD COLUMN "run_key" character varying(256)`,
      `ALTER TABLE "runs" ADD COLUMN "parent_run_id" character varying(256)`,
      `ALTER TABLE "runs" ADD COLUMN "wire_data" text NOT NULL DEFAULT '{}'`,
      `ALTER TABLE "runs" ADD COLUMN "keep" character varying(16) NOT NULL DEFAULT 'kept'`,
      `ALTER TABLE "runs" ADD COLUMN "created_session" integer NOT NULL DEFAULT '0'`,
      `ALTER TABLE "runs" ADD COLUMN "state_before" text`,
      `ALTER TABLE "runs" ADD COLUMN "claimed_at" bigint`,
      `ALTER TABLE "runs" ADD COLUMN "used_ms" bigint NOT NULL DEFAULT '0'`,
      `ALTER TABLE "runs" ADD COLUMN "events_pruned_at" bigint`,
      `CREATE UNIQUE INDEX "ux_runs_session_key" ON "runs" ("session_no", "run_key")`,
      `CREATE INDEX "ix_runs_finished" ON "runs" ("events_pruned_at", "finished_at")`,
      `ALTER TABLE "messages" ADD COLUMN "origin" character varying(8) NOT NULL DEFAULT 'input'`,
      `ALTER TABLE "messages" ADD COLUMN "hidden" integer NOT NULL DEFAULT '0'`,
      `UPDATE "messages" SET "origin" = 'output' WHERE "role" = 'assistant' OR "type" NOT IN ('message', 'function_call_output')`,
      `ALTER TABLE "sessions" ADD COLUMN "metadata" text NOT NULL DEFAULT '{}'`,
      `CREATE INDEX "ix_sessions_tenant_id" ON "sessions" ("tenant_id", "id")`,
      `CREATE INDEX "ix_sessions_owner_updated" ON "sessions" ("tenant_id", "user_id", "updated_at", "no")`,
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "ix_sessions_tenant_id"');
    await runner.query('DROP INDEX "ix_sessions_owner_updated"');
    await runner.query('ALTER TABLE "sessions" DROP COLUMN "metadata"');
    await runner.query('ALTER TABLE "messages" DROP COLUMN "hidden"');
    await runner.query('ALTER TABLE "messages" DROP COLUMN "origin"');
    await runner.query('DROP INDEX "ix_runs_finished"');
    await runner.query('DROP INDEX "ux_runs_session_key"');
    for (const column of RUN_COLUMNS) await runner.query(`ALTER TABLE "runs" DROP COLUMN "${column}"`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = [
  'no',
  'id',
  'tenant_id',
  'user_id',
  'session_id',
  'session_no',
  'ordinal',
  'agent_type',
  'status',
  'request',
  'fingerprint',
  'attempt',
  'fence',
  'lease_owner',
  'lease_until',
  'cancel_requested_at',
  'next_seq',
  'error',
  'usage',
  'created_at',
  'started_at',
  'finished_at',
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
  'digests',
]
  .map((name) => `"${name}"`)
  .join(', ');

/**
 * Ids of runs are unique for each user instead of in the tenant, and the runs of a user can be counted by their
 * status. SQLite cannot drop a constraint, so the table is written anew. It cannot be reverted once two users of a
 * tenant have runs with the same id.
 */
export class OwnRunIds1795910400000 implements MigrationInterface {
  name = 'OwnRunIds1795910400000';

  async up(runner: QueryRunner): Promise<void> {
    await rebuild(runner, 'CONSTRAINT "uq_runs_owner_id" UNIQUE ("tenant_id", "id", "user_id")');
    await runner.query(`CREATE INDEX "ix_runs_owner_status" ON "runs" ("tenant_id", "user_id", "status")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await rebuild(runner, 'CONSTRAINT "uq_runs_tenant_id" UNIQUE ("tenant_id", "id")');
  }
}

/** Copies the table into one with another constraint. Its indexes are dropped with it. */
async function rebuild(runner: QueryRunner, uniqueId: string): Promise<void> {
  const statements = [
    `CREATE TABLE "new_runs" (
      "no" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
      "id" varchar(128) NOT NULL,
      "tenant_id" varchar(128) NOT NULL,
      "user_id" varchar(256) NOT NULL,
      "session_id" varchar(256) NOT NULL,
      "session_no" integer NOT NULL,
      "ordinal" integer NOT NULL,
      "agent_type" varchar(128) NOT NULL,
      "status" varchar(16) NOT NULL,
      "request" text NOT NULL,
      "fingerprint" varchar(64) NOT NULL,
      "attempt" integer NOT NULL DEFAULT (0),
      "fence" integer NOT NULL DEFAULT (0),
      "lease_owner" varchar(256),
      "lease_until" bigint NOT NULL DEFAULT (0),
      "cancel_requested_at" bigint,
      "next_seq" integer NOT NULL DEFAULT (0),
      "error" text,
      "usage" text,
      "created_at" bigint NOT NULL,
      "started_at" bigint,
      "finished_at" bigint,
      "wire" varchar(32) NOT NULL DEFAULT 'agent-api',
      "run_key" varchar(256),
      "parent_run_id" varchar(256),
      "wire_data" text NOT NULL DEFAULT '{}',
      "keep" varchar(16) NOT NULL DEFAULT 'kept',
      "created_session" integer NOT NULL DEFAULT 0,
      "state_before" text,
      "claimed_at" bigint,
      "used_ms" bigint NOT NULL DEFAULT 0,
      "events_pruned_at" bigint,
      "digests" text,
      CONSTRAINT "uq_runs_session_ordinal" UNIQUE ("session_no", "ordinal"),
      ${uniqueId}
    )`,
    `INSERT INTO "new_runs" (${COLUMNS}) SELECT ${COLUMNS} FROM "runs"`,
    // A number that was given to a run is not given to another one, even if the run was removed.
    `DELETE FROM sqlite_sequence WHERE name = 'new_runs'`,
    `INSERT INTO sqlite_sequence (name, seq) SELECT 'new_runs', seq FROM sqlite_sequence WHERE name = 'runs'`,
    `DROP TABLE "runs"`,
    `ALTER TABLE "new_runs" RENAME TO "runs"`,
    `CREATE INDEX "ix_runs_status" ON "runs" ("status", "no")`,
    `CREATE UNIQUE INDEX "ux_runs_session_key" ON "runs" ("session_no", "run_key")`,
    `CREATE INDEX "ix_runs_finished" ON "runs" ("events_pruned_at", "finished_at")`,
  ];
  for (const statement of statements) await runner.query(statement);
}

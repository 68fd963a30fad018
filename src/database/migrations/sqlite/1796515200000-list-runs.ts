import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The indexes of lists: name, table and columns. */
const INDEXES = [
  ['ix_runs_owner_created', 'runs', '"tenant_id", "user_id", "created_at", "no"'],
  ['ix_runs_tenant_created', 'runs', '"tenant_id", "created_at", "no"'],
  ['ix_runs_tenant_status_created', 'runs', '"tenant_id", "status", "created_at", "no"'],
  ['ix_runs_tenant_finished', 'runs', '"tenant_id", "finished_at"'],
  ['ix_sessions_tenant_updated', 'sessions', '"tenant_id", "updated_at", "no"'],
  ['ix_interrupts_tenant_status', 'interrupts', '"tenant_id", "status", "no"'],
  ['ix_interrupts_owner_status', 'interrupts', '"tenant_id", "user_id", "status", "no"'],
  ['ix_interrupts_tenant_session', 'interrupts', '"tenant_id", "session_id", "no"'],
  ['ix_interrupts_tenant_run', 'interrupts', '"tenant_id", "run_id"'],
] as const;

/** The first words of a run's input, its model, the start of a step, and what lists of runs, sessions and interrupts need. */
export class ListRuns1796515200000 implements MigrationInterface {
  name = 'ListRuns1796515200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "runs" ADD COLUMN "input_text" varchar(200)');
    await runner.query('ALTER TABLE "runs" ADD COLUMN "model" varchar(200)');
    await runner.query('ALTER TABLE "run_steps" ADD COLUMN "started_at" bigint');
    for (const [name, table, columns] of INDEXES) {
      await runner.query(`CREATE INDEX "${name}" ON "${table}" (${columns})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name] of [...INDEXES].reverse()) await runner.query(`DROP INDEX "${name}"`);
    await runner.query('ALTER TABLE "run_steps" DROP COLUMN "started_at"');
    await runner.query('ALTER TABLE "runs" DROP COLUMN "model"');
    await runner.query('ALTER TABLE "runs" DROP COLUMN "input_text"');
  }
}

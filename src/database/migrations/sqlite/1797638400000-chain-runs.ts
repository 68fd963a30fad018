import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The chain that a run belongs to, and when what it waits for was given up. */
export class ChainRuns1797638400000 implements MigrationInterface {
  name = 'ChainRuns1797638400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "runs" ADD COLUMN "root_run_id" varchar(128)`);
    await runner.query(`ALTER TABLE "runs" ADD COLUMN "closed_at" bigint`);
    await runner.query(
      `CREATE INDEX "ix_runs_root" ON "runs" ("tenant_id", "root_run_id", "user_id", "ordinal") WHERE root_run_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "ix_runs_root"`);
    await runner.query(`ALTER TABLE "runs" DROP COLUMN "closed_at"`);
    await runner.query(`ALTER TABLE "runs" DROP COLUMN "root_run_id"`);
  }
}

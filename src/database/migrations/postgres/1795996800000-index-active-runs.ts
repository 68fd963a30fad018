import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A table whose rows change with every commit, and how its storage parameters are set. */
const HOT_TABLES = ['runs', 'sessions'];
/**
 * Four tenths of each page stay free, so that the new version of a row fits into the page of the old one and needs no
 * entry in any index (a HOT update). Dead versions are removed after 2 % of the rows have changed, not 20 %.
 */
const HOT = 'fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02';

/**
 * Small indexes over the runs that have not ended, and room for the new versions of rows. The parameters apply to rows
 * that are written from now on; `VACUUM FULL` applies them to the others.
 */
export class IndexActiveRuns1795996800000 implements MigrationInterface {
  name = 'IndexActiveRuns1795996800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX "ix_runs_queued" ON "runs" ("no") WHERE status = 'queued'`);
    await runner.query(`CREATE INDEX "ix_runs_lease" ON "runs" ("lease_until", "no") WHERE status = 'running'`);
    await runner.query(`CREATE INDEX "ix_runs_lease_owner" ON "runs" ("lease_owner") WHERE status = 'running'`);
    await runner.query(
      `CREATE INDEX "ix_runs_active" ON "runs" ("session_no", "ordinal") WHERE status IN ('queued', 'running')`,
    );
    await runner.query('DROP INDEX "ix_runs_status"');
    for (const table of HOT_TABLES) await runner.query(`ALTER TABLE "${table}" SET (${HOT})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const names = HOT.replace(/ = [^,]*/g, '');
    for (const table of HOT_TABLES) await runner.query(`ALTER TABLE "${table}" RESET (${names})`);
    await runner.query(`CREATE INDEX "ix_runs_status" ON "runs" ("status", "no")`);
    await runner.query('DROP INDEX "ix_runs_active"');
    await runner.query('DROP INDEX "ix_runs_lease_owner"');
    await runner.query('DROP INDEX "ix_runs_lease"');
    await runner.query('DROP INDEX "ix_runs_queued"');
  }
}

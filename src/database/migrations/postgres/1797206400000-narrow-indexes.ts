import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long writers may wait behind an attempt to lock the tables, and how many attempts are made. */
const LOCK_WAIT = '500ms';
const ATTEMPTS = 120;
const PAUSE_MS = 1000;
const LOCK_TIMEOUT_CODE = '55P03';

/** Runs without a key are not indexed by it, and one index finds messages by their ids: every run writes to them. */
export class NarrowIndexes1797206400000 implements MigrationInterface {
  name = 'NarrowIndexes1797206400000';

  async up(runner: QueryRunner): Promise<void> {
    await lockTables(runner);
    await runner.query(`DROP INDEX "ux_runs_session_key"`);
    await runner.query(`DROP INDEX "ix_messages_session_id"`);
    await runner.query(`DROP INDEX "ix_messages_id"`);
    await runner.query(
      `CREATE UNIQUE INDEX "ux_runs_session_key" ON "runs" ("session_no", "run_key") WHERE run_key IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX "ix_messages_id" ON "messages" ("id", "session_no")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "ix_messages_id"`);
    await runner.query(`DROP INDEX "ux_runs_session_key"`);
    await runner.query(`CREATE INDEX "ix_messages_id" ON "messages" ("id")`);
    await runner.query(`CREATE INDEX "ix_messages_session_id" ON "messages" ("session_no", "id")`);
    await runner.query(`CREATE UNIQUE INDEX "ux_runs_session_key" ON "runs" ("session_no", "run_key")`);
  }
}

/**
 * An index is dropped when nobody reads its table. A reader that holds the tables for long, such as a backup, must not
 * make all writers wait behind this migration: it tries again and again.
 *
 * @throws the driver's error if the tables were not free for some minutes
 */
async function lockTables(runner: QueryRunner): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await runner.query('SAVEPOINT lock_tables');
    await runner.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
    try {
      // In the order of writers.
      await runner.query('LOCK TABLE "runs", "messages" IN ACCESS EXCLUSIVE MODE');
      await runner.query('SET LOCAL lock_timeout = 0');
      return;
    } catch (error) {
      await runner.query('ROLLBACK TO SAVEPOINT lock_tables');
      const isLocked = (error as { driverError?: { code?: unknown } }).driverError?.code === LOCK_TIMEOUT_CODE;
      if (!isLocked || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

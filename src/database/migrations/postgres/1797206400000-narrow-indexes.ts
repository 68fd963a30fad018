import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long writers may wait behind this migration while somebody reads the tables. */
const LOCK_WAIT = '500ms';

/** Runs without a key are not indexed by it, and one index finds messages by their ids: every run writes to them. */
export class NarrowIndexes1797206400000 implements MigrationInterface {
  name = 'NarrowIndexes1797206400000';

  async up(runner: QueryRunner): Promise<void> {
    // An index is dropped when nobody reads its table. A reader that holds the tables for long, such as a backup, must not
    // make all writers wait: the migrations are undone, and made again later.
    await runner.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
    await runner.query('LOCK TABLE "runs" IN ACCESS EXCLUSIVE MODE');
    await runner.query('LOCK TABLE "messages" IN ACCESS EXCLUSIVE MODE');
    await runner.query('SET LOCAL lock_timeout = 0');
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

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sessions that no list shows, by their last change: those that are old are removed. */
export class IndexUnlistedSessions1798850000000 implements MigrationInterface {
  name = 'IndexUnlistedSessions1798850000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX "ix_sessions_tenant_unlisted" ON "sessions" ("tenant_id", "updated_at", "no") WHERE unlisted = 1`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "ix_sessions_tenant_unlisted"`);
  }
}

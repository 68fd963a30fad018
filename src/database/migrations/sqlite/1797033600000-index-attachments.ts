import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists of attachments, newest first, of a user or a tenant. */
export class IndexAttachments1797033600000 implements MigrationInterface {
  name = 'IndexAttachments1797033600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX "ix_attachments_tenant" ON "attachments" ("tenant_id", "created_at", "id") `);
    await runner.query(
      `CREATE INDEX "ix_attachments_user" ON "attachments" ("tenant_id", "user_id", "created_at", "id") `,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "ix_attachments_user"`);
    await runner.query(`DROP INDEX "ix_attachments_tenant"`);
  }
}

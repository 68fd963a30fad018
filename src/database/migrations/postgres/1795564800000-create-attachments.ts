import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Uploaded files, and the sessions that refer to them. */
export class CreateAttachments1795564800000 implements MigrationInterface {
  name = 'CreateAttachments1795564800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "attachments" (
        "id" character varying(36) NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        "user_id" character varying(256) NOT NULL,
        "path" character varying(512) NOT NULL,
        "mime_type" character varying(64) NOT NULL,
        "filename" character varying(255) NOT NULL,
        "size" integer NOT NULL,
        "sha256" character varying(64) NOT NULL,
        "width" integer NOT NULL,
        "height" integer NOT NULL,
        "created_at" bigint NOT NULL,
        "delete_after" bigint,
        CONSTRAINT "pk_attachments" PRIMARY KEY ("id")
      )
    `);
    await runner.query(`CREATE INDEX "ix_attachments_delete_after" ON "attachments" ("delete_after")`);
    await runner.query(`
      CREATE TABLE "attachment_bindings" (
        "session_no" integer NOT NULL,
        "attachment_id" character varying(36) NOT NULL,
        CONSTRAINT "pk_attachment_bindings" PRIMARY KEY ("session_no", "attachment_id")
      )
    `);
    await runner.query(`CREATE INDEX "ix_attachment_bindings_attachment" ON "attachment_bindings" ("attachment_id")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "attachment_bindings"');
    await runner.query('DROP TABLE "attachments"');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The settings of users. Databases keep this migration under its first name, from when it also made the
 * table of the sample calendar; those that applied it then still have that table.
 */
export class CreateUserSettings1795478400000 implements MigrationInterface {
  name = 'CreateCalendar1795478400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "user_settings" (
        "tenant_id" character varying(128) NOT NULL,
        "user_id" character varying(256) NOT NULL,
        "timezone" character varying(64),
        "locale" character varying(35),
        "updated_at" bigint NOT NULL,
        CONSTRAINT "pk_user_settings" PRIMARY KEY ("tenant_id", "user_id")
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "user_settings"');
  }
}

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
        "tenant_id" varchar(128) NOT NULL,
        "user_id" varchar(256) NOT NULL,
        "timezone" varchar(64),
        "locale" varchar(35),
        "updated_at" bigint NOT NULL,
        PRIMARY KEY ("tenant_id", "user_id")
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "user_settings"');
  }
}

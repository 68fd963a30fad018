import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The settings of users and their calendars. */
export class CreateCalendar1795478400000 implements MigrationInterface {
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
    await runner.query(`
      CREATE TABLE "calendar_events" (
        "id" varchar(64) PRIMARY KEY NOT NULL,
        "tenant_id" varchar(128) NOT NULL,
        "user_id" varchar(256) NOT NULL,
        "idempotency_key" varchar(64) NOT NULL,
        "title" varchar(200) NOT NULL,
        "starts_at" bigint NOT NULL,
        "ends_at" bigint NOT NULL,
        "event_timezone" varchar(64) NOT NULL,
        "location" varchar(500),
        "notes" text,
        "created_at" bigint NOT NULL,
        CONSTRAINT "uq_calendar_events_key" UNIQUE ("tenant_id", "user_id", "idempotency_key")
      )
    `);
    await runner.query(
      `CREATE INDEX "ix_calendar_events_owner_start" ON "calendar_events" ("tenant_id", "user_id", "starts_at")`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "calendar_events"');
    await runner.query('DROP TABLE "user_settings"');
  }
}

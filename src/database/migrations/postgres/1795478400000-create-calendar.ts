import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The settings of users and their calendars. */
export class CreateCalendar1795478400000 implements MigrationInterface {
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
    await runner.query(`
      CREATE TABLE "calendar_events" (
        "id" character varying(64) NOT NULL,
        "tenant_id" character varying(128) NOT NULL,
        "user_id" character varying(256) NOT NULL,
        "idempotency_key" character varying(64) NOT NULL,
        "title" character varying(200) NOT NULL,
        "starts_at" bigint NOT NULL,
        "ends_at" bigint NOT NULL,
        "event_timezone" character varying(64) NOT NULL,
        "location" character varying(500),
        "notes" text,
        "created_at" bigint NOT NULL,
        CONSTRAINT "pk_calendar_events" PRIMARY KEY ("id"),
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

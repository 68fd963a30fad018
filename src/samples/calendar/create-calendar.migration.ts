import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The table of the calendar, in SQL that both databases understand. Databases of earlier versions have
 * it already, from a migration of the core schema: it is left as it is, with its events.
 */
export class CreateSampleCalendar1795824000000 implements MigrationInterface {
  name = 'CreateSampleCalendar1795824000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS "calendar_events" (
        "id" varchar(64) NOT NULL,
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
        CONSTRAINT "pk_calendar_events" PRIMARY KEY ("id"),
        CONSTRAINT "uq_calendar_events_key" UNIQUE ("tenant_id", "user_id", "idempotency_key")
      )
    `);
    await runner.query(
      `CREATE INDEX IF NOT EXISTS "ix_calendar_events_owner_start" ON "calendar_events" ("tenant_id", "user_id", "starts_at")`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "calendar_events"');
  }
}

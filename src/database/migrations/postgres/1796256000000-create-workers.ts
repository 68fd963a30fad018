import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The processes that execute runs. */
export class CreateWorkers1796256000000 implements MigrationInterface {
  name = 'CreateWorkers1796256000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "workers" (
        "id" character varying(36) NOT NULL,
        "name" character varying(128) NOT NULL,
        "version" character varying(64) NOT NULL,
        "schema_version" character varying(64) NOT NULL,
        "lease_until" bigint NOT NULL,
        "slots" integer NOT NULL,
        "busy" integer NOT NULL DEFAULT '0',
        "draining" integer NOT NULL DEFAULT '0',
        "fingerprints" text NOT NULL,
        "host_id" character varying(128),
        "pid" integer NOT NULL,
        "process_start" character varying(64),
        "started_at" bigint NOT NULL,
        CONSTRAINT "pk_workers" PRIMARY KEY ("id")
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "workers"');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** As on PostgreSQL, whose partitions SQLite does not have: the table of what is kept of dropped ones stays empty. */
export class PartitionEvents1796860800000 implements MigrationInterface {
  name = 'PartitionEvents1796860800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "run_results" (
        "run_no" integer PRIMARY KEY NOT NULL,
        "seq" integer NOT NULL,
        "body" text NOT NULL,
        "created_at" bigint NOT NULL
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "run_results"');
  }
}

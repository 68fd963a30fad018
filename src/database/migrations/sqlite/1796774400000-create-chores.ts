import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the work of all instances is to be done next. */
export class CreateChores1796774400000 implements MigrationInterface {
  name = 'CreateChores1796774400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "chores" (
        "name" varchar(64) PRIMARY KEY NOT NULL,
        "due_at" bigint NOT NULL,
        "fence" integer NOT NULL DEFAULT (0)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "chores"');
  }
}

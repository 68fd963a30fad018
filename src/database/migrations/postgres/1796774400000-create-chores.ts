import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the work of all instances is to be done next. */
export class CreateChores1796774400000 implements MigrationInterface {
  name = 'CreateChores1796774400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "chores" (
        "name" character varying(64) NOT NULL,
        "due_at" bigint NOT NULL,
        "fence" integer NOT NULL DEFAULT '0',
        CONSTRAINT "pk_chores" PRIMARY KEY ("name")
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "chores"');
  }
}

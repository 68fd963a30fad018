import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs with the model that has answered. */
export class NameAnsweringModels1797552000000 implements MigrationInterface {
  name = 'NameAnsweringModels1797552000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "runs" ADD COLUMN "answered_by" varchar(200)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "runs" DROP COLUMN "answered_by"`);
  }
}

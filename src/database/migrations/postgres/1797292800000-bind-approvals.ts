import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rule and the tool for which an approval was asked. */
export class BindApprovals1797292800000 implements MigrationInterface {
  name = 'BindApprovals1797292800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "interrupts" ADD COLUMN "binding" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "interrupts" DROP COLUMN "binding"');
  }
}

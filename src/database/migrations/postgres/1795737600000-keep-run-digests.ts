import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What wires keep of a run's events when they are removed. */
export class KeepRunDigests1795737600000 implements MigrationInterface {
  name = 'KeepRunDigests1795737600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "runs" ADD COLUMN "digests" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "runs" DROP COLUMN "digests"');
  }
}

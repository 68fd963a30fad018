import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a run may do, who may decide an approval, and who has answered an interrupt. */
export class KeepAuthority1796083200000 implements MigrationInterface {
  name = 'KeepAuthority1796083200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "runs" ADD COLUMN "authority" text');
    await runner.query('ALTER TABLE "interrupts" ADD COLUMN "approvers" text');
    await runner.query('ALTER TABLE "interrupts" ADD COLUMN "decided_by" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "interrupts" DROP COLUMN "decided_by"');
    await runner.query('ALTER TABLE "interrupts" DROP COLUMN "approvers"');
    await runner.query('ALTER TABLE "runs" DROP COLUMN "authority"');
  }
}

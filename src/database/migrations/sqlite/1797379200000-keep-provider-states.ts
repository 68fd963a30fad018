import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a model's provider wants back with an answer is stored with its message. */
export class KeepProviderStates1797379200000 implements MigrationInterface {
  name = 'KeepProviderStates1797379200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "messages" ADD COLUMN "provider_state" text');
    await runner.query('ALTER TABLE "messages" ADD COLUMN "state_key" varchar(64)');
    await runner.query('CREATE INDEX "ix_messages_state_key" ON "messages" ("state_key") WHERE state_key IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "ix_messages_state_key"');
    await runner.query('ALTER TABLE "messages" DROP COLUMN "state_key"');
    await runner.query('ALTER TABLE "messages" DROP COLUMN "provider_state"');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages by their id alone, for wires whose requests refer to them without naming the session. */
export class IndexMessageIds1795651200000 implements MigrationInterface {
  name = 'IndexMessageIds1795651200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX "ix_messages_id" ON "messages" ("id")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "ix_messages_id"');
  }
}

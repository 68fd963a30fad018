import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tickets that opened a WebSocket: each opens one. */
export class CreateUsedTickets1796169600000 implements MigrationInterface {
  name = 'CreateUsedTickets1796169600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE "used_tickets" (
        "id" varchar(36) NOT NULL,
        "tenant_id" varchar(128) NOT NULL,
        "expires_at" bigint NOT NULL,
        PRIMARY KEY ("id")
      )
    `);
    await runner.query(`CREATE INDEX "ix_used_tickets_expires" ON "used_tickets" ("expires_at")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "used_tickets"');
  }
}

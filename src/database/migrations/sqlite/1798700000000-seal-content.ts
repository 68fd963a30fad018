import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The data keys of tenants, and the first words of inputs that are encrypted. */
export class SealContent1798700000000 implements MigrationInterface {
  name = 'SealContent1798700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE "tenant_data_keys" ("tenant_id" varchar(128) NOT NULL, "key_id" varchar(16) NOT NULL, "kid" varchar(64) NOT NULL, "wrapped" text NOT NULL, "created_at" bigint NOT NULL, CONSTRAINT "pk_tenant_data_keys" PRIMARY KEY ("tenant_id"))`,
    );
    await runner.query(`ALTER TABLE "runs" ADD COLUMN "input_sealed" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "runs" DROP COLUMN "input_sealed"`);
    await runner.query(`DROP TABLE "tenant_data_keys"`);
  }
}

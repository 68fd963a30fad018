import { Tenants } from '../../src/access/index.js';
import {
  AuditSealer,
  AuditTrail,
  AuditVerification,
  readCheckpoints,
  type VerifiedChain,
} from '../../src/audit/index.js';
import { Clock, commandOrigin, type Origin } from '../../src/common/index.js';
import { Database } from '../../src/database/index.js';
import type { TestDatabase } from './databases.js';
import { ManualClock } from './manual-clock.js';
import { startServer, type TestServer } from './server.js';

/** A user who acts. */
export const ACTING_ALICE: Origin = {
  actor: { kind: 'user', id: 'alice' },
  userId: 'alice',
  requestId: 'req-1',
  network: '192.0.2.0/24',
};

const TABLES = ['audit_lines', 'audit_seals'];

/** A server without HTTP, and the audit trail of one tenant after the other. */
export class AuditDriver {
  readonly clock = new ManualClock();
  server!: TestServer;
  database!: Database;
  /** A new one for each test. */
  tenant = '';
  private tenants = 0;

  async start(open: () => Promise<TestDatabase>): Promise<void> {
    const overrides = [{ provide: Clock, useValue: this.clock }];
    this.server = await startServer({ database: open, listen: false, overrides });
    this.database = this.server.get(Database);
  }

  /** Begins with a tenant whose trail has one line: that it was created. */
  async next(): Promise<void> {
    this.tenant = `tenant-${(this.tenants += 1)}`;
    await this.server.get(Tenants).create(this.tenant, commandOrigin('test'));
  }

  /** Writes lines with all columns filled, and seals them, with those that wait. */
  async write(lines: number): Promise<void> {
    for (let index = 0; index < lines; index += 1)
      await this.server.get(AuditTrail).record({
        ...{ tenantId: this.tenant, action: 'approval.approved', runId: `run-${index}`, interruptId: 'int-1' },
        by: { ...ACTING_ALICE, actor: { kind: 'key', id: 'k1', account: 'ci' } },
        ...{ subject: { kind: 'interrupt', id: 'int-1' }, callId: 'call-1', toolName: 'pay' },
        details: { resumedBy: 'run-2', index },
        content: { userId: 'alice', value: { reason: `because ${index}` } },
      });
    await this.server.get(AuditSealer).seal();
  }

  async verified(checkpoints: readonly string[] = []): Promise<VerifiedChain> {
    const noted = checkpoints.length === 0 ? [] : readCheckpoints(checkpoints.join('\n'));
    const found = await this.server.get(AuditVerification).tenant(this.tenant, noted);
    if (!found) throw new Error('nothing is sealed');
    return found;
  }

  /** How the chain is broken; undefined if it is whole. */
  async broken(): Promise<string | undefined> {
    return (await this.verified()).firstBreak?.kind;
  }

  sql(text: string, values: readonly (string | number)[] = []): Promise<number> {
    return this.database.write((tx) => tx.run(text, values));
  }

  /** The sealed lines, by their numbers in the table. */
  async lines(): Promise<readonly number[]> {
    const sealed = `SELECT s.line_no AS no FROM audit_seals s JOIN audit_chains c ON c.id = s.chain_id
      WHERE c.tenant_id = ? ORDER BY s.seq`;
    return (await this.database.read.all<{ no: number }>(sealed, [this.tenant])).map(({ no }) => no);
  }

  /** Does what somebody can do who has the database: the triggers are off meanwhile. */
  async tampering(work: () => Promise<unknown>): Promise<void> {
    if (this.database.dialect === 'postgres') {
      for (const table of TABLES) await this.sql(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
      await work().finally(async () => {
        for (const table of TABLES) await this.sql(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
      });
      return;
    }
    const triggers = await this.database.read.all<{ name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('audit_lines', 'audit_seals')`,
    );
    for (const { name } of triggers) await this.sql(`DROP TRIGGER "${name}"`);
    await work().finally(async () => {
      for (const trigger of triggers) await this.sql(trigger.sql);
    });
  }
}

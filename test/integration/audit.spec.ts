import { ApiKeys } from '../../src/access/index.js';
import { AuditReport, AuditSealer, AuditTrail, OPERATOR_TENANT, SampledActs } from '../../src/audit/index.js';
import { OldEntryMover } from '../../src/audit/audit-upkeep.js';
import { AuditLog } from '../../src/audit/ports/audit-log.js';
import { SERVER_ORIGIN } from '../../src/common/index.js';
import { AuditEntryEntity } from '../../src/database/index.js';
import { ACTING_ALICE, AuditDriver } from '../support/audit-driver.js';
import { describeOnDatabases } from '../support/databases.js';
import { TEST_MANAGER } from '../support/keys.js';

const NEVER = new AbortController().signal;

describeOnDatabases('the audit trail', (open) => {
  const driver = new AuditDriver();
  beforeAll(() => driver.start(open));
  afterAll(() => driver.server.close());
  beforeEach(() => driver.next());

  it('an act that fails leaves no line, and a line that cannot be written fails the act', async () => {
    await expect(
      driver.database.write(async (tx) => {
        await driver.server
          .get(AuditTrail)
          .write(tx, { tenantId: driver.tenant, action: 'key.revoked', by: ACTING_ALICE });
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    const { key } = await driver.server.get(ApiKeys).create(driver.tenant, { account: 'ci' }, TEST_MANAGER);
    jest.spyOn(driver.server.get(AuditLog), 'append').mockRejectedValueOnce(new Error('The disk is full'));
    const reach = { of: 'tenant', tenantId: driver.tenant } as const;
    await expect(driver.server.get(ApiKeys).revoke(reach, key.id, TEST_MANAGER)).rejects.toThrow();
    jest.restoreAllMocks();
    expect((await driver.server.get(ApiKeys).find(reach, key.id)).revokedAt).toBeNull();
    const { items } = await driver.server.get(AuditReport).page(driver.tenant, { limit: 10 });
    expect(items.map(({ line }) => line.action)).toEqual(['key.created', 'tenant.created']);
  });

  it('users are pseudonyms in lines, and contents are apart; both are shown while they exist', async () => {
    await driver.write(1);
    const stored = JSON.stringify(
      await driver.database.read.all('SELECT * FROM audit_lines WHERE tenant_id = ?', [driver.tenant]),
    );
    expect(stored).not.toContain('alice');
    expect(stored).not.toContain('because');
    const report = driver.server.get(AuditReport);
    const { items } = await report.page(driver.tenant, { actor: 'alice', limit: 10 });
    expect(items).toMatchObject([{ content: { reason: 'because 0' }, line: { seq: 2, runId: 'run-0' } }]);
    expect(Object.values(items[0]?.users ?? {})).toEqual(['alice']);
    await driver.sql('DELETE FROM user_pseudonyms WHERE tenant_id = ?', [driver.tenant]);
    await driver.sql('DELETE FROM audit_payloads WHERE tenant_id = ?', [driver.tenant]);
    const erased = (await report.page(driver.tenant, { action: 'approval.approved', limit: 10 })).items;
    expect(erased).toMatchObject([{ content: null, users: {} }]);
    expect((await report.page(driver.tenant, { actor: 'alice', limit: 10 })).items).toEqual([]);
    expect(await driver.broken()).toBeUndefined();
  });

  it('pages of a list follow each other, and filters hold together', async () => {
    await driver.write(5);
    const report = driver.server.get(AuditReport);
    const seen: (string | undefined)[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await report.page(driver.tenant, { action: 'approval.approved', limit: 2, cursor });
      seen.push(...page.items.map(({ line }) => line.runId));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(['run-4', 'run-3', 'run-2', 'run-1', 'run-0']);
    expect(
      (await report.page(driver.tenant, { runId: 'run-1', to: driver.clock.now() - 1000, limit: 9 })).items,
    ).toEqual([]);
    await expect(report.page(driver.tenant, { limit: 2, cursor: 'x' })).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
    });
  });

  it('every start of a server is a line of the operator', async () => {
    await driver.server.get(AuditSealer).seal();
    const { items } = await driver.server
      .get(AuditReport)
      .page(OPERATOR_TENANT, { action: 'config.started', limit: 5 });
    expect(items).toMatchObject([
      { line: { tenant: null, details: { configuration: expect.stringMatching(/^[0-9a-f]{64}$/) } } },
    ]);
  });

  it('what anybody can cause is counted, and written as one line', async () => {
    const acts = driver.server.get(SampledActs);
    const by = { ...SERVER_ORIGIN, network: '192.0.2.0/24' };
    for (let index = 0; index < 50; index += 1)
      acts.count({
        tenantId: driver.tenant,
        action: 'access.denied',
        outcome: 'refused',
        by,
        details: { reason: 'scope' },
      });
    await acts.flush();
    const named = { ...ACTING_ALICE, actor: { kind: 'key', id: 'k1', account: 'ci' } } as const;
    for (let index = 0; index < 3; index += 1)
      acts.firstOfDay({ tenantId: driver.tenant, action: 'acted.as', by: named });
    // Another process.
    const other = new SampledActs(driver.server.get(AuditTrail), driver.clock);
    other.firstOfDay({ tenantId: driver.tenant, action: 'acted.as', by: named });
    await acts.flush();
    await other.flush();
    const { items } = await driver.server.get(AuditReport).page(driver.tenant, { limit: 10 });
    expect(items.map(({ line }) => [line.action, line.details])).toEqual([
      ['acted.as', {}],
      ['access.denied', { count: 50, reason: 'scope' }],
      ['tenant.created', {}],
    ]);
  });

  it('entries of an earlier version are moved', async () => {
    const old = {
      tenantId: driver.tenant,
      userId: 'alice',
      sessionId: 's',
      runId: 'r',
      createdAt: driver.clock.now(),
      callId: 'c',
    };
    const details = JSON.stringify({ approve: true, reason: 'fine' });
    const call = { interruptId: 'i', toolName: 'pay', argumentsHash: 'h' };
    await driver.database.write((tx) =>
      tx.manager.insert(AuditEntryEntity, { ...old, ...call, action: 'approved', details }),
    );
    await driver.server.get(OldEntryMover).work(NEVER);
    await driver.server.get(AuditSealer).seal();
    expect(await driver.database.read.manager.countBy(AuditEntryEntity, { tenantId: driver.tenant })).toBe(0);
    const { items } = await driver.server.get(AuditReport).page(driver.tenant, { subject: 'i', limit: 1 });
    expect(items).toMatchObject([{ line: { action: 'approval.approved', runId: 'r' }, content: { reason: 'fine' } }]);
    expect(await driver.broken()).toBeUndefined();
  });
});

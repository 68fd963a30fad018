import { SqlAuditChains } from '../../src/audit/adapters/audit-chains.sql.js';
import {
  AuditExports,
  AuditMetrics,
  AuditRetention,
  AuditSealer,
  AuditSettings,
  AuditTrail,
  verifyExport,
} from '../../src/audit/index.js';
import { AuditReports } from '../../src/audit/ports/audit-reports.js';
import { Metrics, SERVER_ORIGIN } from '../../src/common/index.js';
import { AuditLineEntity, AuditSealEntity } from '../../src/database/index.js';
import { ACTING_ALICE, AuditDriver } from '../support/audit-driver.js';
import { describeOnDatabases } from '../support/databases.js';

const DAY_MS = 86_400_000;
/** Sealed with a key that there is not. */
const SPOILED = `sealed:1:0123456789abcdef.${Buffer.alloc(60).toString('base64')}`;
const NEVER = new AbortController().signal;

describeOnDatabases('the chain of the audit trail', (open) => {
  const driver = new AuditDriver();
  beforeAll(() => driver.start(open));
  afterAll(() => driver.server.close());
  beforeEach(() => driver.next());

  /** The chains of other tests are damaged. */
  async function prune(): Promise<void> {
    const failure: unknown = await driver.server
      .get(AuditRetention)
      .work(NEVER)
      .catch((error: unknown) => error);
    if (failure instanceof Error) expect(failure.message).toMatch(/unique/i);
  }

  it('lines are sealed in their order, and the chain is whole', async () => {
    await driver.write(4);
    expect(await driver.verified()).toMatchObject({
      lines: 5,
      unsealed: 0,
      erased: 0,
      firstBreak: null,
      tenant: driver.tenant,
    });
    expect((await driver.verified()).head).toMatchObject({ seq: 5 });
  });

  it('a change of any column of a sealed line is found', async () => {
    await driver.write(2);
    const [, no = 0] = await driver.lines();
    const columns = driver.database.read.manager.connection.getMetadata(AuditLineEntity).columns;
    const names = columns.map(({ databaseName }) => databaseName).filter((name) => name !== 'no');
    await driver.tampering(async () => {
      for (const name of names) {
        const [row] = await driver.database.read.all<Record<string, string | number>>(
          `SELECT ${name} FROM audit_lines WHERE no = ?`,
          [no],
        );
        const value = row?.[name] ?? '';
        const other =
          name === 'at' ? Number(value) + 1 : `${String(value).startsWith('x') ? 'y' : 'x'}${String(value).slice(1)}`;
        await driver.sql(`UPDATE audit_lines SET ${name} = ? WHERE no = ?`, [other, no]);
        expect([name, await driver.broken()]).toEqual([name, name === 'tenant_id' ? 'missing' : 'changed']);
        await driver.sql(`UPDATE audit_lines SET ${name} = ? WHERE no = ?`, [value, no]);
      }
    });
    expect(await driver.broken()).toBeUndefined();
  });

  it('a change of a seal, of a content, and of the noted end is found', async () => {
    await driver.write(3);
    const [, no = 0, other = 0] = await driver.lines();
    const seal = await driver.database.read.manager.findOneByOrFail(AuditSealEntity, { lineNo: no });
    const of = `WHERE line_no = ${no}`;
    await driver.tampering(async () => {
      for (const [set, back, kind] of [
        [`hash = '${'0'.repeat(64)}'`, `hash = '${seal.hash}'`, 'changed'],
        [`kid = 'other'`, `kid = '${seal.kid}'`, 'unknown_key'],
        [`line_no = ${other + 1000}`, undefined, 'missing'],
        [`seq = 90`, `seq = ${seal.seq}`, 'missing'],
      ] as const) {
        await driver.sql(`UPDATE audit_seals SET ${set} ${of}`);
        expect(await driver.broken()).toBe(kind);
        await driver.sql(
          `UPDATE audit_seals SET ${back ?? `line_no = ${no}`} WHERE chain_id = '${seal.chainId}' AND ${back?.startsWith('seq') ? `line_no = ${no}` : `seq = ${seal.seq}`}`,
        );
      }
    });
    await driver.sql(`UPDATE audit_payloads SET content = '{"reason":"never"}' ${of}`);
    expect(await driver.broken()).toBe('changed');
    await driver.sql(`UPDATE audit_payloads SET content = '${SPOILED}' ${of}`);
    expect(await driver.broken()).toBe('changed');
    expect(await driver.server.get(AuditReports).list(driver.tenant, { limit: 9 })).toHaveLength(4);
    await driver.sql(`DELETE FROM audit_payloads ${of}`);
    expect(await driver.verified()).toMatchObject({ firstBreak: null, erased: 1 });
    await driver.sql('UPDATE audit_chains SET seq = 3 WHERE tenant_id = ?', [driver.tenant]);
    expect(await driver.broken()).toBe('changed');
  });

  it('lines that are swapped, removed, or cut off before a checkpoint are found', async () => {
    await driver.write(4);
    const numbers = await driver.lines();
    const [, second = 0, third = 0, , last = 0] = numbers;
    const { head } = await driver.verified();
    const checkpoint = JSON.stringify(head);
    await driver.tampering(async () => {
      const swap = async (): Promise<void> => {
        await driver.sql(`UPDATE audit_seals SET line_no = -1 WHERE line_no = ${second}`);
        await driver.sql(`UPDATE audit_seals SET line_no = ${second} WHERE line_no = ${third}`);
        await driver.sql(`UPDATE audit_seals SET line_no = ${third} WHERE line_no = -1`);
      };
      await swap();
      expect(await driver.broken()).toBe('reordered');
      await swap();
      expect(await driver.broken()).toBeUndefined();
      // The end, with the note of the database: only what was noted elsewhere tells.
      await driver.sql(`DELETE FROM audit_seals WHERE line_no = ${last}`);
      expect(await driver.broken()).toBe('cut');
      await driver.sql(`DELETE FROM audit_lines WHERE no = ${last}`);
      const [end] = await driver.database.read.all<{ hash: string }>('SELECT hash FROM audit_seals WHERE line_no = ?', [
        numbers[3] ?? 0,
      ]);
      await driver.sql('UPDATE audit_chains SET seq = 4, hash = ? WHERE tenant_id = ?', [
        end?.hash ?? '',
        driver.tenant,
      ]);
      expect(await driver.broken()).toBeUndefined();
      expect((await driver.verified([checkpoint])).firstBreak).toMatchObject({ kind: 'cut', seq: 5 });
      expect(
        (await driver.verified([`{"level":30,"msg":"Audit checkpoint ${checkpoint.replaceAll('"', '\\"')}"}`]))
          .firstBreak,
      ).not.toBeNull();
      await driver.sql(`DELETE FROM audit_lines WHERE no = ${third}`);
      expect(await driver.broken()).toBe('missing');
    });
  });

  it('the tables only grow', async () => {
    await driver.write(1);
    for (const text of [
      `UPDATE audit_lines SET action = 'key.created'`,
      'DELETE FROM audit_lines',
      `UPDATE audit_seals SET kid = 'x'`,
      'DELETE FROM audit_seals',
    ])
      await expect(driver.sql(text)).rejects.toMatchObject({ message: expect.stringContaining('only grows') });
  });

  it('several processes seal at the same time without a gap', async () => {
    const parts = [new SqlAuditChains(driver.database), driver.database, driver.server.get(AuditSettings)] as const;
    const another = (): AuditSealer => new AuditSealer(...parts, new AuditMetrics(new Metrics()), driver.clock);
    const trail = driver.server.get(AuditTrail);
    const act = { tenantId: driver.tenant, action: 'tenant.changed', by: SERVER_ORIGIN } as const;
    await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        await trail.record(...Array.from({ length: 5 }, () => ({ ...act, details: { index } })));
        await another().seal();
      }),
    );
    await another().seal();
    expect(await driver.verified()).toMatchObject({ lines: 61, unsealed: 0, firstBreak: null });
  });

  it('the retention removes a beginning, a line tells of it, and the chain goes on', async () => {
    await driver.write(3);
    const { head } = await driver.verified();
    driver.clock.advance(401 * DAY_MS);
    await driver.write(1);
    await prune();
    // The line of the tenant and three others; one is young, and one tells of the removal.
    expect(await driver.verified([JSON.stringify(head)])).toMatchObject({ lines: 2, firstBreak: null });
    await driver.write(2);
    driver.clock.advance(401 * DAY_MS);
    await prune();
    expect(await driver.verified()).toMatchObject({ lines: 1, firstBreak: null });
    await driver.write(1);
    expect(await driver.verified()).toMatchObject({ lines: 2, unsealed: 0, firstBreak: null });
  });

  it('a removal that only the database claims is found', async () => {
    await driver.write(3);
    const [first = 0, second = 0] = await driver.lines();
    const [hash] = await driver.database.read.all<{ hash: string }>('SELECT hash FROM audit_seals WHERE line_no = ?', [
      second,
    ]);
    const forged = {
      ...{ tenantId: driver.tenant, action: 'audit.pruned' as const, by: SERVER_ORIGIN },
      details: { throughSeq: 2, hash: hash?.hash ?? '' },
    } as const;
    await driver.server.get(AuditTrail).record(forged);
    await driver.server.get(AuditSealer).seal();
    expect(await driver.verified()).toMatchObject({ unsealed: 1, firstBreak: null });
    await driver.sql('UPDATE audit_chains SET pruned_seq = 2, pruned_hash = ? WHERE tenant_id = ?', [
      hash?.hash ?? '',
      driver.tenant,
    ]);
    await driver.sql(`DELETE FROM audit_lines WHERE no IN (${first}, ${second})`);
    await driver.sql(`DELETE FROM audit_seals WHERE line_no IN (${first}, ${second})`);
    expect(await driver.broken()).toBe('missing');
  });

  it('an export is verified with the keys alone, and any change of it is found', async () => {
    await driver.write(2);
    const lines: string[] = [];
    for await (const line of await driver.server.get(AuditExports).begin(driver.tenant, ACTING_ALICE, { seals: true }))
      lines.push(line);
    const keys = driver.server.get(AuditSettings).ring();
    const check = async (changed: readonly string[]): Promise<string | undefined> =>
      (await verifyExport(following(changed), keys)).firstBreak?.kind;
    expect(lines).toHaveLength(6);
    expect(lines.at(-2)).toContain('audit.exported');
    expect(lines.join('')).not.toContain('because');
    expect(await check(lines)).toBeUndefined();
    expect(await check(lines.slice(0, -1))).toBe('cut');
    expect(await check(lines.filter((_, index) => index !== 2))).toBe('missing');
    expect(await check([lines[0], lines[2], lines[1], ...lines.slice(3)].map((line) => line ?? ''))).toBe('missing');
    const stranger = [{ kid: keys[0]?.kid ?? '', secret: 'another-secret-of-somebody' }];
    expect((await verifyExport(following(lines), stranger)).firstBreak).toMatchObject({ seq: 1 });
    const line = lines[2] ?? '';
    for (let at = 0; at < line.length - 1; at += 1) {
      const character = line[at] === 'a' ? 'b' : 'a';
      const changed = lines.map((one, index) =>
        index === 2 ? `${line.slice(0, at)}${character}${line.slice(at + 1)}` : one,
      );
      expect([at, await check(changed)]).not.toEqual([at, undefined]);
    }
    await expect(verifyExport(following(['{}']), keys)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  });
});

async function* following(lines: readonly string[]): AsyncIterable<string> {
  for (const line of lines) yield await Promise.resolve(line);
}

import { AuditSealer } from '../../src/audit/index.js';
import { runCli } from '../../src/cli/index.js';
import { Database } from '../../src/database/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { apiKey, bearer } from '../support/keys.js';
import { MARK, noted, Notes, NotingModel } from '../support/marked-content.js';
import { startServer, type TestServer } from '../support/server.js';

const KEYS = 'first:a-secret-of-the-first-key';

interface Item {
  readonly line: { readonly action: string; readonly payloadHash?: string };
  readonly content: object | null;
  readonly contentBreak: string | null;
}

describeOnDatabases('contents of the audit trail', (open) => {
  let database: TestDatabase;
  let server: TestServer | undefined;

  beforeEach(async () => {
    database = await open();
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await database.drop();
  });

  /** A server of which nobody is asked for a credential has written what a later one shows. */
  async function start(env: Record<string, string | undefined>): Promise<TestServer> {
    await server?.close();
    server = await startServer({ database, env, model: new NotingModel(), providers: [Notes] });
    return server;
  }

  async function read(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const running = server as TestServer;
    const key = await apiKey(running, { account: 'auditor', scopes: ['audit:read'] });
    const answer = await fetch(`${running.url}${path}`, { headers: bearer(key) });
    return { status: answer.status, text: await answer.text() };
  }

  const listed = async (): Promise<readonly Item[]> => {
    const { status, text } = await read('/audit?action=approval.approved');
    expect([status, text]).toEqual([200, expect.stringContaining('"data"')]);
    return (JSON.parse(text) as { data: Item[] }).data;
  };

  const sql = (text: string, values: readonly string[] = []): Promise<number> =>
    (server as TestServer).get(Database).write((tx) => tx.run(text, values));

  async function exportedByCommand(keys?: string): Promise<string> {
    let out = '';
    const env = { ...database.env, ...(keys !== undefined && { DATA_ENCRYPTION_KEYS: keys }) };
    const terminal = {
      out: (line: string) => (out += `${line}\n`),
      note: () => undefined,
      input: () => Promise.resolve(''),
    };
    expect(await runCli(['audit', 'export'], env, terminal)).toBe(0);
    return out;
  }

  it.each([
    ['encrypted', KEYS],
    ['not encrypted', undefined],
  ])('are in no export of the trail, where they are %s', async (_how, keys) => {
    await noted((await start({ DATA_ENCRYPTION_KEYS: keys })).url, 'asked');
    await start({ AUTH: 'keys', DATA_ENCRYPTION_KEYS: keys });
    await (server as TestServer).get(AuditSealer).seal();
    expect(JSON.stringify((await listed())[0]?.content)).toContain(`${MARK} says so`);
    for (const text of [(await read('/audit/export')).text, await exportedByCommand(keys)]) {
      expect(text).toContain('approval.approved');
      expect(text).not.toContain(MARK);
      expect(text).toContain('"end"');
    }
  });

  it('are not needed for an export: it is whole when their key is gone', async () => {
    await noted((await start({ DATA_ENCRYPTION_KEYS: KEYS })).url, 'asked');
    await (server as TestServer).get(AuditSealer).seal();
    await sql('DELETE FROM tenant_data_keys');
    await start({ AUTH: 'keys', DATA_ENCRYPTION_KEYS: KEYS });
    for (const text of [(await read('/audit/export')).text, await exportedByCommand(KEYS)]) {
      expect(text).toContain('approval.approved');
      expect(text).toContain('"end"');
    }
    expect(await listed()).toMatchObject([
      { content: null, contentBreak: 'The content of this line cannot be decrypted' },
    ]);
  });

  it.each([
    ['no JSON', 'oops'],
    ['another value', '{"reason":"forged"}'],
    ['no object', '[1]'],
  ])('that somebody has changed into %s are not shown, and the line says so', async (_what, forged) => {
    await noted((await start({})).url, 'asked');
    await start({ AUTH: 'keys' });
    expect(await listed()).toMatchObject([{ content: { reason: `${MARK} says so` }, contentBreak: null }]);
    await (server as TestServer).get(AuditSealer).seal();
    await sql('UPDATE audit_payloads SET content = ?', [forged]);
    expect(await listed()).toMatchObject([{ content: null, contentBreak: 'The content of this line was changed' }]);
    const { status, text } = await read('/audit/verify');
    expect([status, JSON.parse(text)]).toMatchObject([200, { whole: false, firstBreak: { kind: 'changed' } }]);
  });
});

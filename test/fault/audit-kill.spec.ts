import { AuditSettings } from '../../src/audit/index.js';
import { runCli } from '../../src/cli/index.js';
import { readSettings } from '../../src/config/index.js';
import { openDatabase } from '../../src/database/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { bearer } from '../support/keys.js';
import { settingsOf } from '../support/ledger.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const KILLS = Number(process.env['AUDIT_KILLS'] ?? '4');

jest.setTimeout(600_000);

describeOnDatabases('the audit trail of servers that are killed', (open) => {
  let database: TestDatabase;
  let servers: readonly ServerProcess[] = [];

  beforeAll(async () => {
    database = await open();
    // Every key has to be the same one: the processes share the folder.
    readSettings(AuditSettings, database.env).ring();
    const env = { AUTH: 'keys', LOG_LEVEL: 'warn' };
    // SQLite has one process.
    const count = database.kind === 'sqlite' ? 1 : 2;
    servers = await Promise.all(Array.from({ length: count }, () => ServerProcess.start(database, env)));
  }, 300_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await database.drop();
  });

  async function command(...args: readonly string[]): Promise<{ code: number; out: string }> {
    let out = '';
    const terminal = {
      out: (line: string) => (out += `${line}\n`),
      note: () => undefined,
      input: () => Promise.resolve(''),
    };
    return { code: await runCli(args, { ...database.env }, terminal), out: out.trim() };
  }

  it(`every act has one line, and the chains are whole (${KILLS} kills)`, async () => {
    const { out: admin } = await command(
      ...['key', 'create', '--tenant', 'default', '--account', 'admin', '--scopes', 'admin:keys runs:read'],
    );
    const create = (server: ServerProcess): Promise<unknown> =>
      fetch(`${server.url}/admin/keys`, {
        method: 'POST',
        headers: { ...bearer(admin), 'content-type': 'application/json' },
        body: JSON.stringify({ account: 'admin', scopes: ['runs:read'] }),
      }).catch(() => undefined);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const victim = servers[kill % servers.length];
      if (!victim) continue;
      const requests = Array.from({ length: 10 }, (_, index) => create(servers[index % servers.length] ?? victim));
      await Promise.race(requests.slice(kill % 10));
      await victim.kill();
      await Promise.all(requests);
      await victim.restart();
    }
    for (const server of servers) await create(server);
    // What the last commits of one have left, another seals.
    let verified = await command('audit', 'verify', '--json');
    await until(async () => {
      verified = await command('audit', 'verify', '--json');
      return verified.code !== 0 || !/"unsealed": [1-9]/.test(verified.out);
    });
    await Promise.all(servers.map((server) => server.stop()));
    servers = [];
    expect([verified.code, verified.out]).toEqual([0, expect.any(String)]);
    const chains = JSON.parse(verified.out) as { unsealed: number; firstBreak: unknown }[];
    expect(chains.map(({ unsealed, firstBreak }) => [unsealed, firstBreak])).toEqual(chains.map(() => [0, null]));
    const opened = await openDatabase(settingsOf(database));
    const [keys] = await opened.read.all<{ n: number }>('SELECT COUNT(*) AS n FROM api_keys');
    const [lines] = await opened.read.all<{ n: number }>(
      `SELECT COUNT(*) AS n FROM audit_lines WHERE action = 'key.created'`,
    );
    await opened.close();
    expect(Number(lines?.n)).toBe(Number(keys?.n));
  });
});

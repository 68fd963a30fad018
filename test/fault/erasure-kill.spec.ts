import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../src/cli/index.js';
import { openDatabase } from '../../src/database/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { bearer } from '../support/keys.js';
import { settingsOf } from '../support/ledger.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const KILLS = Number(process.env['ERASURE_KILLS'] ?? '6');
const PERSON = 'margaret_1887';
const MARKER = 'the-words-of-margaret';
const RUNS = 60;
const MANY = { perMinute: 1_000_000, burst: 1_000_000 };
const NO_LIMITS = { requests: MANY, runStarts: MANY };

jest.setTimeout(600_000);

describeOnDatabases('erasures of servers that are killed', (open) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-limits-'));
  let database: TestDatabase;
  let servers: readonly ServerProcess[] = [];
  let key: string;

  beforeAll(async () => {
    database = await open();
    const file = join(folder, 'limits.json');
    writeFileSync(file, JSON.stringify({ user: NO_LIMITS, tenant: NO_LIMITS, admin: { requests: MANY } }));
    const env = { AUTH: 'keys', LOG_LEVEL: 'info', LIMITS_FILE: file };
    // SQLite has one process.
    const count = database.kind === 'sqlite' ? 1 : 2;
    servers = await Promise.all(Array.from({ length: count }, () => ServerProcess.start(database, env)));
    key = (
      await command(
        ...['key', 'create', '--tenant', 'default', '--account', 'officer'],
        ...['--scopes', 'admin:data runs:write runs:read users:*'],
      )
    ).out;
  }, 300_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await database.drop();
    rmSync(folder, { recursive: true });
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

  const send = (server: ServerProcess | undefined, method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${server?.url ?? ''}${path}`, {
      method,
      headers: { ...bearer(key), 'content-type': 'application/json', ...(body && { 'x-user-id': PERSON }) },
      ...(body && { body: JSON.stringify(body) }),
    });

  it(`go on where they were, and count everything once (${KILLS} kills)`, async () => {
    for (let run = 0; run < RUNS; run += 1) {
      const body = { model: 'worker', input: `${MARKER} ${run}` };
      expect((await send(servers[0], 'POST', '/v1/responses', body)).status).toBe(200);
    }
    expect((await send(servers[0], 'DELETE', `/admin/users/${PERSON}`)).status).toBe(202);
    const log: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const victim = servers[kill % servers.length];
      await new Promise((resolve) => setTimeout(resolve, 20 + 60 * kill));
      log.push(victim?.output ?? '');
      await victim?.kill();
      await victim?.restart();
    }
    const receipt = await until(
      async () => {
        const found = (await (await send(servers[0], 'GET', `/admin/users/${PERSON}/erasure`)).json()) as {
          status: string;
          counts: Record<string, number>;
        };
        return found.status === 'done' && found;
      },
      'the erasure is done',
      120_000,
    );
    expect(receipt.counts).toMatchObject({ sessions: RUNS, runs: RUNS });
    expect((await command('audit', 'verify')).code).toBe(0);
    log.push(...servers.map((server) => server.output));
    await Promise.all(servers.map((server) => server.stop()));
    expect([PERSON, MARKER].filter((word) => log.join('\n').includes(word))).toEqual([]);
    if (database.kind === 'sqlite') {
      const file = join(database.env.DATA_DIR, 'parley.db');
      const bytes = [file, `${file}-wal`].map((name) => readIfThere(name)).join('\n');
      expect([PERSON, MARKER].filter((word) => bytes.includes(word))).toEqual([]);
    }
    const opened = await openDatabase(settingsOf(database));
    for (const table of ['sessions', 'runs', 'audit_payloads', 'user_pseudonyms', 'usage_entries']) {
      const [row] = await opened.read.all<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE user_id = ?`, [
        PERSON,
      ]);
      expect([table, Number(row?.n)]).toEqual([table, 0]);
    }
    await opened.close();
  });
});

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

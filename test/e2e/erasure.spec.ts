import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { Tenants } from '../../src/access/index.js';
import { call, finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { AuditSealer, AuditVerification } from '../../src/audit/index.js';
import { runCli } from '../../src/cli/index.js';
import { SERVER_ORIGIN } from '../../src/common/index.js';
import { Database } from '../../src/database/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { type Attempt, SAY } from '../support/foreign-requests.js';
import { NAMED_USERS } from '../support/identities.js';
import { SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';
import { sent as sentTo, storePerson } from '../support/stored-person.js';
import { until } from '../support/until.js';

const PERSON = 'margaret_1887';
const MARKER = 'the-words-of-margaret';
const ALICE = `${PERSON}@acme`;
const BOB = 'bob@acme';
const ADMIN = 'officer@acme admin:data audit:read usage:read runs:read';

interface Receipt {
  readonly jobId: string;
  readonly status: string;
  readonly finishedAt: string | null;
  readonly counts: Readonly<Record<string, number>>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

describeOnDatabases('the erasure of a user', (open) => {
  let database: TestDatabase;
  let server: TestServer;
  let count = 0;

  beforeEach(async () => {
    database = await open();
    server = await startServer({
      database,
      env: { USAGE: 'always' },
      overrides: [NAMED_USERS],
      providers: [SampleTools],
      model: new ScriptedModelClient(({ messages }) => {
        const last = messages.at(-1);
        const words = JSON.stringify(last?.content ?? '');
        if (words.includes('Wait')) return [text('Waiting'), { type: 'hang' }];
        if (last?.role !== 'user' || !words.includes('Pay')) return [text(`You said ${words}`), finish()];
        const to = words.includes(MARKER) ? MARKER : 'somebody';
        return [call(0, 'pay', `{"to":"${to}","amount":1}`, `call-${(count += 1)}`), finish('tool-calls')];
      }),
    });
  });
  afterEach(async () => {
    await server.close();
    await database.drop();
  });

  async function send(token: string, { method, path, body, headers = {} }: Attempt): Promise<Answer> {
    const answer = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: answer.status, body: await answer.text() };
  }

  const sent = (token: string, attempt: Attempt): Promise<unknown> => sentTo(server, token, attempt);

  const receiptOf = async (user = PERSON): Promise<Receipt> =>
    (await sent(ADMIN, { method: 'GET', path: `/admin/users/${user}/erasure` })) as Receipt;

  async function erased(user = PERSON): Promise<Receipt> {
    const { jobId } = (await sent(ADMIN, { method: 'DELETE', path: `/admin/users/${user}` })) as { jobId: string };
    return until(async () => {
      const receipt = await receiptOf(user);
      expect(receipt.jobId).toBe(jobId);
      return receipt.status === 'done' && receipt;
    });
  }

  /** Every byte that is kept: rows, files and their names. */
  async function everything(): Promise<string> {
    const files = filesIn(database.env.DATA_DIR);
    const kept = files.map((file) => `${file}\n${readFileSync(file, 'latin1')}`);
    return [...kept, ...(await rowsOf(database))].join('\n');
  }

  /** The rows of a user, by table. */
  async function rowsOfUser(user: string, tenant = 'acme'): Promise<Readonly<Record<string, number>>> {
    const tables = ['sessions', 'runs', 'interrupts', 'attachments', 'user_settings', 'calendar_events', 'schedules'];
    const counts: Record<string, number> = {};
    for (const table of tables) {
      const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE tenant_id = ? AND user_id = ?`;
      const [row] = await server.get(Database).read.all<{ n: number }>(sql, [tenant, user]);
      counts[table] = Number(row?.n);
    }
    return counts;
  }

  const usage = async (): Promise<unknown> => {
    const { data } = (await sent(ADMIN, { method: 'GET', path: '/usage?group_by=model' })) as { data: unknown };
    return data;
  };

  it('leaves nothing of the person in the database and the files, and everything of others', async () => {
    await storePerson(server, ALICE, MARKER);
    await storePerson(server, BOB, 'bobs-words');
    const [others, used] = [await rowsOfUser('bob'), await usage()];
    expect(await everything()).toContain(MARKER);
    const { counts, finishedAt } = await erased();
    expect(finishedAt).not.toBeNull();
    expect(counts).toMatchObject({
      ...{ attachments: 1, settings: 1, calendarEvents: 1, schedules: 1, pseudonyms: expect.any(Number) },
      questions: Object.keys(SAY).length,
      sessions: Object.keys(SAY).length + 1,
    });
    for (const kind of ['messages', 'runs', 'events', 'steps', 'auditContents', 'usageEntriesKept'])
      expect([kind, (counts[kind] ?? 0) > 5]).toEqual([kind, true]);
    const kept = await everything();
    expect([PERSON, MARKER].flatMap((word) => surroundings(kept, word))).toEqual([]);
    expect(kept).toContain('bobs-words');
    expect(await rowsOfUser('bob')).toEqual(others);
    expect(await usage()).toEqual(used);
    await server.get(AuditSealer).seal();
    expect((await server.get(AuditVerification).tenant('acme'))?.firstBreak).toBeNull();
    const { data } = (await sent(ADMIN, { method: 'GET', path: '/audit?action=data.erased' })) as { data: object[] };
    expect(data).toMatchObject([
      { line: { actor: { kind: 'server' }, subject: { kind: 'erasure' }, details: { stage: 'done' } } },
      { line: { actor: { kind: 'user' }, subject: { kind: 'erasure' }, details: { stage: 'requested' } } },
    ]);
    expect((await erased()).counts).toEqual({});
    expect((await everything()).includes(PERSON)).toBe(false);
  });

  it('ends runs, blocks the user until it is done, and lets the user begin anew', async () => {
    const start = { method: 'POST', path: '/v1/responses' } as const;
    await sent(ALICE, { ...start, body: { model: 'worker', input: 'Wait', background: true } });
    await until(async () => (await rowsOfUser(PERSON))['runs'] === 1);
    const other = database.kind === 'sqlite' ? undefined : await blockingWriter(database);
    await sent(ADMIN, { method: 'DELETE', path: `/admin/users/${PERSON}` });
    const again = await send(ALICE, { ...start, body: { model: 'worker', input: 'Hello' } });
    if (other) {
      // Whoever began to write before may still store something: the erasure waits for it.
      // In the words of the wire, which has no 409.
      expect([again.status, again.body]).toEqual([400, expect.stringContaining('conversation_locked')]);
      for (const attempt of blocked())
        expect([attempt.path, (await send(ALICE, attempt)).status]).toEqual([attempt.path, 409]);
      await other.end();
    }
    await until(async () => (await receiptOf()).status === 'done');
    expect(await rowsOfUser(PERSON)).toMatchObject({ sessions: 0, runs: 0 });
    expect((await send(ALICE, { ...start, body: { model: 'worker', input: 'Hello' } })).status).toBe(200);
    expect(await rowsOfUser(PERSON)).toMatchObject({ sessions: 1, runs: 1 });
  });

  it('of another tenant is as absent, and needs the scope', async () => {
    await sent(ALICE, { method: 'POST', path: '/v1/responses', body: { model: 'worker', input: 'Hello' } });
    const foreign = ADMIN.replace('@acme', '@other');
    const erase = { method: 'DELETE', path: `/admin/users/${PERSON}` } as const;
    const read = { method: 'GET', path: `/admin/users/${PERSON}/erasure` } as const;
    expect((await send(foreign, read)).status).toBe(404);
    expect((await send(foreign, erase)).status).toBe(202);
    const foreignReceipt = async (): Promise<Receipt> => (await sent(foreign, read)) as Receipt;
    await until(async () => (await foreignReceipt()).status === 'done');
    expect((await foreignReceipt()).counts).toEqual({});
    expect(await rowsOfUser(PERSON)).toMatchObject({ sessions: 1 });
    expect((await send(ADMIN, read)).status).toBe(404);
    for (const attempt of [erase, read]) expect((await send(`${PERSON}@acme`, attempt)).status).toBe(403);
    expect((await send(ADMIN, { method: 'DELETE', path: '/admin/users/%00' })).status).toBe(400);
  });

  it('is asked for at the command line, next to a server', async () => {
    await server.get(Tenants).create('acme', SERVER_ORIGIN);
    await sent(ALICE, { method: 'POST', path: '/v1/responses', body: { model: 'worker', input: MARKER } });
    const run = async (...args: readonly string[]): Promise<{ code: number; out: string }> => {
      let out = '';
      const terminal = {
        out: (line: string) => (out += `${line}\n`),
        note: () => undefined,
        input: () => Promise.resolve(''),
      };
      return { code: await runCli(['data', ...args], { ...database.env }, terminal), out };
    };
    expect((await run('receipt', PERSON, '--tenant', 'acme')).code).toBe(1);
    const tenant = ['--tenant', 'acme', '--json'];
    const { code, out } = await run('erase', PERSON, ...tenant, '--wait');
    expect([code, JSON.parse(out)]).toMatchObject([0, { status: 'done', counts: { sessions: 1, runs: 1 } }]);
    expect(JSON.parse((await run('receipt', PERSON, ...tenant)).out)).toEqual(JSON.parse(out));
    expect((await run('erase', '', ...tenant)).code).toBe(2);
    expect((await run('erase', PERSON, '--tenant', 'nowhere')).code).toBe(1);
  });
});

/** What a user who is blocked cannot do, besides starting runs. */
function blocked(): readonly Attempt[] {
  return [
    { method: 'PUT', path: '/api/v1/users/me/settings', body: { timezone: 'Europe/Berlin' } },
    {
      method: 'POST',
      path: '/process',
      body: { input: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], stream: false },
    },
    {
      method: 'POST',
      path: '/ag-ui',
      body: { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'Hi' }] },
    },
  ];
}

/** A transaction that has written something and is not over. */
async function blockingWriter({ env }: TestDatabase): Promise<Client> {
  const client = new Client({ connectionString: env.DATABASE_URL });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT pg_current_xact_id()');
  return client;
}

/** Where a word is, with what is around it. */
function surroundings(text: string, word: string): readonly string[] {
  const at = text.indexOf(word);
  return at < 0 ? [] : [text.slice(Math.max(0, at - 200), at + 100)];
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path) && statSync(path).isFile());
}

async function rowsOf({ kind, env }: TestDatabase): Promise<readonly string[]> {
  if (kind === 'sqlite') return [];
  const client = new Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
  );
  const rows: string[] = [];
  for (const { name } of tables.rows) {
    const found = await client.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t`);
    rows.push(...found.rows.map(({ row }) => row));
  }
  await client.end();
  return rows;
}

import { randomUUID } from 'node:crypto';
import { Tenants } from '../../src/access/index.js';
import { AttachmentService } from '../../src/agent/attachment/index.js';
import { Sessions } from '../../src/agent/session/index.js';
import { runCli } from '../../src/cli/index.js';
import { SERVER_ORIGIN, userReach } from '../../src/common/index.js';
import { Database } from '../../src/database/index.js';
import { RunQueries } from '../../src/run/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { person } from '../support/ledger.js';
import { MARK, noted, Notes, NotingModel, shareState, upload } from '../support/marked-content.js';
import { startServer, type TestServer } from '../support/server.js';
import { storedBytes } from '../support/stored-bytes.js';
import { until } from '../support/until.js';
import { RUNS_USER, type Wire, WIRES } from '../support/wires.js';

const KEYS = 'first:a-secret-of-the-first-key';
const NEXT = 'second:a-secret-of-the-second-key';
const ALICE = person('alice');

describeOnDatabases('encrypted content', (open) => {
  let database: TestDatabase;
  let server: TestServer | undefined;
  let model: NotingModel;
  let turn = 0;

  beforeEach(async () => {
    database = await open();
    model = new NotingModel();
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await database.drop();
  });

  const start = async (keys?: string): Promise<TestServer> => {
    await server?.close();
    server = undefined;
    const env = { DATA_ENCRYPTION_KEYS: keys };
    return (server = await startServer({ database, env, model, providers: [Notes] }));
  };
  const running = (): TestServer => server as TestServer;

  const say = async (
    wire: Wire,
    sessionId: string,
    words: string,
    user = wire.name === 'runs' ? RUNS_USER : 'alice',
  ) => {
    const { path, body, headers = [] } = wire.say({ sessionId, words, user, turn: (turn += 1) });
    const named = Object.fromEntries(headers.map((line) => line.split(': ') as [string, string]));
    const answer = await fetch(`${running().url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...named },
      body: JSON.stringify(body),
    });
    return { stream: await answer.text(), runId: answer.headers.get('x-run-id') ?? '' };
  };

  /** A session that every wire can name. */
  async function session(user: string): Promise<string> {
    const conversationId = randomUUID();
    const answer = await fetch(`${running().url}/v1/aibot/bots/worker/conversation`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user-id': user },
      body: JSON.stringify({ conversationId }),
    });
    expect(answer.status).toBe(200);
    return conversationId;
  }

  const conversation = async (sessionId: string, user = ALICE): Promise<string> =>
    JSON.stringify(await running().get(Sessions).messages(user, sessionId, { limit: 100, order: 'asc' }));

  const downloaded = async (url: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(new URL(new URL(url).pathname + new URL(url).search, running().url))).arrayBuffer());

  const data = async (...args: string[]): Promise<{ code: number; out: string; note: string }> =>
    cli(args.pop() as string, 'data', ...args);

  const cli = async (keys: string, ...args: string[]): Promise<{ code: number; out: string; note: string }> => {
    const output = { out: '', note: '' };
    const code = await runCli(
      args,
      { ...database.env, DATA_ENCRYPTION_KEYS: keys },
      {
        out: (line) => (output.out += `${line}\n`),
        note: (line) => (output.note += `${line}\n`),
        input: () => Promise.resolve(''),
      },
    );
    return { code, ...output };
  };

  /** Content of all kinds. Returns how to check that it is readable. */
  async function filled(): Promise<() => Promise<void>> {
    const told: { wire: Wire; sessionId: string; stream: string; runId: string }[] = [];
    for (const wire of WIRES) {
      const sessionId = await session(wire.name === 'runs' ? RUNS_USER : 'alice');
      told.push({ wire, sessionId, ...(await say(wire, sessionId, `Hello ${MARK}`)) });
    }
    const asked = await noted(running().url, 'asked');
    await shareState(running().url, 'shared');
    const { url, bytes } = await upload(running().url);
    return async () => {
      for (const { wire, sessionId, stream, runId } of told) {
        const user = person(wire.name === 'runs' ? RUNS_USER : 'alice');
        expect([wire.name, await conversation(sessionId, user)]).toEqual([
          wire.name,
          expect.stringContaining(`${MARK} answers Hello ${MARK}`) as string,
        ]);
        if (wire.name === 'agent-api' || wire.name === 'ag-ui') {
          const replay = await fetch(`${running().url}/runs/${runId}/events?protocol=${wire.name}`);
          expect(await replay.text()).toBe(stream);
        }
      }
      const queries = running().get(RunQueries);
      expect(JSON.stringify(await queries.details(userReach(ALICE), asked))).toContain('approved');
      expect((await running().get(Sessions).view(ALICE, 'shared'))?.state).toEqual({ secret: MARK });
      expect((await downloaded(url)).equals(bytes)).toBe(true);
      const { items } = await queries.list(userReach(ALICE), { text: MARK.toLowerCase(), limit: 50 });
      expect(items.map(({ inputText }) => inputText)).toContain(`Hello ${MARK}`);
      expect((await queries.list(userReach(ALICE), { text: 'Nowhere', limit: 50 })).items).toEqual([]);
    };
  }

  it('nothing that people, models and tools wrote is stored in the clear, and all of it is read after a restart', async () => {
    await start(KEYS);
    const check = await filled();
    await check();
    expect(await storedBytes(database)).not.toContain(MARK);
    await start(KEYS);
    await check();
    // The model gets the history in the clear.
    await say(WIRES[0] as Wire, 'again', `First ${MARK}`);
    await say(WIRES[0] as Wire, 'again', 'Second');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(`${MARK} answers First ${MARK}`);
    await running().close();
    expect(await storedBytes(database)).not.toContain(MARK);
  });

  it('what was stored before stays readable, and is encrypted by `reencrypt` while a server runs', async () => {
    await start();
    const check = await filled();
    await running().close();
    expect(await storedBytes(database)).toContain(MARK);
    await start(KEYS);
    await check();
    const { code, out, note } = await data('reencrypt', '--json', KEYS);
    expect([code, note]).toEqual([0, expect.stringContaining('Old backups are as they were') as string]);
    const counts = JSON.parse(out) as Record<string, number>;
    for (const table of [
      'runs',
      'run_event_chunks',
      'run_steps',
      'messages',
      'interrupts',
      'sessions',
      'attachment files',
    ])
      expect([table, counts[table]]).not.toEqual([table, 0]);
    await check();
    const again = JSON.parse((await data('reencrypt', '--json', KEYS)).out) as Record<string, number>;
    expect(Object.values(again).every((count) => count === 0)).toBe(true);
    await running().close();
    server = undefined;
    await data('reencrypt', '--vacuum', KEYS);
    expect(await storedBytes(database)).not.toContain(MARK);
  });

  it('the keys of the list are replaced one after another', async () => {
    await start(KEYS);
    const check = await filled();
    await start(`${NEXT},${KEYS}`);
    await check();
    const { out } = await data('reencrypt', '--json', `${NEXT},${KEYS}`);
    expect(JSON.parse(out)).toMatchObject({ 'data keys': expect.any(Number) as number, messages: 0 });
    await start(NEXT);
    await check();
    await running().close();
    server = undefined;
    await expect(start(KEYS)).rejects.toThrow('is encrypted with the key second, which DATA_ENCRYPTION_KEYS lacks');
    await expect(start()).rejects.toThrow(
      'The content of this database is encrypted, and DATA_ENCRYPTION_KEYS is not set',
    );
    await expect(start('second:another-secret-of-it')).rejects.toThrow('cannot be unwrapped');
  });

  it('content that was moved to another row, or changed, is refused, and never shown', async () => {
    await start(KEYS);
    const wire = WIRES[0] as Wire;
    await say(wire, 'one', `One ${MARK}`);
    await say(wire, 'two', `Two ${MARK}`);
    const sql = running().get(Database);
    const rows = await sql.read.all<{ session_no: number; body: string }>(
      'SELECT session_no, body FROM messages WHERE seq = 1 ORDER BY session_no',
    );
    const [first, second] = rows as [(typeof rows)[number], (typeof rows)[number]];
    const write = (body: string): Promise<number> =>
      sql.write((tx) =>
        tx.run('UPDATE messages SET body = ? WHERE session_no = ? AND seq = 1', [body, first.session_no]),
      );
    await write(second.body);
    await expect(conversation('one')).rejects.toThrow(/cannot be decrypted: it was changed, or belongs to another row/);
    await write(`${first.body.slice(0, -8)}AAAAAAA=`);
    await expect(conversation('one')).rejects.toThrow(/cannot be decrypted/);
    expect(await conversation('two')).toContain(MARK);
    await write(first.body);
    await sql.write((tx) => tx.run(`UPDATE sessions SET tenant_id = 'other' WHERE no = ?`, [first.session_no]));
    const moved = { ...ALICE, tenantId: 'other' };
    await expect(running().get(Sessions).messages(moved, 'one', { limit: 9, order: 'asc' })).rejects.toThrow(
      /not the one of the tenant/,
    );
  });

  it('text that looks encrypted is text', async () => {
    for (const keys of [undefined, KEYS]) {
      await start(keys);
      const words = `sealed:1:0123456789abcdef.${Buffer.from('x'.repeat(60)).toString('base64')}`;
      const sessionId = randomUUID();
      await say(WIRES[0] as Wire, sessionId, words);
      expect(await conversation(sessionId)).toContain(words);
    }
  });

  it('a tenant that gets another id keeps its content, and the new one of its name has none', async () => {
    await start(KEYS);
    await say(WIRES[0] as Wire, 'kept', `Hello ${MARK}`);
    await running().get(Tenants).rename('default', 'acme', SERVER_ORIGIN);
    const moved = { ...ALICE, tenantId: 'acme' };
    expect(await conversation('kept', moved)).toContain(MARK);
    await say(WIRES[0] as Wire, 'new', `Hello ${MARK}`);
    await start(KEYS);
    expect(await conversation('kept', moved)).toContain(MARK);
    expect(await conversation('new')).toContain(MARK);
    expect(await conversation('kept')).toBe('[]');
  });

  it('a run that cannot be read fails, and does not keep the others', async () => {
    await start(KEYS);
    const { runId } = await say(WIRES[0] as Wire, 'spoiled', `Hello ${MARK}`);
    const sql = running().get(Database);
    const text = `sealed:1:0123456789abcdef.${Buffer.alloc(60).toString('base64')}`;
    await sql.write((tx) =>
      tx.run(`UPDATE runs SET request = ?, status = 'queued', finished_at = NULL, attempt = 0 WHERE id = ?`, [
        text,
        runId,
      ]),
    );
    const state = async (): Promise<string | undefined> =>
      (await sql.read.all<{ status: string }>('SELECT status FROM runs WHERE id = ?', [runId]))[0]?.status;
    await until(async () => (await state()) === 'failed');
    await say(WIRES[0] as Wire, 'sound', `Hello ${MARK}`);
    expect(await conversation('sound')).toContain(`${MARK} answers`);
  });

  it('a command that is refused does not switch encryption on', async () => {
    await start();
    expect((await data('reencrypt', KEYS)).note).toContain('runs without this DATA_ENCRYPTION_KEYS');
    expect((await data('destroy-key', 'default', KEYS)).code).toBe(2);
    const sql = running().get(Database);
    expect(await sql.read.all('SELECT tenant_id FROM tenant_data_keys')).toEqual([]);
    await start();
  });

  it('a tenant whose key was destroyed has no content any more', async () => {
    await start(KEYS);
    await say(WIRES[0] as Wire, 'gone', `Hello ${MARK}`);
    const { url } = await upload(running().url);
    expect(await running().get(AttachmentService).resolve(ALICE, url)).toBeDefined();
    expect((await data('destroy-key', 'default', '--yes', KEYS)).note).toContain('Suspend the tenant default first');
    await running()
      .get(Database)
      .write((tx) => tx.run(`UPDATE tenants SET status = 'suspended'`));
    expect((await data('destroy-key', 'default', KEYS)).note).toContain('--yes');
    const sql = running().get(Database);
    const executing = `status = 'running', lease_owner = 'a/b', lease_until = 2000000000000`;
    await sql.write((tx) => tx.run(`UPDATE runs SET ${executing} WHERE session_id = 'gone'`));
    expect((await data('destroy-key', 'default', '--yes', KEYS)).note).toContain('Runs of this tenant wait');
    const ended = `status = 'completed', lease_owner = NULL, lease_until = 0`;
    await sql.write((tx) => tx.run(`UPDATE runs SET ${ended} WHERE session_id = 'gone'`));
    // A server would go on using the key that it has in memory.
    for (const args of [
      ['data', 'destroy-key', 'default', '--yes'],
      ['tenant', 'rename', 'default', 'acme'],
    ])
      expect(await cli(KEYS, ...args)).toMatchObject({
        code: 2,
        note: expect.stringContaining('stop all servers') as string,
      });
    await sql.write((tx) =>
      tx.run(
        `INSERT INTO schedules (id, tenant_id, user_id, name, plan, timezone, agent, input, session, overlap, catch_up,
          jitter_seconds, enabled, origin, created_at, anchor_at)
         VALUES ('sch', 'default', 'alice', 'n', '{}', 'UTC', 'a', '"x"', 'new', 'skip', 'last', 0, 1, 'api', 1, 1)`,
      ),
    );
    await running().close();
    server = undefined;
    const { code, note } = await data('destroy-key', 'default', '--yes', KEYS);
    expect([code, note]).toEqual([0, expect.stringContaining('1 schedules and 0 waiting deliveries') as string]);
    await cli(KEYS, 'tenant', 'resume', 'default');
    await start(KEYS);
    const left = `SELECT (SELECT COUNT(*) FROM schedules) + COUNT(*) AS n FROM runs WHERE events_pruned_at IS NULL`;
    expect(Number((await running().get(Database).read.all<{ n: number }>(left))[0]?.n)).toBe(0);
    await expect(conversation('gone')).rejects.toThrow(/cannot be decrypted/);
    await say(WIRES[0] as Wire, 'new', `Hello ${MARK}`);
    expect(await conversation('new')).toContain(MARK);
  });
});

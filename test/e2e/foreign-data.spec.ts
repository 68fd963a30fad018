import { randomUUID } from 'node:crypto';
import { call, finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { Database } from '../../src/database/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { NAMED_USERS } from '../support/identities.js';
import { attempts, type Attempt, CLAIMS, type Ids, LISTS, SAY } from '../support/foreign-requests.js';
import { png } from '../support/images.js';
import { done, SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';

/** What nobody but its owner may see. */
const SECRET = 'the-secret-of-alice';
const OWNER = 'alice@acme';
/** Another user of the same tenant, a user of another tenant, and one with the same name in another tenant. */
const STRANGERS = ['bob@acme', 'carol@other', 'alice@other'];

/** What the owner's requests for lists answer. */
interface Answered {
  readonly data: readonly { readonly id: string; readonly runId: string }[];
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

describeOnDatabases('the data of others', (openDatabase) => {
  let server: TestServer;
  let count = 0;

  beforeAll(async () => {
    server = await startServer({
      database: openDatabase,
      env: { USAGE: 'always' },
      overrides: [NAMED_USERS],
      providers: [SampleTools],
      model: new ScriptedModelClient(({ messages }) => {
        const last = messages.at(-1);
        const words = JSON.stringify(last?.content ?? '');
        if (last?.role !== 'user' || !words.includes('Pay')) {
          return [text(JSON.stringify(messages).includes(SECRET) ? `I remember ${SECRET}` : 'Hello'), finish()];
        }
        return [call(0, 'pay', `{"to":"${SECRET}","amount":1}`, `call-${(count += 1)}`), finish('tool-calls')];
      }),
    });
  });
  afterAll(() => server.close());

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
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  }

  async function json(token: string, attempt: Attempt): Promise<Answered> {
    const answer = await send(token, attempt);
    if (answer.status >= 300) throw new Error(`${attempt.path} answered ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body) as Answered;
  }

  /** A conversation of the owner: a finished run, then one that waits for an approval. */
  async function seed(start: (session: string, key: string, words: string) => Attempt): Promise<Ids> {
    const session = randomUUID();
    const key = randomUUID();
    const attachment = await upload();
    await json(OWNER, {
      method: 'POST',
      path: '/v1/aibot/bots/worker/conversation',
      body: { conversationId: session },
    });
    await send(OWNER, start(session, randomUUID(), `I am ${SECRET}`));
    await send(OWNER, start(session, key, 'Pay now'));
    const { data } = await json(OWNER, { method: 'GET', path: `/interrupts?session_id=${session}` });
    const [interrupt = { id: '', runId: '' }] = data;
    const items = await json(OWNER, { method: 'GET', path: `/v1/conversations/${session}/items` });
    return {
      session,
      key,
      run: interrupt.runId,
      message: items.data[0]?.id ?? '',
      interrupt: interrupt.id,
      attachment,
    };
  }

  async function upload(): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([png(2, 3, Math.random())], { type: 'image/png' }), `${SECRET}.png`);
    const headers = { authorization: `Bearer ${OWNER}` };
    const answer = await fetch(`${server.url}/api/v1/agent/attachments`, { method: 'POST', headers, body: form });
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { id: string }).id;
  }

  /** Every row of the owner, as text, in an order that does not depend on the database's plan. */
  async function ownRows(): Promise<readonly string[]> {
    const { read } = server.get(Database);
    const own = `SELECT no FROM sessions WHERE tenant_id = 'acme' AND user_id = 'alice'`;
    const rows = await Promise.all([
      read.all(`SELECT * FROM sessions WHERE no IN (${own}) ORDER BY no`),
      read.all(`SELECT * FROM runs WHERE session_no IN (${own}) ORDER BY no`),
      read.all(`SELECT * FROM messages WHERE session_no IN (${own}) ORDER BY session_no, seq`),
      read.all(`SELECT * FROM interrupts WHERE session_no IN (${own}) ORDER BY id`),
      read.all(
        `SELECT * FROM run_event_chunks WHERE run_no IN (SELECT no FROM runs WHERE session_no IN (${own})) ORDER BY 1, 2`,
      ),
      read.all(`SELECT * FROM attachments WHERE user_id = 'alice' AND tenant_id = 'acme' ORDER BY id`),
      read.all(`SELECT * FROM user_settings WHERE user_id = 'alice' AND tenant_id = 'acme'`),
    ]);
    return rows.flat().map((row) => JSON.stringify(row));
  }

  it.each(Object.entries(SAY))(
    'a conversation of %s cannot be read or changed by others, who cannot tell that it exists',
    async (_, start) => {
      const ids = await seed(start);
      const before = await ownRows();
      done.payments = [];
      const unknown: Ids = {
        session: randomUUID(),
        run: randomId(ids.run),
        key: randomUUID(),
        message: randomId(ids.message),
        interrupt: randomId(ids.interrupt),
        attachment: randomId(ids.attachment),
      };
      const wrong: string[] = [];
      const tryAll = async (stranger: string): Promise<void> => {
        const others = attempts(unknown);
        for (const [index, attempt] of attempts(ids).entries()) {
          const [foreign, absent] = await Promise.all([
            send(stranger, attempt),
            send(stranger, others[index] as Attempt),
          ]);
          const where = `${stranger} ${attempt.method} ${attempt.path} ${JSON.stringify(attempt.body ?? {}).slice(0, 160)}`;
          if (foreign.body.includes(SECRET)) wrong.push(`${where}: ${foreign.status} shows the secret`);
          if (foreign.status >= 500) wrong.push(`${where}: ${foreign.status} ${foreign.body}`);
          const [seen, expected] = [plain(foreign, attempt.begins), plain(absent, attempt.begins)];
          if (seen !== expected) {
            wrong.push(`${where}:\n${firstDifference(seen, expected)}`);
          }
        }
      };
      await Promise.all(STRANGERS.map(tryAll));
      expect(wrong).toEqual([]);
      expect(await ownRows()).toEqual(before);
      expect(done.payments).toEqual([]);
    },
    120_000,
  );

  it('lists show nothing of others', async () => {
    await seed(SAY['agent-api'] as (typeof SAY)[string]);
    for (const stranger of STRANGERS) {
      for (const list of LISTS) {
        const { body } = await send(stranger, list);
        // The namesake of another tenant is shown its own name.
        const namesOwner = !stranger.startsWith('alice@') && body.includes('alice');
        expect([list.path, body.includes(SECRET), namesOwner]).toEqual([list.path, false, false]);
      }
    }
  });

  it.each(CLAIMS)('a user who names another one is refused: $method $path $headers $body', async (claim) => {
    const { status, body } = await send('bob@acme', claim);
    expect([status, body]).toEqual([403, expect.stringMatching(/names another user/)]);
  });

  it('a reviewer with data:tenant sees and decides what the users of its tenant are asked, and watches their runs', async () => {
    const { interrupt, run, session } = await seed(SAY['ag-ui'] as (typeof SAY)[string]);
    const scopes = 'runs:read approvals:decide data:tenant';
    const [reviewer, foreigner] = [`eve@acme ${scopes}`, `eve@other ${scopes}`];
    const status = async (token: string, attempt: Attempt): Promise<number> => (await send(token, attempt)).status;
    const reads = [
      `/approvals/${interrupt}`,
      `/runs/${run}/events?protocol=ag-ui`,
      `/api/v1/runs/${run}`,
      `/api/v1/runs/${run}/timeline`,
      `/api/v1/sessions/${session}/messages`,
    ].map((path): Attempt => ({
      method: 'GET',
      path,
    }));
    for (const read of reads) {
      expect([await status(reviewer, read), await status(foreigner, read)]).toEqual([200, 404]);
    }
    const listed = async (token: string, path: string): Promise<boolean> =>
      (await json(token, { method: 'GET', path })).data.some(({ id }) => id === interrupt);
    expect(await listed(reviewer, '/approvals')).toBe(true);
    expect(await listed(reviewer, '/interrupts?user_id=alice')).toBe(true);
    expect(await listed(reviewer, '/approvals?user_id=bob')).toBe(false);
    expect(await listed(foreigner, '/approvals')).toBe(false);
    const runs = async (token: string, path: string): Promise<boolean> =>
      (await json(token, { method: 'GET', path })).data.some(({ id }) => id === run);
    expect(await runs(reviewer, '/api/v1/runs')).toBe(true);
    expect(await runs(reviewer, '/api/v1/runs?user=alice&status=interrupted')).toBe(true);
    expect(await runs(reviewer, '/api/v1/runs?user=bob')).toBe(false);
    expect(await runs(foreigner, '/api/v1/runs')).toBe(false);
    // Reading a run gives no right to stop it.
    const cancel: Attempt = { method: 'POST', path: `/api/v1/runs/${run}/cancel` };
    expect(await status(`${reviewer} runs:write`, cancel)).toBe(403);
    expect(await status(`${foreigner} runs:write`, cancel)).toBe(404);
    // Nothing else of the tenant is shown.
    expect(await status(reviewer, { method: 'GET', path: `/v1/responses/${run}` })).toBe(404);
    expect(await status(reviewer, { method: 'GET', path: `/api/v1/agent/runs/${session}` })).toBe(404);
    const decide: Attempt = { method: 'POST', path: `/approvals/${interrupt}`, body: { approve: false } };
    expect(await status(foreigner, decide)).toBe(404);
    expect(await json(reviewer, decide)).toMatchObject({
      status: 'denied',
      decidedBy: { actor: { id: 'eve' }, userId: 'eve' },
    });
  });

  it('there are at least 500 attempts', () => {
    const ids = { session: '', run: '', key: '', message: '', interrupt: '', attachment: '' };
    expect(attempts(ids).length * STRANGERS.length * Object.keys(SAY).length).toBeGreaterThanOrEqual(500);
  });
});

/** An id of the same form that was never given. */
function randomId(id: string): string {
  return id.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9]{12,}$/, (part) =>
    part.includes('-') ? randomUUID() : randomUUID().replaceAll('-', '').slice(0, part.length).padEnd(part.length, '0'),
  );
}

/** An answer without what differs from request to request: ids, times, and what is encrypted. */
function plain({ status, headers, body }: Answer, begins?: true): string {
  // Who begins an own conversation gets another one each time.
  if (begins) return String(status);
  const {
    date: _,
    'x-request-id': __,
    'x-run-id': ___,
    'content-length': ____,
    'keep-alive': _____,
    ...rest
  } = headers;
  const text = `${status} ${JSON.stringify(rest)} ${body}`
    .replace(/("encrypted_content":")[^"]*/g, '$1')
    .replace(/[\w-]*(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{10,13}\b/g, '<time>');
  return text;
}

/** Where two texts differ, with some text around. */
function firstDifference(seen: string, expected: string): string {
  const at = [...seen].findIndex((character, index) => character !== expected[index]);
  const from = Math.max(0, (at < 0 ? expected.length : at) - 60);
  return `  ${seen.slice(from, from + 160)}\n  ${expected.slice(from, from + 160)}`;
}

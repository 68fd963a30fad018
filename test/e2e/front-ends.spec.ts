import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ModelRequest } from '../../src/agent/index.js';
import { call, finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { type Connection, type HeaderTemplates, LibreChat, OpenWebUi } from '../support/front-ends.js';
import { GoldenTools } from '../support/golden.js';
import { apiKey, bearer } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const TURNS = 10;

/** The settings that docs/how-to/open-webui-and-librechat.md names. */
const CONNECTION_HEADERS = { 'X-Session-Id': '{{CHAT_ID}}', 'X-User-Id': '{{USER_ID}}' };
/** Without the id of the chat; with the user, whose limits count. */
const TASK_HEADERS = { 'X-User-Id': '{{USER_ID}}' };
const FORWARDED_HEADERS = { 'X-OpenWebUI-Chat-Id': '{{CHAT_ID}}', 'X-User-Id': '{{USER_ID}}' };
const LIBRECHAT_HEADERS = {
  'X-Session-Id': '{{LIBRECHAT_BODY_CONVERSATIONID}}',
  'X-User-Id': '{{LIBRECHAT_USER_ID}}',
};
const SCOPES = ['runs:write', 'runs:read', 'users:*', 'agents:*', 'tools:*', 'models:*'];

const model = new ScriptedModelClient(({ messages }: ModelRequest) => {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const said = JSON.stringify(messages[at]);
  const isFirst = messages.slice(at).every(({ role }) => role !== 'tool');
  if (said.includes('hold')) return [text('a'), { type: 'hang' }];
  if (said.includes('measure') && isFirst)
    return [call(0, 'read_thermometer', '{"city":"Paris"}', 'call_t'), finish('tool-calls')];
  if (said.includes('window') && isFirst)
    return [call(0, 'open_window', '{"room":"hall"}', 'call_w'), finish('tool-calls')];
  return [text(`Answer ${messages.length}`), finish()];
});

/** What chat interfaces get with the settings of docs/how-to/open-webui-and-librechat.md. */
describe.each(['none', 'keys'])('chat interfaces, AUTH=%s', (auth) => {
  let server: TestServer;
  let key = 'any';
  let chat = '';

  beforeAll(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'parley-limits-')), 'limits.json');
    const many = { requests: { perMinute: 60_000, burst: 10_000 }, runStarts: { perMinute: 60_000, burst: 10_000 } };
    writeFileSync(file, JSON.stringify({ user: many, tenant: many }));
    const env = { AUTH: auth, CHAT_SESSION_HEADERS: 'X-OpenWebUI-Chat-Id', LIMITS_FILE: file };
    server = await startServer({ model, env, providers: [GoldenTools] });
    if (auth === 'keys') key = await apiKey(server, { scopes: SCOPES });
  });
  beforeEach(() => (chat = randomUUID()));
  afterAll(() => server.close());

  const connection = (headers: HeaderTemplates = {}): Connection => ({ base: `${server.url}/v1`, key, headers });
  const asked = (path: string, user: string): Promise<Response> => {
    const credential = auth === 'keys' ? bearer(key) : {};
    return fetch(`${server.url}${path}`, { headers: { ...credential, 'x-user-id': user } });
  };
  async function list<T>(path: string, user = 'ana'): Promise<readonly T[]> {
    return ((await (await asked(path, user)).json()) as { readonly data: readonly T[] }).data;
  }
  /** How many messages the session of a user has; undefined if the user has no such session. */
  async function count(user: string, id = chat): Promise<number | undefined> {
    const sessions = await list<{ readonly id: string; readonly userId: string; readonly messageCount: number }>(
      '/api/v1/sessions',
      user,
    );
    return sessions.find((one) => one.id === id && one.userId === user)?.messageCount;
  }

  it('Open WebUI works as it is, with the agents as models, and leaves no conversation behind', async () => {
    const front = new OpenWebUi(chat, 'ana', connection());
    expect(await front.models()).toContain('worker');
    await front.say('one');
    const { tokens } = await front.say('two');
    expect(tokens).toBeGreaterThan(0);
    await front.runTasks();
    const { messages } = model.requests.at(-4) as ModelRequest;
    expect(messages.filter(({ role }) => role !== 'system')).toHaveLength(3);
    expect(await count('ana')).toBeUndefined();
  });

  it('Open WebUI shows calls of the server as thoughts, or as status lines', async () => {
    const thinking = await new OpenWebUi(chat, 'ana', connection()).say('measure');
    expect(thinking).toMatchObject({ text: expect.stringContaining('Answer'), statuses: [] });
    expect(thinking.thoughts).toContain('read_thermometer');
    const status = await new OpenWebUi(chat, 'ana', connection({ 'X-Tool-Trace': 'status' })).say('measure');
    expect(status.thoughts).toBe('');
    expect(status.statuses).toEqual([
      expect.stringContaining('read_thermometer'),
      expect.stringContaining('read_thermometer'),
    ]);
  });

  it.each([
    ['headers of its connection', CONNECTION_HEADERS],
    ['forwarded headers', FORWARDED_HEADERS],
  ])('Open WebUI has durable conversations of its user with %s, in which nothing is repeated', async (_, headers) => {
    const front = new OpenWebUi(chat, 'ana', connection(headers), connection(TASK_HEADERS));
    expect(await front.models()).toContain('worker');
    for (let turn = 0; turn < TURNS; turn += 1) {
      await front.say(`turn ${turn}`);
      await front.runTasks();
    }
    expect([await count('ana'), await count('bob')]).toEqual([2 * TURNS, undefined]);
    const { messages } = model.requests.at(-4) as ModelRequest;
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(TURNS);
  });

  it('tasks of Open WebUI become turns where they carry the id of the chat', async () => {
    const front = new OpenWebUi(chat, 'ana', connection(FORWARDED_HEADERS));
    await front.say('one');
    await front.runTasks();
    expect(await count('ana')).toBe(8);
  });

  it('an answer that Open WebUI asks for again is a further turn', async () => {
    const front = new OpenWebUi(chat, 'ana', connection(CONNECTION_HEADERS));
    await front.say('one');
    await front.regenerate();
    expect(await count('ana')).toBe(4);
  });

  it('the stop button of Open WebUI cancels the run, and the conversation goes on', async () => {
    const front = new OpenWebUi(chat, 'ana', connection(CONNECTION_HEADERS));
    await front.sayAndStop('hold');
    await until(async () => {
      const [run] = await list<{ readonly status: string }>(`/api/v1/runs?session=${chat}`);
      return run?.status === 'canceled';
    }, 'the run is cancelled');
    expect((await front.say('and now?')).text).toContain('Answer');
  });

  it('an approval is told in words, and is open elsewhere', async () => {
    const front = new OpenWebUi(chat, 'ana', connection(CONNECTION_HEADERS));
    const { text: said } = await front.say('window');
    expect(said).toContain('open_window');
    expect(JSON.stringify(await list('/approvals'))).toContain(chat);
  });

  it('LibreChat has a durable conversation of its user, in which nothing is repeated', async () => {
    const front = new LibreChat(chat, 'ana', connection(LIBRECHAT_HEADERS));
    expect(await front.models()).toContain('worker');
    for (let turn = 0; turn < TURNS; turn += 1) expect(await front.say(`turn ${turn}`)).toContain('Answer');
    expect([await count('ana'), await count('bob')]).toEqual([2 * TURNS, undefined]);
  });
});

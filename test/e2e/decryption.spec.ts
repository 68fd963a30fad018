import { AttachmentService } from '../../src/agent/attachment/index.js';
import { Sessions } from '../../src/agent/session/index.js';
import { runCli } from '../../src/cli/index.js';
import { userReach } from '../../src/common/index.js';
import { Database } from '../../src/database/index.js';
import { RunQueries } from '../../src/run/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { person } from '../support/ledger.js';
import { MARK, noted, Notes, NotingModel, shareState, upload } from '../support/marked-content.js';
import { ProcessClient } from '../support/process-client.js';
import { startServer, type TestServer } from '../support/server.js';
import { storedBytes } from '../support/stored-bytes.js';

const KEYS = 'first:a-secret-of-the-first-key';
const ALICE = person('alice');
/** Text of a person that could be taken for encrypted text. */
const LOOKS_SEALED = `sealed:1:0123456789abcdef.${Buffer.from('x'.repeat(60)).toString('base64')}`;

describeOnDatabases('the way back from encryption', (open) => {
  let database: TestDatabase;
  let server: TestServer | undefined;

  beforeEach(async () => (database = await open()));
  afterEach(async () => {
    await stop();
    await database.drop();
  });

  async function stop(): Promise<void> {
    await server?.close();
    server = undefined;
  }

  async function start(env: NodeJS.ProcessEnv): Promise<TestServer> {
    await stop();
    return (server = await startServer({ database, env, model: new NotingModel(), providers: [Notes] }));
  }
  const encrypting = (): Promise<TestServer> => start({ DATA_ENCRYPTION_KEYS: KEYS });
  const leaving = (): Promise<TestServer> => start({ DATA_ENCRYPTION_KEYS: KEYS, DATA_ENCRYPTION: 'off' });

  async function say({ url }: TestServer, session_id: string, text: string): Promise<string> {
    const input = [{ role: 'user', content: [{ type: 'text', text }] }];
    const { frames } = await (await new ProcessClient(url).open({ input, session_id, user_id: 'alice' })).all();
    return String(frames.at(-1)?.id);
  }

  async function conversation(running: TestServer, sessionId: string): Promise<string> {
    return JSON.stringify(await running.get(Sessions).messages(ALICE, sessionId, { limit: 100, order: 'asc' }));
  }

  interface Outcome {
    readonly code: number;
    readonly out: string;
    readonly note: string;
  }
  const decrypt = (...args: string[]): Promise<Outcome> => data(['decrypt', ...args]);

  async function data(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    const output = { out: '', note: '' };
    const env = { ...database.env, DATA_ENCRYPTION_KEYS: KEYS, ...more };
    const code = await runCli(['data', ...args], env, {
      out: (line) => (output.out += `${line}\n`),
      note: (line) => (output.note += `${line}\n`),
      input: () => Promise.resolve(''),
    });
    return { code, ...output };
  }

  /** Content of all kinds. Returns how to check that a server reads it. */
  async function filled(running: TestServer): Promise<(other: TestServer) => Promise<void>> {
    await say(running, 'told', `Hello ${MARK}`);
    await say(running, 'looks-sealed', LOOKS_SEALED);
    const asked = await noted(running.url, 'asked');
    await shareState(running.url, 'shared');
    const { url, bytes } = await upload(running.url);
    return async (other) => {
      expect(await conversation(other, 'told')).toContain(`${MARK} answers Hello ${MARK}`);
      expect(await conversation(other, 'looks-sealed')).toContain(LOOKS_SEALED);
      const queries = other.get(RunQueries);
      expect(JSON.stringify(await queries.details(userReach(ALICE), asked))).toContain('approved');
      expect((await other.get(Sessions).view(ALICE, 'shared'))?.state).toEqual({ secret: MARK });
      const { pathname, search } = new URL(url);
      const image = await fetch(other.url + pathname + search);
      expect(Buffer.from(await image.arrayBuffer()).equals(bytes)).toBe(true);
      expect(await other.get(AttachmentService).resolve(ALICE, url)).toBeDefined();
      const { items } = await queries.list(userReach(ALICE), { text: MARK.toLowerCase(), limit: 50 });
      expect(items.map(({ inputText }) => inputText)).toContain(`Hello ${MARK}`);
    };
  }

  it('servers with the keys store in the clear, and `decrypt` does the rest', async () => {
    let running = await encrypting();
    const check = await filled(running);
    expect(await storedBytes(database)).not.toContain(MARK);
    const refused = await decrypt();
    expect([refused.code, refused.note]).toEqual([2, expect.stringMatching(/The server .+ (encrypts|runs)/) as string]);

    running = await leaving();
    await check(running);
    await say(running, 'plain', 'In the clear');
    expect(await storedBytes(database)).toContain('In the clear');
    expect(await storedBytes(database)).not.toContain(`Hello ${MARK}`);
    if (database.kind === 'sqlite') {
      expect((await decrypt()).note).toContain('stop it first');
      await stop();
    }
    const back = await data(['reencrypt'], { DATA_ENCRYPTION: 'off' });
    expect(back).toMatchObject({ code: 2, note: expect.stringContaining('nothing would be encrypted') as string });
    const { code, out, note } = await decrypt('--json');
    expect([code, note]).toEqual([0, expect.stringContaining('Nothing is encrypted any more') as string]);
    const counts = JSON.parse(out) as Record<string, number>;
    for (const kind of ['runs', 'run_event_chunks', 'run_steps', 'messages', 'interrupts', 'sessions', 'data keys'])
      expect([kind, counts[kind]]).not.toEqual([kind, 0]);
    expect(counts).toMatchObject({ 'attachment files': 1, unreadable: 0 });
    if (server) await check(server);

    running = await start({});
    await check(running);
    expect(await conversation(running, 'plain')).toContain('In the clear');
    await stop();
    expect(await storedBytes(database)).toContain(MARK);
  });

  it('ends only when all content could be decrypted', async () => {
    let running = await encrypting();
    const runId = await say(running, 'spoiled', `Hello ${MARK}`);
    const setRequest = (text: string): Promise<unknown> =>
      running.get(Database).write((tx) => tx.run('UPDATE runs SET request = ? WHERE id = ?', [text, runId]));
    await setRequest(`sealed:1:0123456789abcdef.${Buffer.alloc(60).toString('base64')}`);
    await stop();
    const { code, note } = await decrypt();
    expect([code, note]).toEqual([1, expect.stringContaining('1 rows and files cannot be decrypted') as string]);
    await expect(start({})).rejects.toThrow('is encrypted, and DATA_ENCRYPTION_KEYS is not set');
    running = await leaving();
    expect(await conversation(running, 'spoiled')).toContain(`${MARK} answers`);
    await setRequest('{}');
    await stop();
    expect(await decrypt()).toMatchObject({ code: 0 });
    expect(await conversation(await start({}), 'spoiled')).toContain(`${MARK} answers`);
  });
});

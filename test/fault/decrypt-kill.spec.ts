import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openDatabase } from '../../src/database/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { ALICE, LEASE, Ledger, lines, logWrite, nextId, settingsOf, userText } from '../support/ledger.js';
import { storedBytes } from '../support/stored-bytes.js';

const SCRIPT = join(__dirname, '../../scripts/manage.mjs');
const KEYS = { DATA_ENCRYPTION_KEYS: 'k1:a-secret-of-the-first-key' };
const MARK = 'Zanzibar';
const SESSIONS = 300;
/** The first command may have to build the server. */
const TIMEOUT_MS = 300_000;

describeOnDatabases('a decryption that is killed', (open) => {
  let database: TestDatabase;
  beforeEach(async () => (database = await open()));
  afterEach(() => database.drop());

  const start = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [SCRIPT, ...args], { env: { ...process.env, ...database.env, ...KEYS }, stdio: 'ignore' });

  const withKeys = (): TestDatabase => ({ ...database, env: { ...database.env, ...KEYS } });

  it(
    'is continued by the next one, and nothing is lost',
    async () => {
      const sealed = await Ledger.open(withKeys());
      const runs = [];
      for (let index = 0; index < SESSIONS; index += 1) {
        const sessionId = nextId('session');
        const { run } = await sealed.accept({ sessionId, input: [userText(`${MARK} ${index}`)] }, { lease: LEASE });
        const output = { text: `${MARK} ${index}` };
        const step = {
          key: 'model:0',
          status: 'finished',
          inputHash: 'h',
          output,
          messageIds: [],
          updatedAt: 0,
        } as const;
        await sealed.commits.append([logWrite(run, { lines: lines(0, 3), steps: [step] })]);
        runs.push(run);
      }
      await sealed.database.close();
      expect(await storedBytes(database)).not.toContain(MARK);
      // It may have to build the server.
      await once(start(['tenant', 'list']), 'exit');

      let isDone = false;
      let killed = 0;
      for (let afterMs = 1200; !isDone; afterMs += 100) {
        const child = start(['data', 'decrypt']);
        const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
        const [code] = (await once(child, 'exit')) as [number | null];
        clearTimeout(timer);
        isDone = code === 0;
        if (!isDone) killed += 1;
        expect([0, null]).toContain(code);
        await expectWhole(runs, isDone ? database : withKeys());
      }
      expect(killed).toBeGreaterThan(0);
      expect(await storedBytes(database)).not.toContain('sealed:1:');
    },
    TIMEOUT_MS,
  );

  /** All content, whether it is encrypted still or not. */
  async function expectWhole(
    runs: readonly { rowId: number; sessionRowId: number; id: string }[],
    opening: TestDatabase,
  ): Promise<void> {
    const opened = await openDatabase(settingsOf(opening));
    const { sessions, log, runs: store } = Ledger.on(database, opened);
    for (const [index, { rowId, sessionRowId, id }] of runs.entries()) {
      expect(JSON.stringify(await sessions.history(sessionRowId, 2, 9))).toContain(`${MARK} ${index}`);
      expect((await log.read(rowId, 0, 9)).map(({ json }) => json)).toEqual(lines(0, 3));
      expect(await log.steps(rowId)).toMatchObject([{ output: { text: `${MARK} ${index}` } }]);
      expect((await store.find(ALICE, id))?.request).toBeDefined();
    }
    await opened.close();
  }
});

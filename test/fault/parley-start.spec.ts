import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVER_FLAG } from '../../src/runtime/index.js';
import { postgresDatabase } from '../support/databases.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';

const POSTGRES = process.env['TEST_DATABASE_URL'];
const PROGRAM = join(__dirname, '../../bin/parley.mjs');
const TIMEOUT_MS = 60_000;

/** A process that `parley start` has begun. */
interface Begun {
  readonly pid: number;
  readonly flags: readonly string[];
}

describe('parley start', () => {
  let folder: string;
  let port: number;
  let program: ChildProcess;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-start-'));
    // Each process of Node notes with which flags it was begun.
    const note = `require('fs').appendFileSync(process.env.BEGUN, JSON.stringify({pid: process.pid, flags: process.execArgv}) + '\\n')`;
    writeFileSync(join(folder, 'note.cjs'), note);
    writeFileSync(join(folder, 'begun'), '');
    port = await freePort();
  });
  afterEach(() => {
    for (const { pid } of begun()) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  const begun = (): readonly Begun[] =>
    readFileSync(join(folder, 'begun'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Begun);

  const answers = async (): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    return answer?.ok === true;
  };

  async function start(env: NodeJS.ProcessEnv = {}, options = ''): Promise<void> {
    const { PATH, HOME, TMPDIR } = process.env;
    const NODE_OPTIONS = `--require ${join(folder, 'note.cjs')} ${options}`;
    const settings = { DATA_DIR: folder, PORT: String(port), BEGUN: join(folder, 'begun'), LOG_LEVEL: 'warn' };
    program = spawn(process.execPath, [PROGRAM, 'start'], {
      cwd: folder,
      env: { PATH, HOME, TMPDIR, NODE_OPTIONS, ...settings, ...env },
      stdio: 'ignore',
    });
    await until(async () => program.exitCode !== null || (await answers()), 'the server answers', TIMEOUT_MS);
  }

  /** How the program ended: its exit code, or the signal. */
  async function end(): Promise<number | string | null> {
    if (program.exitCode !== null) return program.exitCode;
    const [code, signal] = (await once(program, 'exit')) as [number | null, string | null];
    return code ?? signal;
  }

  const isGone = (): Promise<unknown> =>
    until(() => begun().every(({ pid }) => !isRunning(pid)), 'all processes have ended', TIMEOUT_MS);

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'runs the server with the flag of npm start, and %s stops it in order',
    async (signal) => {
      await start();
      expect(begun().map(({ flags }) => flags)).toEqual([[], [SERVER_FLAG]]);
      program.kill(signal);
      expect(await end()).toBe(0);
      await isGone();
    },
    TIMEOUT_MS,
  );

  it(
    'has one process if the flag is set already',
    async () => {
      await start({}, '--max-semi-space-size=16');
      expect(begun()).toHaveLength(1);
      program.kill('SIGTERM');
      expect(await end()).toBe(0);
    },
    TIMEOUT_MS,
  );

  (POSTGRES ? it : it.skip)(
    'with several processes, on PostgreSQL, gives each the flag',
    async () => {
      const database = await postgresDatabase(POSTGRES ?? '');
      await start({ WORKERS: '2', ...database.env });
      await until(() => begun().length === 4, 'all processes have begun', TIMEOUT_MS);
      expect(begun().map(({ flags }) => flags)).toEqual([[], [SERVER_FLAG], [SERVER_FLAG], [SERVER_FLAG]]);
      await until(answers, 'the server answers', TIMEOUT_MS);
      program.kill('SIGTERM');
      expect(await end()).toBe(0);
      await isGone();
      await database.drop();
    },
    TIMEOUT_MS,
  );

  it(
    'ends with the exit code of a server that cannot start, and with the signal that kills it',
    async () => {
      await start({ PORT: 'none' });
      expect(await end()).toBe(1);
      await start();
      process.kill(begun().at(-1)?.pid ?? 0, 'SIGKILL');
      expect(await end()).toBe('SIGKILL');
    },
    TIMEOUT_MS,
  );

  it(
    'stops the server when it is killed itself',
    async () => {
      await start();
      program.kill('SIGKILL');
      await isGone();
    },
    TIMEOUT_MS,
  );
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresDatabase, sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { png } from '../support/images.js';
import { runInput, RunsClient, type RunsStream } from '../support/runs-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const SCRIPT = join(__dirname, '../../scripts/backup.mjs');
const POSTGRES = process.env.TEST_DATABASE_URL;
/** A server starts twice, on a machine that may be busy. */
const TIMEOUT_MS = 120_000;
const hasTools = POSTGRES !== undefined && spawnSync('pg_dump', ['--version']).status === 0;

/** What a client has before the backup. */
interface Known {
  readonly threadId: string;
  readonly runId: string;
  /** All frames, byte for byte. */
  readonly events: string;
}

/** An upload and its content. */
interface Upload {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Runs to their end, one after another, until it is stopped. */
class Traffic {
  readonly ended: Known[] = [];
  private stopped = false;
  private readonly working: Promise<void>;

  constructor(private readonly client: RunsClient) {
    this.working = this.work();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.working;
  }

  private async work(): Promise<void> {
    while (!this.stopped) this.ended.push(await finishedRun(this.client));
  }
}

async function finishedRun(client: RunsClient): Promise<Known> {
  const input = runInput('hello');
  return { threadId: String(input.threadId), runId: String(input.runId), events: await whole(client.stream(input)) };
}

/** All frames of a stream, to its end. */
async function whole(opening: Promise<RunsStream>): Promise<string> {
  return (await (await opening).all()).raw;
}

async function upload(url: string, seed: number): Promise<Upload> {
  const bytes = png(4, 4, seed);
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'sketch.png');
  const answer = await fetch(`${url}/api/v1/agent/attachments`, { method: 'POST', body: form });
  const { url: signed } = (await answer.json()) as { url: string };
  const { pathname, search } = new URL(signed);
  return { path: pathname + search, bytes };
}

/** What was known before a backup is in the restored server, byte for byte, and that server works. */
async function expectRestored(url: string, runs: readonly Known[], file: Upload): Promise<void> {
  const client = new RunsClient(url);
  for (const { threadId, runId, events } of runs) {
    expect(await whole(client.events(threadId, `?runId=${runId}`))).toBe(events);
  }
  const content = await fetch(url + file.path);
  expect(Buffer.from(await content.arrayBuffer())).toEqual(file.bytes);
  expect((await finishedRun(client)).events).toContain('RUN_FINISHED');
}

/** A copy of a server's data: a folder, and a database in PostgreSQL. */
async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), 'parley-backup-'));
  try {
    await work(join(parent, 'copy'));
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

/** Makes a backup of a server at work, and starts another one with it. */
async function backUpAndRestore(
  database: TestDatabase,
  backUp: () => Promise<void>,
  restored: () => Promise<TestDatabase>,
): Promise<void> {
  const server = await ServerProcess.start(database);
  let copy: ServerProcess | undefined;
  try {
    const file = await upload(server.url, 1);
    const traffic = new Traffic(new RunsClient(server.url));
    await until(() => traffic.ended.length >= 2);
    const known = [...traffic.ended];
    await backUp();
    await traffic.stop();
    await server.kill();
    copy = await ServerProcess.start(await restored());
    await expectRestored(copy.url, known, file);
  } finally {
    await server.stop();
    await copy?.stop();
  }
}

describe('a backup of a server at work', () => {
  const node = (args: readonly string[], env: object): Promise<unknown> =>
    run(process.execPath, [SCRIPT, ...args], { env: { PATH: process.env.PATH, ...env } });

  it(
    'of SQLite has everything that was committed before, also what is only in the write-ahead log',
    async () => {
      const database = await sqliteDatabase();
      try {
        await withFolder((folder) =>
          backUpAndRestore(
            database,
            async () => void (await node([folder], database.env)),
            () => Promise.resolve({ ...database, env: { DATA_DIR: folder } }),
          ),
        );
      } finally {
        await database.drop();
      }
    },
    TIMEOUT_MS,
  );

  it(
    'of SQLite is refused when the folder is not empty, without a database, and for PostgreSQL',
    async () => {
      const database = await sqliteDatabase();
      const { DATA_DIR } = database.env;
      try {
        await withFolder(async (folder) => {
          await expect(node([folder], { DATA_DIR })).rejects.toMatchObject({
            code: 1,
            stderr: expect.stringContaining('There is no database') as string,
          });
          await expect(node([], { DATA_DIR })).rejects.toMatchObject({
            code: 2,
            stderr: expect.stringContaining('Usage') as string,
          });
          const env = { DATA_DIR, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
          await expect(node([folder], env)).rejects.toMatchObject({
            code: 1,
            stderr: expect.stringContaining('pg_dump') as string,
          });
          await (await ServerProcess.start(database)).stop();
          await expect(node([DATA_DIR], { DATA_DIR })).rejects.toMatchObject({
            code: 1,
            stderr: expect.stringContaining('is not empty') as string,
          });
        });
      } finally {
        await database.drop();
      }
    },
    TIMEOUT_MS,
  );

  (hasTools ? it : it.skip)(
    'of PostgreSQL is a dump and the files of the server (skipped without TEST_DATABASE_URL or pg_dump)',
    async () => {
      const server = POSTGRES ?? '';
      const [database, target] = [await postgresDatabase(server), await postgresDatabase(server)];
      try {
        await withFolder((folder) =>
          backUpAndRestore(
            database,
            async () => {
              await run('pg_dump', ['--format=custom', `--file=${folder}.dump`, database.env.DATABASE_URL ?? '']);
              await cp(database.env.DATA_DIR, folder, { recursive: true });
            },
            async () => {
              await run('pg_restore', ['--exit-on-error', `--dbname=${target.env.DATABASE_URL}`, `${folder}.dump`]);
              return { ...target, env: { ...target.env, DATA_DIR: folder } };
            },
          ),
        );
      } finally {
        await database.drop();
        await target.drop();
      }
    },
    TIMEOUT_MS,
  );
});

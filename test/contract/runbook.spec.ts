import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase as openMigrated } from '../../src/database/index.js';
import { MetricsServer } from '../../src/telemetry/index.js';
import { postgresDatabase, sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { settingsOf } from '../support/ledger.js';
import { startServer, type TestServer } from '../support/server.js';

const run = promisify(execFile);
const ROOT = join(__dirname, '../..');
const RUNBOOK = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
const COMMANDS = [...RUNBOOK.matchAll(/^```shell\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
);
const beginningWith = (program: string): readonly string[] => COMMANDS.filter((line) => line.startsWith(program));

const postgres = process.env.TEST_DATABASE_URL ?? '';
const hasPsql = postgres !== '' && spawnSync('psql', ['--version']).status === 0;
if (!hasPsql) console.warn('The statements of the runbook are skipped: they need TEST_DATABASE_URL and psql');

describe('the commands of docs/runbook.md', () => {
  let database: TestDatabase;
  let server: TestServer;
  let runId: string;

  beforeAll(async () => {
    database = await sqliteDatabase();
    server = await startServer({ database, env: { METRICS_PORT: '0' } });
    const input = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
    const response = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: 'runbook', input, stream: false }),
    });
    runId = ((await response.json()) as { id: string }).id;
  });
  afterAll(async () => {
    await server.close();
    await database.drop();
  });

  it.each(beginningWith('curl'))('%s', async (command) => {
    const here = command
      .replaceAll('http://127.0.0.1:8090', server.url)
      .replaceAll('http://127.0.0.1:9464', `http://127.0.0.1:${server.get(MetricsServer).port}`)
      .replaceAll('RUN_ID', runId);
    expect((await run('bash', ['-c', here], { cwd: ROOT })).stdout).not.toBe('');
  });

  it.each(beginningWith('npm run'))('%s', (command) => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    expect(Object.keys(scripts)).toContain(command.split(' ')[2]);
  });

  it('no other program is needed than those of the system', () => {
    const programs = new Set(COMMANDS.map((line) => line.split(' ')[0]));
    expect([...programs].sort()).toEqual(['curl', 'df', 'npm', 'psql', 'timedatectl']);
  });
});

(hasPsql ? describe : describe.skip)('the statements of docs/runbook.md', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await postgresDatabase(postgres);
    await (await openMigrated(settingsOf(database))).close();
  });
  afterAll(() => database.drop());

  it.each(beginningWith('psql'))('%s', async (command) => {
    const env = { PATH: process.env.PATH ?? '', ...database.env };
    await run('bash', ['-c', command.replace('psql', 'psql -v ON_ERROR_STOP=1')], { env });
  });
});

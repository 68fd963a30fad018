import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiKeys } from '../../src/access/index.js';
import { SERVER_ORIGIN } from '../../src/common/index.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { apiKey } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';
import { issuerKey, TokenIssuer } from '../support/token-issuer.js';

const run = promisify(execFile);
const ROOT = join(__dirname, '../..');
const GUIDE = readFileSync(join(ROOT, 'docs/access.md'), 'utf8');
const BLOCKS = [...GUIDE.matchAll(/^```shell\n([\s\S]*?)^```/gm)].map(([, block = '']) =>
  block.replace(/\\\n\s*/g, ''),
);
/** Each command on its own; those that start a server are shown elsewhere. */
const COMMANDS = BLOCKS.flatMap((block) => block.trim().split('\n')).filter((line) => !line.includes('npm start'));
const REQUESTS = BLOCKS.map((block) => block.trim()).filter((block) => block.startsWith('curl'));

describe('the commands of docs/access.md', () => {
  let database: TestDatabase;
  let issuer: TokenIssuer;
  let server: TestServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await sqliteDatabase();
    issuer = await TokenIssuer.start(await issuerKey('key'));
    const known = { alias: 'company', issuer: issuer.url, audience: ['parley'], algorithms: ['ES256'] };
    const issuers = [{ ...known, tenant: { fixed: 'default' } }];
    server = await startServer({ database, env: { AUTH: 'keys,oidc', OIDC_ISSUERS: JSON.stringify(issuers) } });
    const scopes = ['runs:write', 'runs:read', 'admin:keys', 'admin:budgets'];
    env = {
      ...database.env,
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      PARLEY_KEY: await apiKey(server),
      ADMIN_KEY: await apiKey(server, { account: 'admin', scopes }),
      BACKEND_KEY: await apiKey(server, { account: 'backend', scopes: ['runs:write', 'runs:read', 'users:*'] }),
      ACCESS_TOKEN: await issuer.token(),
    };
  });
  afterAll(async () => {
    await server.close();
    await issuer.close();
    await database.drop();
  });

  const shell = async (command: string): Promise<string> =>
    (await run('bash', ['-c', command], { cwd: ROOT, env })).stdout;

  it.each(REQUESTS)('%s', async (request) => {
    const here = request.replaceAll('http://127.0.0.1:8090', server.url);
    const stdout = await shell(here.replace(/^curl /, 'curl --fail-with-body --silent --show-error --max-time 20 '));
    expect(stdout).not.toBe('');
    expect(stdout).not.toContain('"status":"failed"');
  });

  it.each(COMMANDS.filter((line) => /npm run (--silent )?(key|tenant) /.test(line)))('%s', async (line) => {
    const { secret, key } = await server.get(ApiKeys).create(
      'default',
      { account: 'guide', userId: null },
      {
        name: 'cli:test',
        origin: SERVER_ORIGIN,
        authorize: () => undefined,
      },
    );
    const file = join(database.env['DATA_DIR'] ?? '', 'key.txt');
    writeFileSync(file, secret);
    const command = line
      .replace(/npm run (--silent )?(key|tenant) --/g, 'node scripts/manage.mjs $2')
      .replace(/npm run (--silent )?(key|tenant) /g, 'node scripts/manage.mjs $2 ')
      .replace(/\bID\b/, key.id)
      .replace('key.txt', file);
    await shell(command);
  });
});

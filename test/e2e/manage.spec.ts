import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { runCli } from '../../src/cli/index.js';
import { TenantLimits } from '../../src/access/index.js';
import { Clock } from '../../src/common/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { bearer } from '../support/keys.js';
import { ManualClock } from '../support/manual-clock.js';
import { startServer, type TestServer } from '../support/server.js';

const SCRIPT = join(__dirname, '../../scripts/manage.mjs');
const SECRET = /^parley_sk_[0-9A-Za-z]{61}\n$/;
/** The first command may have to build the server. */
const BUILD_TIMEOUT_MS = 240_000;

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ShownKey {
  readonly id: string;
  readonly status: string;
  readonly scopes: readonly string[];
  readonly [field: string]: unknown;
}

describeOnDatabases('npm run key and npm run tenant', (open) => {
  let database: TestDatabase;
  /** Runs beside the commands. */
  let server: TestServer;
  const clock = new ManualClock();

  beforeAll(async () => {
    database = await open();
    server = await startServer({ database, env: { AUTH: 'keys' }, overrides: [{ provide: Clock, useValue: clock }] });
    await script(['key', 'list']);
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    await server.close();
    await database.drop();
  });

  /** In a process of its own, as npm runs it. */
  async function script(args: readonly string[], input = ''): Promise<Outcome> {
    const env = { ...process.env, ...database.env };
    const child = spawn(process.execPath, [SCRIPT, ...args], { env, stdio: 'pipe' });
    child.stdin.end(input);
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, stdout, stderr };
  }

  /** In this process. */
  async function run(args: readonly string[], input = ''): Promise<Outcome> {
    const output = { stdout: '', stderr: '' };
    const code = await runCli(
      args,
      { ...database.env },
      {
        out: (line) => (output.stdout += `${line}\n`),
        note: (line) => (output.stderr += `${line}\n`),
        input: () => Promise.resolve(input),
      },
    );
    return { code, ...output };
  }

  async function json<T>(...args: string[]): Promise<T> {
    return JSON.parse((await run([...args, '--json'])).stdout) as T;
  }

  async function create(...args: string[]): Promise<{ secret: string; key: ShownKey }> {
    const command = ['key', 'create', '--tenant', 'default', '--account', 'ci'];
    const { secret, ...key } = await json<ShownKey & { secret: string }>(...command, ...args);
    return { secret, key };
  }

  const statusWith = async (secret: string): Promise<number> =>
    (await fetch(`${server.url}/v1/models`, { headers: bearer(secret) })).status;

  it('create writes the key alone to stdout, and a running server accepts it', async () => {
    const { code, stdout, stderr } = await script(['key', 'create', '--tenant', 'default', '--account', 'ci']);
    expect(code).toBe(0);
    expect(stdout).toMatch(SECRET);
    expect(stderr).toContain('The key is shown only this once');
    expect(stderr).not.toContain(stdout.trim().slice(22));
    expect(await statusWith(stdout.trim())).toBe(200);
  });

  it('create applies its options, and 90 days and two scopes without them', async () => {
    const { key } = await create();
    expect(key).toMatchObject({ scopes: ['runs:write', 'runs:read'], user: null, networks: null, status: 'active' });
    const lifetime = Date.parse(String(key['expiresAt'])) - Date.parse(String(key['createdAt']));
    expect(lifetime).toBe(90 * 86_400_000);
    const options = ['--scopes', 'runs:read users:*', '--user', 'alice', '--name', 'A key', '--expires', 'never'];
    const chosen = await create(...options, '--network', '10.0.0.0/8', '--network', '::1');
    expect(chosen.key).toMatchObject({
      account: 'ci',
      scopes: ['runs:read', 'users:*'],
      user: 'alice',
      name: 'A key',
      expiresAt: null,
      networks: ['10.0.0.0/8', '::1'],
    });
    expect(chosen.key['createdBy']).toMatch(/^cli:/);
  });

  it('list, show and check describe a key without its secret', async () => {
    const { secret, key } = await create('--name', 'shown');
    const keys = await json<ShownKey[]>('key', 'list', '--tenant', 'default');
    expect(keys.find(({ id }) => id === key.id)).toEqual(key);
    expect(await json('key', 'list', '--tenant', 'nobody')).toEqual([]);
    expect(await json('key', 'show', key.id)).toEqual(key);
    const checked = await script(['key', 'check'], `${secret}\n`);
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(checked.stdout).toMatch(new RegExp(`^id +${key.id}$`, 'm'));
    for (const command of [
      ['key', 'list'],
      ['key', 'show', key.id],
    ]) {
      const { stdout, stderr } = await run(command);
      expect(stdout).toContain(key.id);
      expect(stdout + stderr + checked.stdout).not.toContain(secret.slice(22, 65));
    }
  });

  it('check fails for a key of nobody, with a typing error, and a revoked one', async () => {
    const { secret, key } = await create();
    expect(await run(['key', 'check'], `${secret.slice(0, -1)}!`)).toMatchObject({ code: 1, stdout: '' });
    expect(await run(['key', 'check'], '')).toMatchObject({ code: 1, stdout: '' });
    await run(['key', 'revoke', key.id]);
    const revoked = await run(['key', 'check'], secret);
    expect(revoked.code).toBe(1);
    expect(revoked.stdout).toMatch(/^status +revoked$/m);
  });

  it('a revoked key is refused by a running server after 5 s', async () => {
    const { secret, key } = await create();
    expect(await statusWith(secret)).toBe(200);
    expect((await script(['key', 'revoke', key.id])).code).toBe(0);
    clock.advance(5000);
    expect(await statusWith(secret)).toBe(401);
  });

  it('rotate makes a second key, once; both work until the overlap ends', async () => {
    const { secret, key } = await create('--scopes', 'runs:read');
    const rotated = await run(['key', 'rotate', key.id, '--overlap', '1h']);
    expect(rotated.code).toBe(0);
    expect(rotated.stdout).toMatch(SECRET);
    expect([await statusWith(secret), await statusWith(rotated.stdout.trim())]).toEqual([200, 200]);
    const again = await run(['key', 'rotate', key.id]);
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: 'This key was already rotated\n' });
    clock.advance(3_600_000);
    expect([await statusWith(secret), await statusWith(rotated.stdout.trim())]).toEqual([401, 200]);
  });

  it.each([
    ['no command', ['key'], 'A command is missing'],
    ['an unknown command', ['key', 'destroy'], 'There is no command key destroy'],
    ['an unknown option', ['key', 'list', '--all'], "Unknown option '--all'"],
    ['a missing option', ['key', 'create', '--account', 'ci'], '--tenant is missing'],
    ['a missing id', ['key', 'show'], 'ID is missing'],
    ['one argument too many', ['tenant', 'create', 'one', 'two'], 'two is unexpected'],
    [
      'an unknown scope',
      ['key', 'create', '--tenant', 'default', '--account', 'ci', '--scopes', 'runs'],
      'scopes must',
    ],
    [
      'an invalid expiry',
      ['key', 'create', '--tenant', 'default', '--account', 'ci', '--expires', '90'],
      'expires must',
    ],
    [
      'an invalid network',
      ['key', 'create', '--tenant', 'default', '--account', 'ci', '--network', 'x'],
      'networks must',
    ],
    ['an invalid account', ['key', 'create', '--tenant', 'default', '--account', 'C I'], 'account must'],
    ['an invalid tenant id', ['tenant', 'create', 'A B'], 'id must'],
  ])('%s ends with exit code 2 and the usage', async (_, args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain('Usage:\n  npm run ');
  });

  it('the exit code of a usage error reaches the shell', async () => {
    expect(await script(['key', 'show'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('a key as an argument is refused and not repeated', async () => {
    const { secret } = await create();
    for (const args of [
      ['key', 'show', secret],
      ['key', secret],
      ['key', 'check', `--key=${secret}`],
    ]) {
      const { code, stdout, stderr } = await run(args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).not.toContain(secret.slice(10, 65));
    }
  });

  it('unknown keys and tenants end with exit code 1', async () => {
    expect(await run(['key', 'show', 'nobody'])).toMatchObject({ code: 1, stderr: 'API key not found\n' });
    expect(await run(['tenant', 'suspend', 'nobody'])).toMatchObject({
      code: 1,
      stderr: 'There is no tenant nobody\n',
    });
    const unknown = await run(['key', 'create', '--tenant', 'nobody', '--account', 'ci']);
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: 'There is no tenant nobody\n' });
  });

  it('limits of a tenant are shown, and replaced by those on stdin', async () => {
    const limits = { user: { runStarts: { perMinute: 1, burst: 1 } } };
    await run(['tenant', 'create', 'limited']);
    expect(await run(['tenant', 'limits', 'limited'])).toMatchObject({ code: 0, stdout: '{}\n' });
    const changed = await run(['tenant', 'limits', 'limited', '--set'], JSON.stringify(limits));
    expect([changed.code, JSON.parse(changed.stdout)]).toEqual([0, limits]);
    expect(JSON.parse((await run(['tenant', 'limits', 'limited'])).stdout)).toEqual(limits);
    for (const wrong of ['{"user":{"activeRuns":0}}', '{"users":{}}', 'none']) {
      expect(await run(['tenant', 'limits', 'limited', '--set'], wrong)).toMatchObject({ code: 2, stdout: '' });
    }
    expect(await run(['tenant', 'limits', 'nobody'])).toMatchObject({ code: 1 });
    expect(await run(['tenant', 'limits', 'nobody', '--set'], '{}')).toMatchObject({ code: 1 });
    expect((await server.get(TenantLimits).read('limited')).overrides).toEqual(limits);
  });

  it('for how long the data of a tenant is kept is shown, and replaced by what is on stdin', async () => {
    const periods = { events: '1d', conversations: 'off' };
    await run(['tenant', 'create', 'retained']);
    expect(await run(['tenant', 'retention', 'retained'])).toMatchObject({ code: 0, stdout: '{}\n' });
    const changed = await run(['tenant', 'retention', 'retained', '--set'], JSON.stringify(periods));
    expect([changed.code, JSON.parse(changed.stdout)]).toEqual([0, periods]);
    for (const wrong of ['{"audit":"1d"}', '{"everything":"1d"}', 'none']) {
      expect(await run(['tenant', 'retention', 'retained', '--set'], wrong)).toMatchObject({ code: 2, stdout: '' });
    }
    expect(JSON.parse((await run(['tenant', 'retention', 'retained'])).stdout)).toEqual(periods);
    expect(await run(['tenant', 'retention', 'nobody'])).toMatchObject({ code: 1 });
  });

  it('tenants are created, suspended, resumed and renamed', async () => {
    expect(await json('tenant', 'create', 'acme', '--name', 'Acme Inc.')).toMatchObject({
      id: 'acme',
      status: 'active',
    });
    expect(await run(['tenant', 'create', 'acme'])).toMatchObject({ code: 1 });
    const { secret } = await json<{ secret: string }>('key', 'create', '--tenant', 'acme', '--account', 'backend');
    expect(await statusWith(secret)).toBe(200);
    await run(['tenant', 'suspend', 'acme']);
    clock.advance(5000);
    expect(await statusWith(secret)).toBe(401);
    await run(['tenant', 'resume', 'acme']);
    clock.advance(5000);
    expect(await statusWith(secret)).toBe(200);
    expect((await run(['tenant', 'rename', 'acme', 'acme-2'])).code).toBe(0);
    clock.advance(5000);
    expect(await statusWith(secret)).toBe(200);
    const tenants = await json<{ id: string; name: string }[]>('tenant', 'list');
    expect(tenants.map(({ id }) => id)).toEqual(['acme-2', 'default', 'limited', 'retained']);
    expect(tenants[0]?.name).toBe('Acme Inc.');
  });

  it('help is written to stdout', async () => {
    expect(await run(['key', '--help'])).toMatchObject({ code: 0, stderr: '' });
  });
});

import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { InstalledPackage } from '../support/installed-package.js';
import { withProjectServer } from '../support/own-project.js';
import { expectShownAnswers } from '../support/shown-questions.js';

/** Packing, extracting and the compiler of the project, on a busy machine. */
const TIMEOUT_MS = 240_000;

describe('the package', () => {
  let installed: InstalledPackage;
  const here = (): NodeJS.ProcessEnv => ({ DATA_DIR: join(installed.folder, 'data'), LOG_LEVEL: 'silent' });

  beforeAll(() => {
    installed = InstalledPackage.create();
  }, TIMEOUT_MS);
  afterAll(() => installed.remove());

  it('holds the build, the command line, the templates, the examples and nothing else', () => {
    const places = new Set(installed.files.map((file) => file.replace(/^(dist\/[^/]+|[^/]+)(\/.*)?$/, '$1')));
    places.delete('dist/console');
    expect([...places].sort()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'bin',
        'dist/client',
        'dist/package.json',
        'dist/src',
        'examples',
        'package.json',
        'templates',
      ].sort(),
    );
    expect(
      installed.files.filter((file) => /\.spec\.|\/testing\/|\.map$|\.ts$/.test(file) && !isShipped(file)),
    ).toEqual([]);
    expect(installed.files).toContain('dist/src/database/migrations/postgres/index.js');
    expect(statSync(installed.tarball).size).toBeLessThan(4 * 1024 * 1024);
  });

  it.each(['esm', 'cjs'])(
    'its exports can be imported from %s',
    async (kind) => {
      const names = ['serve', 'AgentType', 'AgentTool', 'ToolError', 'ModelLoop'];
      const check = `if (![${names.map((name) => `parley.${name}`).join(', ')}].every((one) => typeof one === 'function')) process.exit(1);
      if (typeof events.ResponseBuilder !== 'function' || typeof testing.startTestServer !== 'function' || typeof client.ParleyClient !== 'function') process.exit(2);`;
      const esm = `import * as parley from 'parley-server'; import * as events from 'parley-server/events'; import * as testing from 'parley-server/testing'; import * as client from 'parley-server/client';`;
      const cjs = `const parley = require('parley-server'), events = require('parley-server/events'), testing = require('parley-server/testing'), client = require('parley-server/client');`;
      const file = kind === 'esm' ? 'import.mjs' : 'import.cjs';
      installed.write(file, `${kind === 'esm' ? esm : cjs}\n${check}\n`);
      expect(await installed.run(process.execPath, [file])).toMatchObject({ code: 0, stderr: '' });
    },
    TIMEOUT_MS,
  );

  it('nothing else of it can be imported', async () => {
    installed.write('deep.mjs', `await import('parley-server/dist/src/app.module.js');`);
    expect((await installed.run(process.execPath, ['deep.mjs'])).stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it(
    'parley migrate creates the tables, once',
    async () => {
      const first = await installed.parley(['migrate'], here());
      expect(first).toMatchObject({ code: 0 });
      expect(first.stdout).toContain('Applied CreateLedger');
      expect((await installed.parley(['migrate'], here())).stdout).toBe('No migration is pending\n');
    },
    TIMEOUT_MS,
  );

  it(
    'parley key creates a key, and its usage names the command',
    async () => {
      const created = await installed.parley(['key', 'create', '--tenant', 'default', '--account', 'me'], here());
      expect(created.stdout).toMatch(/^parley_sk_\w+\n$/);
      expect((await installed.parley(['key', 'drop'], here())).stderr).toContain('  npx parley key create');
    },
    TIMEOUT_MS,
  );

  it(
    'parley openapi prints the committed document',
    async () => {
      const { stdout } = await installed.parley(['openapi']);
      const committed = readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8');
      expect(JSON.parse(stdout)).toEqual(JSON.parse(committed));
    },
    TIMEOUT_MS,
  );

  it(
    'another TypeORM than its own is refused in one sentence',
    async () => {
      const own = join(installed.folder, 'node_modules/parley-server/node_modules');
      mkdirSync(own);
      symlinkSync(join(__dirname, '../node_modules/typeorm-03'), join(own, 'typeorm'));
      try {
        const { code, stderr } = await installed.parley(['migrate'], here());
        expect(stderr).toMatch(/^Parley needs TypeORM 1\.\S+ but finds 0\.3\.\d+: remove typeorm from the overrides/);
        expect(code).toBe(1);
      } finally {
        rmSync(own, { recursive: true });
      }
    },
    TIMEOUT_MS,
  );

  // Several parts of the server use Redis; the first that is created asks.
  it.each([
    [{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, ['pg']],
    [{ LIMITS_STORE: 'redis', REDIS_URL: 'redis://127.0.0.1:1' }, ['ioredis', 'bullmq']],
    [{ ATTACHMENT_STORE: 's3', S3_BUCKET: 'files' }, ['@aws-sdk/client-s3']],
  ] as const)(
    'parley start with %j asks for the missing driver',
    async (env, names) => {
      const start = await installed.parley(['start'], { ...here(), PORT: '0', ...env });
      const asks = names.map(
        (name) =>
          ` needs the package ${name}, which is not installed. Install it with: npm install ${name}@${packageJson.optionalDependencies[name]}`,
      );
      const last = start.stderr.trim().split('\n').at(-1) ?? '';
      expect(asks.filter((sentence) => last.endsWith(sentence))).toHaveLength(1);
      expect(start.code).toBe(1);
    },
    TIMEOUT_MS,
  );

  it(
    'parley start answers the questions of the README as the README says',
    async () => {
      const args = [join(installed.folder, 'node_modules/parley-server/bin/parley.mjs'), 'start'];
      const readme = readFileSync(join(installed.folder, 'node_modules/parley-server/README.md'), 'utf8');
      const ask = (url: string): Promise<void> => expectShownAnswers(readme, url);
      expect(await withProjectServer(installed.folder, ask, { args, env: here() })).toBe(0);
    },
    TIMEOUT_MS,
  );

  it.each([
    [[], 'A command is missing.'],
    [['fly'], 'There is no command fly.'],
    [['init'], 'FOLDER is missing.'],
    [['migrate', 'now'], 'now is unexpected.'],
  ])('parley %j is refused with the usage', async (args, complaint) => {
    const { code, stderr } = await installed.parley(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^${complaint}\\n\\nUsage: parley COMMAND`));
  });

  it(
    'create-parley runs parley init of the server in its version',
    async () => {
      const script = join(__dirname, '../../packages/create-parley/index.mjs');
      const { code, stdout } = await installed.run(process.execPath, [script, 'my-created'], {
        npm_config_offline: 'true',
      });
      expect(stdout).toContain('  cd my-created\n  npm install\n');
      expect(code).toBe(0);
    },
    TIMEOUT_MS,
  );

  describe('parley init', () => {
    beforeAll(async () => {
      const { code, stdout } = await installed.parley(['init', 'my-agent']);
      expect(code).toBe(0);
      expect(stdout).toContain('  cd my-agent\n  npm install\n  npm test\n  npm start\n');
    });

    it('writes a project that depends on a copy of the tarball', () => {
      const manifest = JSON.parse(readFileSync(join(installed.folder, 'my-agent/package.json'), 'utf8')) as {
        name: string;
        dependencies: Record<string, string>;
      };
      expect(manifest.name).toBe('my-agent');
      expect(manifest.dependencies['parley-server']).toBe(`file:vendor/parley-server-${packageJson.version}.tgz`);
      expect(Object.keys(manifest.dependencies)).not.toContain('pg');
      const copy = readFileSync(join(installed.folder, `my-agent/vendor/parley-server-${packageJson.version}.tgz`));
      expect(copy.equals(readFileSync(installed.tarball))).toBe(true);
    });

    it(
      'npm test of the project passes',
      async () => {
        const tests = await installed.run('npm', ['test'], {}, 'my-agent');
        expect(`${tests.stdout}${tests.stderr}`).toContain('# pass 2');
        expect(tests.code).toBe(0);
      },
      TIMEOUT_MS,
    );

    it(
      'the project answers the question of its README as the README says',
      async () => {
        const project = join(installed.folder, 'my-agent');
        const readme = readFileSync(join(project, 'README.md'), 'utf8');
        expect(await withProjectServer(project, (url) => expectShownAnswers(readme, url))).toBe(0);
      },
      TIMEOUT_MS,
    );

    it.each([
      ['my-agent', 'my-agent exists and is not empty. Choose another folder.'],
      ['My Agent', '"My Agent" cannot be the name of a project'],
    ])('refuses the folder %s', async (folder, message) => {
      const { code, stderr } = await installed.parley(['init', folder]);
      expect(code).toBe(1);
      expect(stderr).toContain(message);
    });
  });
});

/** Declarations, and the sources of templates and examples. */
function isShipped(file: string): boolean {
  return file.endsWith('.d.ts') || /^(templates\/project|examples\/[^/]+)\/((page\/)?src|test)\/[^/]+\.ts$/.test(file);
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { freePort } from '../support/free-port.js';
import { InstalledPackage, type ProgramEnd } from '../support/installed-package.js';
import { codeOf } from '../support/page-code.js';
import { until } from '../support/until.js';

/** Packing, and the tests of an example, on a busy machine. */
const TIMEOUT_MS = 240_000;
const EXAMPLES = readdirSync(join(__dirname, '../../examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** What a started example prints, besides the address of the server. */
const PRINTED: Readonly<Record<string, RegExp>> = { 'scheduled-job': /Report: reports\/\d{4}-\d{2}-\d{2}\.md/ };

describe('the examples of the package', () => {
  let installed: InstalledPackage;
  const started: ChildProcess[] = [];

  beforeAll(() => {
    installed = InstalledPackage.create();
  }, TIMEOUT_MS);
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
    installed.remove();
  });

  /** Runs a program of an installed package in a project. */
  function runModule(module: string, args: readonly string[], cwd: string): Promise<ProgramEnd> {
    const env = { PATH: `${join(installed.folder, 'node_modules/.bin')}:${process.env['PATH']}` };
    return installed.run(process.execPath, [join(installed.folder, 'node_modules', module), ...args], env, cwd);
  }

  /** Starts a project as `npm start` does, and resolves when it serves and has printed what is expected. */
  async function start(cwd: string, expected: RegExp): Promise<ChildProcess> {
    const port = await freePort();
    const { PATH, HOME, TMPDIR } = process.env;
    const env = { PATH: `${join(installed.folder, 'node_modules/.bin')}:${PATH}`, HOME, TMPDIR, PORT: String(port) };
    const child = spawn(process.execPath, ['dist/src/main.js'], { cwd: join(installed.folder, cwd), env });
    started.push(child);
    let printed = '';
    const note = (bytes: Buffer): void => void (printed += bytes.toString());
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    const isUp = (): boolean => expected.test(printed) && printed.includes(`:${port}`);
    await until(() => isUp() || child.exitCode !== null, 'the example has started', 60_000);
    expect(printed).toMatch(expected);
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    return child;
  }

  describe.each(EXAMPLES)('%s', (name) => {
    beforeAll(async () => {
      const { code, stderr } = await installed.parley(['init', name, '--example', name]);
      expect([code, stderr]).toEqual([0, '']);
      symlinkSync('../node_modules', join(installed.folder, name, 'node_modules'));
      compile(join(installed.folder, name));
    }, TIMEOUT_MS);

    it(
      'passes its tests',
      async () => {
        const tests = readdirSync(join(installed.folder, name, 'dist/test')).filter((file) =>
          file.endsWith('.test.js'),
        );
        const files = tests.map((file) => `dist/test/${file}`);
        const env = { PATH: `${join(installed.folder, 'node_modules/.bin')}:${process.env['PATH']}` };
        const { code, stdout } = await installed.run(process.execPath, ['--test', ...files], env, name);
        expect(code === 0 ? '' : stdout).toBe('');
        expect(stdout).toMatch(/^# pass [1-9]/m);
      },
      TIMEOUT_MS,
    );

    it(
      'starts and stops',
      async () => {
        const child = await start(name, PRINTED[name] ?? /http:\/\//);
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        expect(await ended).toEqual([0, null]);
      },
      TIMEOUT_MS,
    );
  });

  it('an unknown example is refused with the names of those that exist', async () => {
    const { code, stderr } = await installed.parley(['init', 'mine', '--example', 'nothing']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`The examples are ${EXAMPLES.sort().join(', ')}.`)]);
  });

  describe('with other test runners, as the guide says', () => {
    const code = codeOf('docs/how-to/test-an-agent.md', 'approval');

    it(
      'Vitest runs a test without configuration',
      async () => {
        installed.write('approval/test/refunds.spec.ts', code.get('test/refunds.spec.ts') ?? '');
        const {
          code: exit,
          stdout,
          stderr,
        } = await runModule('vitest/vitest.mjs', ['run', 'refunds.spec'], 'approval');
        expect(exit === 0 ? '' : `${stdout}${stderr}`).toBe('');
        expect(stdout).toMatch(/Tests .*1 passed/);
      },
      TIMEOUT_MS,
    );

    it(
      'jest runs the same test with a configuration',
      async () => {
        const test = code.get('test/refunds.spec.ts') ?? '';
        installed.write('approval/jest.config.cjs', code.get('jest.config.cjs') ?? '');
        installed.write('approval/test/refunds.jest.spec.ts', test.replace(`'vitest'`, `'@jest/globals'`));
        const { code: exit, stdout, stderr } = await runModule('jest/bin/jest.js', ['refunds.jest'], 'approval');
        expect(exit === 0 ? '' : `${stdout}${stderr}`).toBe('');
        expect(stderr).toMatch(/Tests: +1 passed/);
      },
      TIMEOUT_MS,
    );
  });
});

/** Compiles a project without the checks of types, which the compiler of this repository makes. */
function compile(project: string): void {
  for (const folder of ['src', 'test']) {
    for (const file of readdirSync(join(project, folder)).filter((name) => name.endsWith('.ts'))) {
      const { code } = transformFileSync(join(project, folder, file), {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
        },
        module: { type: 'es6' },
      });
      const output = join(project, 'dist', folder, file.replace(/ts$/, 'js'));
      mkdirSync(dirname(output), { recursive: true });
      writeFileSync(output, code);
    }
  }
}

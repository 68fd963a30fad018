import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { InstalledPackage, type ProgramEnd } from '../support/installed-package.js';
import { compileProject, withProjectServer } from '../support/own-project.js';
import { codeOf } from '../support/page-code.js';
import { expectShownAnswers, shownAs } from '../support/shown-questions.js';

/** Packing, and the tests of an example, on a busy machine. */
const TIMEOUT_MS = 240_000;
const EXAMPLES = readdirSync(join(__dirname, '../../examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** What a started example prints, besides the address of the server. */
const PRINTED: Readonly<Record<string, RegExp>> = { 'scheduled-job': /Report: reports\/\d{4}-\d{2}-\d{2}\.md/ };

/** What a started example writes into a folder, as its README shows it. */
const WRITTEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'scheduled-job': {
    reports: 'The tool open_orders answered: id: A-1001, promised: 2026-11-20, late: true; id: A-1002, …',
  },
};

describe('the examples of the package', () => {
  let installed: InstalledPackage;

  beforeAll(() => {
    installed = InstalledPackage.create();
  }, TIMEOUT_MS);
  afterAll(() => installed.remove());

  /** Runs a program of an installed package in a project. */
  function runModule(module: string, args: readonly string[], cwd: string): Promise<ProgramEnd> {
    const env = { PATH: `${join(installed.folder, 'node_modules/.bin')}:${process.env['PATH']}` };
    return installed.run(process.execPath, [join(installed.folder, 'node_modules', module), ...args], env, cwd);
  }

  describe.each(EXAMPLES)('%s', (name) => {
    beforeAll(async () => {
      const { code, stderr } = await installed.parley(['init', name, '--example', name]);
      expect([code, stderr]).toEqual([0, '']);
      symlinkSync('../node_modules', join(installed.folder, name, 'node_modules'));
      compileProject(join(installed.folder, name));
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
      'starts, answers the questions of its README as the README says, and stops',
      async () => {
        const project = join(installed.folder, name);
        const page = readFileSync(join(project, 'README.md'), 'utf8');
        const ask = async (url: string): Promise<void> => {
          if (!(name in WRITTEN)) await expectShownAnswers(page, url);
        };
        expect(await withProjectServer(project, ask, { expected: PRINTED[name] })).toBe(0);
        for (const [file, text] of Object.entries(WRITTEN[name] ?? {})) {
          const [written = ''] = readdirSync(join(project, file)).slice(-1);
          const content = readFileSync(join(project, file, written), 'utf8').trim();
          expect(content).toBe(shownAs(text, content));
          expect(page).toContain(text);
        }
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

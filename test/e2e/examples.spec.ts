import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json';
import testPackages from '../package.json';
import { freePort } from '../support/free-port.js';
import { InstalledPackage, type ProgramEnd } from '../support/installed-package.js';
import { compileProject, withProjectServer } from '../support/own-project.js';
import { codeOf } from '../support/page-code.js';
import { expectShownAnswers, shownAs } from '../support/shown-questions.js';
import { until } from '../support/until.js';

/** Packing, and the tests of an example, on a busy machine. */
const TIMEOUT_MS = 240_000;
const FOLDER = join(__dirname, '../../examples');
const EXAMPLES = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => existsSync(join(FOLDER, name, 'src')));

/** What the manifest of an example says of packages. */
interface ExamplePackages {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** What a started example writes into a folder, as its README shows it. */
const WRITTEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'scheduled-job': {
    reports: 'The tool open_orders answered: id: A-1001, promised: 2026-11-20, late: true; id: A-1002, …',
  },
};

/** The second server of an example: its program, the port that the README names, and how the two find each other. */
interface Partner {
  readonly program: string;
  readonly port: string;
  /** The variable with the address of the second server, and the one with that of the first. */
  readonly urls: { readonly ofIt: string; readonly ofFirst: string };
  readonly path: string;
}
const PARTNERS: Readonly<Record<string, Partner>> = {
  a2a: {
    program: 'dist/src/warehouse.js',
    port: '8091',
    urls: { ofIt: 'WAREHOUSE_URL', ofFirst: 'SHOP_URL' },
    path: '/a2a',
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
          const written = WRITTEN[name];
          if (!written) return expectShownAnswers(page, url);
          const [path = ''] = /\/api\/v1\/schedules\/\w+\/run/.exec(page) ?? [];
          expect((await fetch(`${url}${path}`, { method: 'POST' })).status).toBe(202);
          const isWritten = (folder: string): boolean => {
            const files = existsSync(join(project, folder)) ? readdirSync(join(project, folder)) : [];
            return files.some((file) => file.endsWith('.md'));
          };
          await until(() => Object.keys(written).every(isWritten), 'the example has written its files', TIMEOUT_MS / 2);
        };
        const partner = PARTNERS[name];
        if (partner) await expectPartners(project, page, partner);
        else expect(await withProjectServer(project, ask)).toBe(0);
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

  /** Starts both servers of an example and asks each what the README asks it. */
  async function expectPartners(project: string, page: string, { program, port, urls, path }: Partner): Promise<void> {
    const [firstPort, secondPort] = [await freePort(), await freePort()];
    const [first, second] = [firstPort, secondPort].map((one) => `http://127.0.0.1:${one}`);
    const ask = async (url: string): Promise<void> => {
      const start = { env: { PORT: String(secondPort), [urls.ofFirst]: `${first}${path}` }, args: [program] };
      const both = (secondUrl: string): Promise<void> => expectShownAnswers(page, url, { [port]: secondUrl });
      expect(await withProjectServer(project, both, start)).toBe(0);
    };
    const env = { PORT: String(firstPort), [urls.ofIt]: `${second}${path}` };
    expect(await withProjectServer(project, ask, { env })).toBe(0);
  }

  it('the packages of an example are those that its tests use', () => {
    for (const name of EXAMPLES.filter((one) => existsSync(join(FOLDER, one, 'manifest.json')))) {
      const manifest = JSON.parse(readFileSync(join(FOLDER, name, 'manifest.json'), 'utf8')) as ExamplePackages;
      const needed = { ...manifest.dependencies, ...manifest.devDependencies };
      const tested: Readonly<Record<string, string>> = { ...packageJson.dependencies, ...testPackages.dependencies };
      expect(needed).toEqual(Object.fromEntries(Object.keys(needed).map((one) => [one, tested[one]])));
    }
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

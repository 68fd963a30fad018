import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/free-port.js';
import { InstalledPackage, type ProgramEnd } from '../support/installed-package.js';
import { compileProject, withProjectServer } from '../support/own-project.js';
import { codeOf } from '../support/page-code.js';
import { expectShownAnswers, questionsOf } from '../support/shown-questions.js';

/** Packing, the compiler and a server, on a busy machine. */
const TIMEOUT_MS = 240_000;
/** The tutorials that build on each other, in their order. */
const STEPS = ['first-tool', 'approval', 'mcp'];

describe('the tutorials', () => {
  let installed: InstalledPackage;

  beforeAll(async () => {
    installed = InstalledPackage.create();
    expect(await installed.parley(['init', 'my-agent'])).toMatchObject({ code: 0 });
    for (const step of STEPS) writeCode('my-agent', codeOf(`docs/tutorials/${step}.md`, 'project'));
    symlinkSync('../node_modules', join(installed.folder, 'my-agent/node_modules'));
  }, TIMEOUT_MS);
  afterAll(() => installed.remove());

  function writeCode(project: string, code: ReadonlyMap<string, string>): void {
    expect(code.size).toBeGreaterThan(0);
    for (const [file, text] of code) installed.write(`${project}/${file}`, text);
  }

  /** The text of a tutorial. */
  function pageOf(name: string): string {
    return readFileSync(join(__dirname, `../../docs/tutorials/${name}.md`), 'utf8');
  }

  /** Runs all tests of a compiled project. */
  function runTests(project: string): Promise<ProgramEnd> {
    const tests = readdirSync(join(installed.folder, project, 'dist/test')).filter((file) => file.endsWith('.test.js'));
    return installed.run(process.execPath, ['--test', ...tests.map((file) => `dist/test/${file}`)], {}, project);
  }

  it(
    'deploy: a server that wants a key is started, asked and stopped',
    async () => {
      const port = String(await freePort());
      const script = (codeOf('docs/tutorials/deploy.md', 'deploy').get('try.sh') ?? '')
        .replaceAll('8090', port)
        .replaceAll('npx parley', 'node node_modules/parley-server/bin/parley.mjs');
      const { code, stdout, stderr } = await installed.run('bash', ['-ec', script], { PORT: port }, 'my-agent');
      expect(code === 0 ? '' : `${stdout}${stderr}`).toBe('');
      expect(stdout).toContain('"status":"completed"');
      for (const { outcome } of questionsOf(pageOf('deploy'))) expect(stdout).toContain(outcome);
      expect(stdout).toMatch(/^401$/m);
    },
    TIMEOUT_MS,
  );

  it(
    `${STEPS.join(', ')}: the project compiles and its tests pass after all steps`,
    async () => {
      const { code, stdout } = await runTests('my-agent');
      expect(code === 0 ? '' : stdout).toBe('');
      expect(stdout).toMatch(/^# pass 8$/m);
    },
    TIMEOUT_MS,
  );

  it(
    'the offline model answers the questions of the tutorials as they say',
    async () => {
      const project = join(installed.folder, 'my-agent');
      compileProject(project);
      const ask = async (url: string): Promise<void> => {
        for (const name of ['first-agent', ...STEPS]) await expectShownAnswers(pageOf(name), url);
        const agents = (await (await fetch(`${url}/api/v1/agents`)).json()) as { data: { name: string }[] };
        expect(agents.data.map(({ name }) => name)).toEqual(['orders']);
      };
      expect(await withProjectServer(project, ask, { env: { MCP_SERVERS_FILE: 'mcp-servers.json' } })).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'embed: the application compiles and its test passes',
    async () => {
      writeCode('shop', codeOf('docs/tutorials/embed.md', 'embed'));
      installed.write('shop/package.json', '{"type":"module"}');
      for (const file of ['tsconfig.json', 'node_modules'])
        symlinkSync(`../my-agent/${file}`, join(installed.folder, 'shop', file));
      const compiled = await installed.run(process.execPath, ['node_modules/typescript/bin/tsc'], {}, 'shop');
      expect(compiled).toMatchObject({ code: 0, stdout: '' });
      const { code, stdout } = await runTests('shop');
      expect(code === 0 ? '' : stdout).toBe('');
      await withProjectServer(join(installed.folder, 'shop'), (url) => expectShownAnswers(pageOf('embed'), url));
    },
    TIMEOUT_MS,
  );
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutGroups, writeSpecGroups } from './spec-groups.mjs';

describe('groups of specs', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'parley-groups-'));
    for (const folder of ['src/run', 'test/e2e', 'test/fault', 'scripts', 'console/src']) {
      mkdirSync(join(root, folder), { recursive: true });
    }
    for (let number = 10; number < 30; number += 1) writeFileSync(join(root, `src/run/s${number}.spec.ts`), '');
    writeFileSync(join(root, 'src/run/run.ts'), '');
    writeFileSync(join(root, 'test/e2e/replaced.spec.ts'), "jest.mock('x');\n");
    writeFileSync(join(root, 'test/e2e/counted.spec.ts'), '/** @alone It counts. */\n');
    writeFileSync(join(root, 'test/e2e/encrypted.spec.ts'), "import './counted.spec.js';\n");
    writeFileSync(join(root, 'test/e2e/set.spec.ts'), "process.env.KEYS = 'k';\n");
    writeFileSync(join(root, 'test/fault/kill.spec.ts'), '');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const write = (): string[] => writeSpecGroups(root, [/^test\/fault\//]);

  it('hold every spec once, except those that are left out', () => {
    const text = write()
      .filter((path) => path.includes('spec-groups'))
      .map((path) => readFileSync(path, 'utf8'))
      .join('');
    const paths = [...text.matchAll(/describe\("(.+?)"/g)].map(([, path]) => path);
    expect(paths.sort()).toEqual(Array.from({ length: 20 }, (_, index) => `src/run/s${10 + index}.spec.ts`));
  });

  it('leave a spec alone that replaces modules, sets the environment, runs other specs, or says that it must be', () => {
    const alone = ['replaced', 'counted', 'encrypted', 'set'].map((name) => join(root, `test/e2e/${name}.spec.ts`));
    expect(write()).toEqual(expect.arrayContaining(alone));
  });

  it('are told apart in the report', () => {
    const [group = ''] = write();
    const result = (path: string, status: string) => ({ status, duration: 5, ancestorTitles: [path, 'a test'] });
    const report = {
      testResults: [
        {
          name: group,
          status: 'failed',
          startTime: 1,
          endTime: 2,
          assertionResults: [result('src/run/s10.spec.ts', 'failed'), result('src/run/s12.spec.ts', 'passed')],
        },
      ],
    };
    const found = withoutGroups(report, root)?.testResults ?? [];
    expect(found.filter(({ status }) => status === 'failed').map(({ name }) => name)).toEqual([
      join(root, 'src/run/s10.spec.ts'),
    ]);
    expect(found).toHaveLength(10);
  });

  it('that could not be loaded fail whole', () => {
    const [group = ''] = write();
    const report = {
      testResults: [{ name: group, status: 'failed', startTime: 1, endTime: 2, assertionResults: [] }],
    };
    expect(withoutGroups(report, root)?.testResults.map(({ status }) => status)).toEqual(Array(10).fill('failed'));
  });
});

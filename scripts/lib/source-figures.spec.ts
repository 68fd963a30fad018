import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { alikePairs, importedOnce, lineCounts, sourceFigures } from './source-figures.mjs';

describe('line counts', () => {
  it.each([
    ['an empty file', '', { lines: 1, written: 0, comments: 0 }],
    ['code', 'a();\n\nb();\n', { lines: 3, written: 2, comments: 0 }],
    ['line comments', '// one\na(); // not counted\n', { lines: 2, written: 2, comments: 1 }],
    ['block comments', '/** one */\n/*\n two\n\n*/\na();\n', { lines: 6, written: 5, comments: 4 }],
  ])('comments of %s are told from code', (_name, text, counts) => {
    expect(lineCounts(text)).toEqual(counts);
  });
});

describe('source figures', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'figures-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(path: string, lines: number): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '// x\n'.repeat(lines));
  }

  it('specs, their helpers and migrations are left out', () => {
    for (const path of ['a.ts', 'b.spec.ts', 'testing/c.ts', 'db/migrations/d.ts', 'e.md']) write(path, 10);
    expect(sourceFigures(folder, 300)).toMatchObject({ files: 1, median: 10, tooLong: [] });
  });

  it('files over the limit are named', () => {
    for (let size = 1; size <= 10; size += 1) write(`${size}.ts`, size);
    const figures = sourceFigures(folder, 8);
    expect(figures).toMatchObject({ files: 10, median: 5, p90: 9, largest: { path: '10.ts', lines: 10 } });
    expect(figures.tooLong.map(({ path }) => path)).toEqual(['9.ts', '10.ts']);
    expect(figures.comments).toBe(100);
  });
});

describe('imports', () => {
  it('files that exactly one other imports are named, whether by an import, an index or a dynamic import', () => {
    const files = [
      { path: 'a.ts', text: "import { b } from './b.js';\nimport { c } from './in/c.js';" },
      { path: 'b.ts', text: "export * from './in/c.js';" },
      { path: 'in/c.ts', text: "const d = await import('../d.js');" },
      { path: 'd.ts', text: "import { x } from 'package';" },
    ];
    expect(importedOnce(files)).toEqual(['b.ts', 'd.ts']);
  });

  it('what an index hands on is imported by those that name it', () => {
    const files = [
      { path: 'a.ts', text: "import { one, type Two as Other } from './in/index.js';" },
      { path: 'b.ts', text: "import {\n  one,\n} from './in/index.js';" },
      {
        path: 'in/index.ts',
        text: "export * from './one.js';\nexport { Two } from './two.js';\nexport * from './three.js';",
      },
      { path: 'in/one.ts', text: 'export const one = 1;' },
      { path: 'in/two.ts', text: 'export interface Two {}' },
      { path: 'in/three.ts', text: 'export function three() {}' },
    ];
    expect(importedOnce(files)).toEqual(['in/three.ts', 'in/two.ts']);
  });
});

describe('files that look alike', () => {
  const lines = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `f(${from + at});`).join('\n');

  it('have eight equal lines in a row, whatever their imports, comments and indentation', () => {
    const files = [
      { path: 'a.ts', text: `import { f } from 'f';\n${lines(8)}` },
      { path: 'b.ts', text: `g();\n// a comment\n  ${lines(8).replaceAll('\n', '\n  ')}` },
      { path: 'c.ts', text: lines(7) },
    ];
    expect(alikePairs(files)).toEqual([['a.ts', 'b.ts']]);
  });
});

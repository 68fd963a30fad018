import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildReason, prepareOutput, sourceState, staleOutput, writeBuildStamp } from './build-state.mjs';

describe('the build state', () => {
  let root: string;

  function write(path: string, content = ''): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'parley-build-'));
    write('src/main.ts', 'main');
    write('src/run/run.ts', 'run');
    write('src/run/run.spec.ts', 'spec');
    write('package-lock.json', '{}');
    write('dist/src/main.js');
    write('dist/src/run/run.js');
    writeBuildStamp(root, sourceState(root));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('no build is needed if nothing has changed', () => {
    expect(buildReason(root)).toBeUndefined();
  });

  it.each([
    ['a source is edited', () => write('src/run/run.ts', 'other')],
    ['a source is added', () => write('src/new.ts')],
    ['a source is removed', () => rmSync(join(root, 'src/run/run.ts'))],
    ['a source is replaced by an older one', () => utimesSync(join(root, 'src/main.ts'), 1, 1)],
    ['the compiler options change', () => write('tsconfig.json', '{}')],
    ['the dependencies change', () => write('package-lock.json', '{"a":1}')],
  ])('a build is needed if %s', (_case, change) => {
    change();
    expect(buildReason(root)).toBe('the sources have changed');
  });

  it('no build is needed if only a spec or its helper has changed', () => {
    write('src/run/run.spec.ts', 'another spec');
    write('src/run/testing/helper.ts', 'a helper');
    expect(buildReason(root)).toBeUndefined();
  });

  it('a build is needed if there is no entry point or the last build did not finish', () => {
    prepareOutput(root);
    expect(buildReason(root)).toBe('there is no build');
    writeBuildStamp(root, sourceState(root));
    rmSync(join(root, 'dist/src/main.js'));
    expect(buildReason(root)).toBe('there is no build');
  });

  it('only the output of removed sources is deleted', () => {
    for (const name of ['old.js', 'old.js.map', 'old.d.ts', 'run/run.spec.js']) write(`dist/src/${name}`);
    write('dist/src/notes.txt');
    expect(staleOutput(root)).toEqual(['old.d.ts', 'old.js', 'old.js.map', 'run/run.spec.js']);
    prepareOutput(root);
    expect(staleOutput(root)).toEqual([]);
    for (const kept of ['main.js', 'run/run.js', 'notes.txt'])
      expect(existsSync(join(root, 'dist/src', kept))).toBe(true);
  });

  it('a change of the compiler or its options makes a build from scratch', () => {
    write('.cache/tsconfig.build.tsbuildinfo', '{}');
    write('nest-cli.json', '{"changed":true}');
    prepareOutput(root);
    expect(existsSync(join(root, 'dist'))).toBe(false);
    expect(existsSync(join(root, '.cache/tsconfig.build.tsbuildinfo'))).toBe(false);
  });
});

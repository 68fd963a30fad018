import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTool, toolPath } from './tools.mjs';

describe('tools for developers', () => {
  let root: string;

  function install(folder: string, name: string, bin: unknown): void {
    const path = join(root, folder, 'node_modules', name);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, bin, main: 'main.js' }));
    writeFileSync(join(path, 'main.js'), `module.exports = ${JSON.stringify(folder)};`);
  }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'parley-tools-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('a command is found in the packages of the tests first', () => {
    install('.', 'lint', { lint: 'old.js' });
    install('test', 'lint', './new.js');
    expect(toolPath(root, 'lint')).toBe(join(root, 'test/node_modules/lint/new.js'));
  });

  it('a command of a package with another name is found', () => {
    install('.', 'typescript', { tsc: 'bin/tsc' });
    expect(toolPath(root, 'tsc')).toBe(join(root, 'node_modules/typescript/bin/tsc'));
  });

  it('an unknown command has no path', () => {
    expect(toolPath(root, 'nothing')).toBeUndefined();
  });

  it('a package is loaded as the tests load it, also one of the root', () => {
    install('.', 'shared', undefined);
    install('test', 'own', undefined);
    expect(loadTool(root, 'shared')).toBe('.');
    expect(loadTool(root, 'own')).toBe('test');
  });

  it.each(['eslint', 'prettier', 'jest', 'tsc', 'depcruise', 'nest'])('%s is a tool of this repository', (command) => {
    expect(existsSync(String(toolPath(process.cwd(), command)))).toBe(true);
  });
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installReason, writeInstallStamp } from './install-state.mjs';

const STAMP = 'node_modules/.parley-install.json';

describe('the installation state', () => {
  let root: string;

  function write(path: string, value: unknown): void {
    writeFileSync(join(root, path), JSON.stringify(value));
  }
  function lock(packages: Record<string, unknown>): void {
    write('package-lock.json', { packages: { '': { name: 'x' }, ...packages } });
  }
  function installed(packages: Record<string, unknown>): void {
    write('node_modules/.package-lock.json', { packages });
  }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'parley-install-'));
    mkdirSync(join(root, 'node_modules'));
    lock({ 'node_modules/a': { version: '1.0.0' } });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('packages are installed if node_modules is missing', () => {
    rmSync(join(root, 'node_modules'), { recursive: true });
    expect(installReason(root)).toBe('node_modules is missing');
  });

  it('packages are installed if an installation did not finish', () => {
    expect(installReason(root)).toBe('package-lock.json has changed');
  });

  it('nothing is installed after an installation until the lockfile changes', () => {
    writeInstallStamp(root);
    expect(installReason(root)).toBeUndefined();
    lock({ 'node_modules/a': { version: '1.0.1' } });
    expect(installReason(root)).toBe('package-lock.json has changed');
  });

  it('a manual installation with npm is accepted and recorded', () => {
    installed({ 'node_modules/a': { version: '1.0.0' } });
    expect(installReason(root)).toBeUndefined();
    rmSync(join(root, 'node_modules/.package-lock.json'));
    expect(installReason(root)).toBeUndefined();
  });

  it.each([
    ['another version', { 'node_modules/a': { version: '2.0.0' } }],
    ['a package too few', {}],
    ['a package too many', { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } }],
  ])('%s is not accepted', (_case, packages) => {
    installed(packages);
    expect(installReason(root)).toBe('package-lock.json has changed');
  });

  it('missing packages of other systems are ignored', () => {
    lock({ 'node_modules/a': { version: '1.0.0' }, 'node_modules/win': { version: '1.0.0', optional: true } });
    installed({ 'node_modules/a': { version: '1.0.0' } });
    expect(installReason(root)).toBeUndefined();
  });

  it('packages are installed again for another Node.js', () => {
    writeInstallStamp(root);
    const stamp = JSON.parse(readFileSync(join(root, STAMP), 'utf8')) as Record<string, unknown>;
    write(STAMP, { ...stamp, platform: 'linux-x64-1' });
    expect(installReason(root)).toBe('node_modules was installed for another Node.js');
  });
});

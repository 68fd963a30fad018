import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../common/index.js';
import { ensureDataFolder } from './data-folder.js';

describe('ensureDataFolder', () => {
  let base: string;

  beforeEach(() => (base = mkdtempSync(join(tmpdir(), 'parley-folder-'))));
  afterEach(() => {
    chmodSync(base, 0o700);
    rmSync(base, { recursive: true, force: true });
  });

  /** The message of the error; throws if there is none. */
  function refusal(folder: string): string {
    try {
      ensureDataFolder(folder, 'DATA_DIR');
    } catch (error) {
      if (error instanceof StartupError) return error.message;
      throw error;
    }
    throw new Error('the folder was accepted');
  }

  it('a missing folder is created with those above it, and nothing is left in it', () => {
    const folder = join(base, 'a/b');
    ensureDataFolder(folder, 'DATA_DIR');
    ensureDataFolder(folder, 'DATA_DIR');
    expect(existsSync(folder)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a file in its place is named', () => {
    writeFileSync(join(base, 'file'), '');
    expect(refusal(join(base, 'file'))).toMatch(/^Parley cannot start: DATA_DIR needs the folder .* is a file\. /);
    expect(refusal(join(base, 'file/data'))).toContain('a part of the path is a file');
  });

  it('a path on which nothing can be created is refused at once', () => {
    expect(refusal('/proc/parley/data')).toMatch(/in which the user \S+ \(\d+\) cannot create files/);
  });

  // Root may write everywhere.
  (process.getuid?.() === 0 ? it.skip : it)('a folder without permission names the user', () => {
    chmodSync(base, 0o500);
    expect(refusal(join(base, 'data'))).toContain('permission denied');
  });
});

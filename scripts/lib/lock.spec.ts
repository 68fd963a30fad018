import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.mjs';

describe('withLock', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  const path = join(folder, 'nested/build.lock');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('one caller holds the lock at a time, and the lock is released after an error too', async () => {
    let inside = 0;
    const visit = async (): Promise<number> => {
      inside += 1;
      await new Promise((resolve) => setImmediate(resolve));
      const seen = inside;
      inside -= 1;
      return seen;
    };
    expect(await Promise.all([withLock(path, visit), withLock(path, visit)])).toEqual([1, 1]);
    await expect(withLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(path)).toBe(false);
  });

  it('the lock of a dead process is taken over', async () => {
    writeFileSync(path, '4194305');
    await expect(withLock(path, () => 'done')).resolves.toBe('done');
  });
});

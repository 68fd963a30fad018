import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

describe('docs/security-tests.md', () => {
  const rows = readFileSync(join(ROOT, 'docs/security-tests.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Attack '));

  it('names a test that exists for each attack', () => {
    const tests = rows.map((row) => [...row.matchAll(/`([\w./-]+\.spec\.ts)`/g)].map(([, file = '']) => file));
    expect(rows.filter((_, index) => tests[index]?.length === 0)).toEqual([]);
    expect(tests.flat().filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

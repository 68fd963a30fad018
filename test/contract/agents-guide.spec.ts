import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '../..');
const GUIDE = readFileSync(join(ROOT, 'AGENTS.md'), 'utf8');
const MOST_LINES = 80;
const COMMANDS = (/```sh\n([\s\S]*?)```/.exec(GUIDE)?.[1] ?? '').trim().split('\n');
const SCRIPTS = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
  .scripts;

describe('the guide for coding agents', () => {
  it('is short', () => {
    expect(GUIDE.trimEnd().split('\n').length).toBeLessThanOrEqual(MOST_LINES);
  });

  it('every path that it names exists', () => {
    const named = [...GUIDE.matchAll(/`((?:src|docs|scripts|console)\/[^`*<]*)`|\]\(([^)#:]+)/g)];
    const paths = named.map(([, code, link]) => code ?? link ?? '');
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('every script that it names exists', () => {
    const names = [...GUIDE.matchAll(/npm run ([a-z:]+)/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !(name in SCRIPTS))).toEqual([]);
  });

  it.each(COMMANDS)(
    'the command works: %s',
    async (command) => {
      const [program = '', ...args] = command.split(' ');
      await promisify(execFile)(program, args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
    },
    300_000,
  );
});

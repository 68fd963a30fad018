import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH_OPTIONS, benchHelp, benchOption, benchProblem } from './bench-options.mjs';

const ROOT = join(__dirname, '../..');

describe('the options of the benchmark', () => {
  it.each([
    [[], undefined],
    [['--quick', '--only=m1,p3', '--rounds=5', '--against=../other'], undefined],
    [['--fast'], 'There is no option --fast. --help lists them.'],
    [['m1'], 'There is no option m1. --help lists them.'],
    [['--quick=yes'], '--quick takes no value.'],
    [['--only'], '--only needs a value: --only=LIST.'],
    [['--only='], '--only needs a value: --only=LIST.'],
    [['--rounds=many'], '--rounds must be a whole number from 1 to 9999.'],
  ])('of %j the problem is %s', (args, problem) => {
    expect(benchProblem(args)).toBe(problem);
  });

  it('a value may contain an equals sign', () => {
    expect(benchOption(['--quick', '--summary=a=b'], '--summary')).toBe('a=b');
    expect(benchOption(['--quick'], '--summary')).toBeUndefined();
  });

  it('are described in the documents', () => {
    const text = readFileSync(join(ROOT, 'docs/how-to/benchmark.md'), 'utf8');
    for (const [option] of BENCH_OPTIONS) expect(text).toContain(`\`${option.replace(/=.*/, '=…')}\``);
  });

  it('--help prints them, and an unknown one is refused, before anything is built or measured', () => {
    const bench = (arg: string) =>
      spawnSync(process.execPath, ['scripts/bench.mjs', arg], { cwd: ROOT, encoding: 'utf8' });
    expect(bench('--help')).toMatchObject({ status: 0, stdout: `${benchHelp()}\n` });
    expect(bench('--halp')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'There is no option --halp. --help lists them.\n',
    });
  });
});

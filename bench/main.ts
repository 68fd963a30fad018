import { cpus, loadavg } from 'node:os';
import { Bench, type Gate } from './bench.js';
import * as scenarios from './scenarios.js';

/** A baseline that differs by more than this between its own rounds measures the machine, not the code. */
const SPREAD_LIMIT = 2;

const STEPS = {
  burst: scenarios.burst,
  live: scenarios.live,
  logged: scenarios.logged,
  loggedFull: scenarios.loggedFull,
  latency: scenarios.latency,
  replay: scenarios.replay,
  slowReader: scenarios.slowReader,
  disconnect: scenarios.disconnect,
  shortRuns: scenarios.shortRuns,
  idle: scenarios.idle,
} as const;
const QUICK: readonly (keyof typeof STEPS)[] = ['burst', 'live', 'logged', 'replay', 'slowReader'];

async function main(args: readonly string[]): Promise<number> {
  const quick = args.includes('--quick');
  const only = args
    .find((arg) => arg.startsWith('--only='))
    ?.slice(7)
    .split(',');
  const size = { quick, rounds: 3 };
  console.log(`node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`);
  const bench = await Bench.start();
  try {
    for (const [name, step] of Object.entries(STEPS)) {
      const wanted = only?.includes(name) ?? (!quick || (QUICK as readonly string[]).includes(name));
      if (wanted) await step(bench, size);
    }
  } finally {
    await bench.stop();
  }
  return verdict(bench);
}

function verdict(bench: Bench): number {
  const missed = bench.lines.filter(({ met }) => !met);
  console.log(`${bench.lines.length - missed.length} of ${bench.lines.length} targets met`);
  if (bench.spread > SPREAD_LIMIT) {
    console.log(`inconclusive: the baseline's own rounds differ by ${bench.spread.toFixed(1)}x`);
    return 0;
  }
  const failed = bench.gates.filter(isFailed);
  for (const { name, value, least, most } of failed) {
    const limit = least === undefined ? `at most ${most}` : `at least ${least}`;
    console.log(`gate failed: ${name} is ${value.toFixed(2)}, must be ${limit}`);
  }
  if (failed.length === 0) console.log(`${bench.gates.length} gates passed`);
  return failed.length === 0 ? 0 : 1;
}

function isFailed({ value, least, most }: Gate): boolean {
  return !(value >= (least ?? -Infinity) && value <= (most ?? Infinity));
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

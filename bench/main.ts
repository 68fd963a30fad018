import { mkdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { FleetBench } from './fleet-bench.js';
import { ModelBench, type ModelBenchOptions } from './model-bench.js';
import { profileSummary } from './profile-summary.js';
import { type Bench, Report } from './report.js';
import { accessCost } from './scenarios/access.js';
import { againstOther } from './scenarios/against.js';
import { chatWires } from './scenarios/chat-wires.js';
import { encryptionCost } from './scenarios/encryption.js';
import { lostInstance } from './scenarios/fleet-loss.js';
import { idleReaders, remoteLag } from './scenarios/fleet-readers.js';
import { remoteCancels, startsElsewhere } from './scenarios/fleet-signals.js';
import { throughput } from './scenarios/fleet-throughput.js';
import { remoteMemory, remoteStreams } from './scenarios/gateway.js';
import { ledgerSize } from './scenarios/ledger-size.js';
import { loopDelay } from './scenarios/loop-delay.js';
import { idleModelStreams, memoryAfterRuns } from './scenarios/model-memory.js';
import { modelRequests } from './scenarios/model-requests.js';
import { modelBurst, modelFlood, modelPaced } from './scenarios/model-streams.js';
import { resumeStorm } from './scenarios/resume-storm.js';
import { disconnect, idle, latency, slowReader } from './scenarios/scripted-clients.js';
import { replay, shortRuns } from './scenarios/scripted-runs.js';
import { burst, live, logged, loggedFull } from './scenarios/scripted-streams.js';
import type { Size } from './scenarios/size.js';
import { soak } from './scenarios/soak.js';
import { ScriptedBench } from './scripted-bench.js';

/** One scenario. It runs if its name or one of its rows is wanted. */
interface Step<B> {
  readonly name: string;
  readonly rows: readonly string[];
  /** True for a part of the short set, which holds the gates of every change. */
  readonly quick?: boolean;
  /** True for a scenario that only runs when it is named. */
  readonly onDemand?: boolean;
  run(bench: B, size: Size): Promise<void>;
}

const SOAK_MINUTES = 10;
/** Measured rounds of a comparison: with the baseline of a row, and with another checkout. */
const ROUNDS = 3;
const ROUNDS_AGAINST = 11;
/** Loads of 2000 short requests before a comparison. */
const WARM_UP_LOADS = 3;
const WARM_UP_LOADS_QUICK = 1;
const PROFILE_FOLDER = join(__dirname, '../../.cache/profiles');

const MODEL_STEPS: readonly Step<ModelBench>[] = [
  { name: 'flood', rows: ['m1', 'm2'], quick: true, run: modelFlood },
  { name: 'first', rows: ['m3'], run: modelBurst },
  { name: 'requests', rows: ['m4'], quick: true, run: modelRequests },
  { name: 'paced', rows: ['m5', 'm6'], run: modelPaced },
  { name: 'chat', rows: [], run: chatWires },
  { name: 'storm', rows: ['m9'], run: resumeStorm },
  { name: 'memory', rows: ['m7'], quick: true, run: memoryAfterRuns },
  { name: 'idleModel', rows: ['m8'], run: idleModelStreams },
  { name: 'loopDelay', rows: ['m10'], run: loopDelay },
  { name: 'gateway', rows: ['m11'], run: remoteStreams },
  { name: 'gatewayMemory', rows: ['m12'], run: remoteMemory },
  { name: 'encryption', rows: ['e1'], onDemand: true, run: encryptionCost },
  { name: 'soak', rows: ['s'], onDemand: true, run: soak },
  { name: 'against', rows: [], onDemand: true, run: againstOther },
];

const SCRIPTED_STEPS: readonly Step<ScriptedBench>[] = [
  { name: 'burst', rows: ['w'], quick: true, run: burst },
  { name: 'live', rows: ['p1', 'p2'], quick: true, run: live },
  { name: 'logged', rows: ['p3'], quick: true, run: logged },
  { name: 'loggedFull', rows: ['p4', 'p5', 'p6'], run: loggedFull },
  { name: 'latency', rows: ['p7'], run: latency },
  { name: 'replay', rows: ['p9'], quick: true, run: replay },
  { name: 'slowReader', rows: ['p8'], quick: true, run: slowReader },
  { name: 'disconnect', rows: ['p10'], run: disconnect },
  { name: 'shortRuns', rows: ['p12'], run: shortRuns },
  { name: 'idle', rows: ['p11'], run: idle },
];

const ACCESS_STEPS: readonly Step<Bench>[] = [{ name: 'access', rows: ['a1'], onDemand: true, run: accessCost }];

const FLEET_STEPS: readonly Step<FleetBench>[] = [
  { name: 'fleet', rows: ['f1'], onDemand: true, run: remoteLag },
  { name: 'fleet', rows: ['f2'], onDemand: true, run: idleReaders },
  { name: 'fleet', rows: ['f3'], onDemand: true, run: remoteCancels },
  { name: 'fleet', rows: ['f4'], onDemand: true, run: startsElsewhere },
  { name: 'fleet', rows: ['f5'], onDemand: true, run: lostInstance },
  { name: 'fleet', rows: ['f6'], onDemand: true, run: throughput },
];

const LEDGER_STEPS: readonly Step<Bench>[] = [
  { name: 'size', rows: ['d1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7'], onDemand: true, run: ledgerSize },
];

/** What `--only` may name: all rows and scenarios, in small letters. */
const NAMES = new Set(
  [MODEL_STEPS, SCRIPTED_STEPS, ACCESS_STEPS, FLEET_STEPS, LEDGER_STEPS].flatMap((steps) =>
    steps.filter(({ name }) => name !== 'against').flatMap(({ name, rows }) => [name.toLowerCase(), ...rows]),
  ),
);

/** An option has a value that there is not. */
class UsageError extends Error {}

async function main(args: readonly string[]): Promise<number> {
  const summary = option(args, 'summary');
  if (summary !== undefined) {
    console.log(profileSummary(summary));
    return 0;
  }
  const quick = args.includes('--quick');
  const otherFolder = process.env['BENCH_AGAINST'];
  const only = otherFolder === undefined ? option(args, 'only')?.toLowerCase().split(',') : ['against'];
  const unknown = otherFolder === undefined ? (only ?? []).filter((name) => !NAMES.has(name)) : [];
  if (unknown.length > 0) throw new UsageError(`There is no row and no scenario ${unknown.join(', ')}.`);
  const wanted = <B>(steps: readonly Step<B>[]): Step<B>[] =>
    steps.filter(({ name, rows, quick: isQuick, onDemand }) =>
      only === undefined
        ? !onDemand && (!quick || isQuick)
        : only.includes(name.toLowerCase()) || rows.some((row) => only.includes(row)),
    );
  const size = {
    quick,
    rounds: Number(option(args, 'rounds') ?? (otherFolder === undefined ? ROUNDS : ROUNDS_AGAINST)),
    soakMinutes: Number(option(args, 'minutes') ?? SOAK_MINUTES),
  };
  console.log(`node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`);
  const report = new Report();
  await runSteps(wanted(MODEL_STEPS), size, async () => new ModelBench(report, modelOptions(args)));
  await runSteps(wanted(SCRIPTED_STEPS), size, () => ScriptedBench.start(report));
  await runSteps(wanted(ACCESS_STEPS), size, () => Promise.resolve({ report }));
  await runSteps(wanted(FLEET_STEPS), size, () => FleetBench.start(report, postgresUrl()));
  await runSteps(wanted(LEDGER_STEPS), size, () => Promise.resolve({ report }));
  if (args.includes('--table')) report.printTable();
  return report.verdict();
}

async function runSteps<B extends Bench>(
  steps: readonly Step<B>[],
  size: Size,
  start: () => Promise<B>,
): Promise<void> {
  if (steps.length === 0) return;
  const bench = await start();
  try {
    for (const step of steps) {
      bench.begin?.(step.name);
      await step.run(bench, size);
    }
  } finally {
    await bench.stop?.();
  }
}

function modelOptions(args: readonly string[]): ModelBenchOptions {
  const wire = option(args, 'wire') ?? 'responses';
  if (
    wire !== 'responses' &&
    wire !== 'chat-completions' &&
    wire !== 'agent-api' &&
    wire !== 'runs' &&
    wire !== 'ai-sdk'
  )
    throw new UsageError(`There is no wire ${wire}.`);
  const database = option(args, 'database') ?? 'sqlite';
  if (database !== 'sqlite' && database !== 'postgres') throw new UsageError(`There is no database ${database}.`);
  const profileFolder = args.includes('--profile') ? PROFILE_FOLDER : undefined;
  if (profileFolder !== undefined) mkdirSync(profileFolder, { recursive: true });
  const otherFolder = process.env['BENCH_AGAINST'];
  const warmUpLoads = args.includes('--quick') ? WARM_UP_LOADS_QUICK : WARM_UP_LOADS;
  return {
    wire,
    otherFolder,
    postgresUrl: database === 'postgres' ? postgresUrl() : undefined,
    profileFolder,
    warmUpLoads,
  };
}

/** @throws Error without BENCH_DATABASE_URL */
function postgresUrl(): string {
  const { BENCH_DATABASE_URL } = process.env;
  if (!BENCH_DATABASE_URL) throw new Error('BENCH_DATABASE_URL names no PostgreSQL');
  return BENCH_DATABASE_URL;
}

/** The value of `--name=value`. */
function option(args: readonly string[], name: string): string | undefined {
  const prefix = `--${name}=`;
  return args.find((arg) => arg.startsWith(prefix))?.slice(prefix.length);
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof UsageError ? error.message : error);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);

import { answerOf } from '../answer.js';
import type { FleetBench, Hints } from '../fleet-bench.js';
import { median, quantile } from '../report.js';
import type { Size } from './size.js';

const REQUESTS = 60;
const WARM_UP = 5;
/** What is promised with Redis and without, 95th percentile in milliseconds: a signal, or SWEEP_INTERVAL_MS and a bit. */
const MOST: Readonly<Record<Hints, number>> = { 'with Redis': 100, 'without Redis': 1200 };

/** F3: from a cancel at the other instance to the end of the stream at the owner. */
export async function remoteCancels(bench: FleetBench, { quick }: Size): Promise<void> {
  for (const hints of bench.hints) {
    const pair = await bench.pair(hints);
    const answer = answerOf({ pieces: 1, hang: true });
    const target = { do: 'cancels', port: pair.first.port, otherPort: pair.second.port, answer } as const;
    await bench.run({ ...target, requests: WARM_UP });
    const { took = [] } = await bench.run({ ...target, requests: quick ? 10 : REQUESTS });
    await pair.stop();
    add(bench, hints, { id: 'F3', scenario: 'cancel at the other instance until the stream at the owner ends', took });
  }
}

/** F4: from a request to a full instance to the first piece, which another instance's execution brings. */
export async function startsElsewhere(bench: FleetBench, { quick }: Size): Promise<void> {
  for (const hints of bench.hints) {
    const pair = await bench.pair(hints, { BENCH_RUN_CONCURRENCY: '1' });
    const [full, free] = [pair.first.port, pair.second.port];
    await bench.run({ do: 'open', wire: 'runs', port: full, streams: 1, answer: answerOf({ pieces: 1, hang: true }) });
    const atFree = await firstPieces(bench, free, quick ? 10 : REQUESTS);
    const took = await firstPieces(bench, full, quick ? 10 : REQUESTS);
    await pair.stop();
    const scenario = 'run accepted at a full instance, executed at the other: first piece';
    add(bench, hints, { id: 'F4', scenario, took, more: `; at the free instance p50 ${median(atFree).toFixed(0)} ms` });
  }
}

interface Outcome {
  readonly id: string;
  readonly scenario: string;
  readonly took: readonly number[];
  readonly more?: string;
}

function add({ report }: FleetBench, hints: Hints, { id, scenario, took, more = '' }: Outcome): void {
  const p95 = quantile(took, 0.95);
  report.add({
    id,
    scenario: `${scenario}, ${hints}, 95th percentile`,
    target: `<= ${MOST[hints]} ms`,
    reached: `${p95.toFixed(0)} ms`,
    met: p95 <= MOST[hints],
    notes: `p50 ${median(took).toFixed(0)} ms, longest ${Math.max(...took).toFixed(0)} ms, ${took.length} runs${more}`,
  });
}

/** The times to the first piece of requests that are made one after another. */
async function firstPieces(bench: FleetBench, port: number, requests: number): Promise<readonly number[]> {
  const took: number[] = [];
  for (let count = -WARM_UP; count < requests; count += 1) {
    const load = { do: 'streams', wire: 'runs', port, streams: 1, answer: answerOf({ pieces: 3 }) } as const;
    const { first = [] } = await bench.run(load);
    if (count >= 0) took.push(...first);
  }
  return took;
}

import { availableParallelism } from 'node:os';
import { answerOf } from '../answer.js';
import type { FleetBench, Hints } from '../fleet-bench.js';
import type { ServerProcess } from '../process.js';
import { median, range, times } from '../report.js';
import type { Size } from './size.js';

/** Of one instance. */
const STREAMS = 100;
/** Two instances, the model, the load and PostgreSQL each need a core. With fewer the time says nothing. */
const CORES = 5;
const TARGET = 1.8;

/** What one round brought: events per second, and processor time of all instances per event in microseconds. */
interface Round {
  readonly perSecond: number;
  readonly cost: number;
}

/** F6: the events of two instances beside those of one. */
export async function throughput(bench: FleetBench, { quick, rounds }: Size): Promise<void> {
  for (const hints of bench.hints) {
    const [alone, pair] = [await bench.fleet(hints, [{}]), await bench.fleet(hints, [{}, {}])];
    const found: Record<'one' | 'two', Round[]> = { one: [], two: [] };
    for (let round = -1; round < (quick ? 1 : rounds); round += 1) {
      const [one, two] = [await measure(bench, alone.servers), await measure(bench, pair.servers)];
      // The first round is the warm-up.
      if (round < 0) continue;
      found.one.push(one);
      found.two.push(two);
    }
    await alone.stop();
    await pair.stop();
    add(bench, hints, found);
  }
}

function add({ report }: FleetBench, hints: Hints, { one, two }: Record<'one' | 'two', Round[]>): void {
  const [single, both] = [one.map(({ cost }) => cost), two.map(({ cost }) => cost)];
  const [perSecond, perSecondOfTwo] = [median(one.map((r) => r.perSecond)), median(two.map((r) => r.perSecond))];
  const byTime = perSecondOfTwo / perSecond;
  const byCost = (2 * median(single)) / median(both);
  const hasCores = availableParallelism() >= CORES;
  const ratio = hasCores ? byTime : byCost;
  report.baseline(single);
  report.add({
    id: 'F6',
    scenario: `${STREAMS} streams of 500 pieces at once at each instance, ${hints}: events per second of two instances`,
    target: `>= ${TARGET}x one`,
    reached: `${times(ratio)}${hasCores ? '' : ' (by processor time: too few cores)'}`,
    met: ratio >= TARGET,
    notes: `events per second: one ${perSecond.toFixed(0)}, two ${perSecondOfTwo.toFixed(0)} (${times(byTime)}) on ${availableParallelism()} cores; CPU us per event: one ${range(single, 1)}, two ${range(both, 1)}`,
  });
}

async function measure(bench: FleetBench, servers: readonly ServerProcess[]): Promise<Round> {
  const [first, second = first] = servers;
  if (!first || !second) throw new Error('a fleet has an instance');
  const used = async (): Promise<number> =>
    (await Promise.all(servers.map((server) => server.cpu()))).reduce((sum, cpu) => sum + cpu, 0);
  const before = await used();
  const answer = answerOf({ pieces: 500 });
  const load = {
    do: 'both',
    port: first.port,
    otherPort: second.port,
    streams: STREAMS * servers.length,
    answer,
  } as const;
  const { events = NaN, ms = NaN } = await bench.run(load);
  return { perSecond: (events / ms) * 1000, cost: ((await used()) - before) / events };
}

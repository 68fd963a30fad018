import type { Cell, ModelBench } from '../model-bench.js';
import { median, range, times } from '../report.js';
import type { Size } from './size.js';

/** How much of the speed of the other wire is enough: less could not be told from noise. */
const ENOUGH = 0.95;

/** A wire that is measured beside that of the other rows. */
type Beside = 'chat' | 'ui';

/**
 * M1 and M4 over Chat Completions and over the AI SDK, beside the wire of the other rows, at the same server and in the
 * same rounds.
 */
export async function chatWires(bench: ModelBench, size: Size): Promise<void> {
  await beside(bench, 'chat', size);
  await beside(bench, 'ui', size);
}

async function beside(bench: ModelBench, variant: Beside, { quick, rounds }: Size): Promise<void> {
  const pieces = quick ? 500 : 1000;
  const streams = await bench.alternate(
    rounds,
    (one, warmUp) => bench.streams(one, 100, { pieces: warmUp ? 200 : pieces }),
    variant,
  );
  const perSecond = ({ cpu, result }: Cell): number => (1e6 * (result.events ?? 0)) / cpu;
  add(bench, variant, 'M1', `100 streams of ${pieces} pieces at once: events per CPU second`, {
    own: streams[variant].map(perSecond),
    other: streams.parley.map(perSecond),
  });
  const requests = await bench.alternate(rounds, (one) => bench.requests(one, quick ? 1000 : 2000), variant);
  const rate = ({ result }: Cell): number => (result.requests ?? 0) / ((result.ms ?? 0) / 1000);
  add(bench, variant, 'M4', 'short requests of 3 pieces, 32 connections: requests per second', {
    own: requests[variant].map(rate),
    other: requests.parley.map(rate),
  });
}

function add(
  bench: ModelBench,
  variant: Beside,
  id: string,
  scenario: string,
  { own, other }: { readonly own: readonly number[]; readonly other: readonly number[] },
): void {
  const { wire } = bench.options;
  const name = bench.wireOf(variant);
  const ratio = median(own.map((one, round) => one / (other[round] ?? one)));
  bench.report.add({
    id,
    scenario: `${scenario}, ${name} beside ${bench.circumstances}`,
    target: `>= ${ENOUGH}x ${wire}`,
    reached: `${times(ratio)} (${median(own).toFixed(0)} against ${median(other).toFixed(0)})`,
    met: ratio >= ENOUGH,
    notes: `${name} ${range(own)}, ${wire} ${range(other)}`,
  });
}

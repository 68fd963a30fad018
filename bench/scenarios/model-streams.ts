import type { Cell, ModelBench } from '../model-bench.js';
import { median, quantile, range, times } from '../report.js';
import type { Size } from './size.js';

/** The gate: half of what was reached. */
const M1_GATE = 0.27;

/** Processor time per event, in microseconds, of each round. */
function perEvent(cells: readonly Cell[]): number[] {
  return cells.map(({ cpu, result }) => cpu / (result.events ?? 1));
}

/** The 95th percentile of the first piece, in milliseconds, of each round. */
function firstPieces(cells: readonly Cell[]): number[] {
  return cells.map(({ result }) => quantile(result.first ?? [], 0.95));
}

function databaseNote(cells: readonly Cell[]): string {
  const costs = cells.flatMap(({ databaseCpu, result }) =>
    databaseCpu === undefined ? [] : [databaseCpu / (result.events ?? 1)],
  );
  return costs.length === 0 ? '' : `; PostgreSQL itself ${median(costs).toFixed(1)}`;
}

/** M1, M2: a hundred answers of a thousand pieces, as fast as the model can. */
export async function modelFlood(bench: ModelBench, { quick, rounds }: Size): Promise<void> {
  const [streams, pieces] = [100, quick ? 500 : 1000];
  const cells = await bench.alternate(rounds, (variant, warmUp) =>
    bench.streams(variant, streams, { pieces: warmUp ? 200 : pieces }),
  );
  const [relay, parley] = [perEvent(cells.relay), perEvent(cells.parley)];
  const [relayFirst, parleyFirst] = [firstPieces(cells.relay), firstPieces(cells.parley)];
  const ratio = median(relay) / median(parley);
  bench.report.baseline(relay);
  bench.report.add({
    id: 'M1',
    scenario: `${streams} streams of ${pieces} pieces at once, ${bench.circumstances}`,
    target: '>= 0.65x relay',
    reached: `${times(ratio)} (${(1e6 / median(parley)).toFixed(0)} against ${(1e6 / median(relay)).toFixed(0)} events per CPU second)`,
    met: ratio >= 0.65,
    notes: `CPU us per event: relay ${range(relay, 1)}, parley ${range(parley, 1)}${databaseNote(cells.parley)}`,
  });
  const wait = median(parleyFirst) / median(relayFirst);
  bench.report.add({
    id: 'M2',
    scenario: 'the same, 95th percentile of the first piece',
    target: '<= 1.5x relay',
    reached: `${times(wait)} (${median(parleyFirst).toFixed(0)} against ${median(relayFirst).toFixed(0)} ms)`,
    met: wait <= 1.5,
    notes: `ms: relay ${range(relayFirst)}, parley ${range(parleyFirst)}`,
  });
  bench.report.gate({ name: 'M1 against the relay', value: ratio, least: M1_GATE });
}

/** M3: the first piece of one answer whose pieces come at once, while nothing else happens. */
export async function modelBurst(bench: ModelBench): Promise<void> {
  const cells = await bench.alternate(25, (variant) => bench.streams(variant, 1, { pieces: 1000 }));
  const [relay, parley] = [firstPieces(cells.relay), firstPieces(cells.parley)];
  bench.report.add({
    id: 'M3',
    scenario: `one stream of 1000 pieces at once: first piece, ${bench.circumstances}`,
    target: '<= 6 ms',
    reached: `${median(parley).toFixed(1)} ms`,
    met: median(parley) <= 6,
    notes: `ms: relay ${range(relay, 1)}, parley ${range(parley, 1)}`,
  });
}

/** M5, M6: two hundred answers at the pace of a fast model. */
export async function modelPaced(bench: ModelBench, { rounds }: Size): Promise<void> {
  const [streams, everyMs] = [200, 20];
  const cells = await bench.alternate(rounds, (variant) => bench.streams(variant, streams, { pieces: 250, everyMs }));
  const [relay, parley] = [perEvent(cells.relay), perEvent(cells.parley)];
  const [relayFirst, parleyFirst] = [firstPieces(cells.relay), firstPieces(cells.parley)];
  const ratio = median(relay) / median(parley);
  const late = cells.parley.map(({ result }) => median(result.late ?? []));
  bench.report.baseline(relay);
  bench.report.add({
    id: 'M5',
    scenario: `${streams} streams, a piece every ${everyMs} ms, ${bench.circumstances}`,
    target: '>= 0.6x relay',
    reached: `${times(ratio)} (${(1e6 / median(parley)).toFixed(0)} against ${(1e6 / median(relay)).toFixed(0)} events per CPU second)`,
    met: ratio >= 0.6,
    notes: `CPU us per event: relay ${range(relay, 1)}, parley ${range(parley, 1)}${databaseNote(cells.parley)}; last piece behind the model's schedule: ${median(late).toFixed(0)} ms`,
  });
  bench.report.add({
    id: 'M6',
    scenario: 'the same, 95th percentile of the first piece',
    target: '<= 250 ms',
    reached: `${median(parleyFirst).toFixed(0)} ms`,
    met: median(parleyFirst) <= 250,
    notes: `ms: relay ${range(relayFirst)}, parley ${range(parleyFirst)}`,
  });
}

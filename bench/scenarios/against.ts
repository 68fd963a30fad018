import type { Cell, ModelBench, Variant } from '../model-bench.js';
import { median, quantile, range, times } from '../report.js';
import type { Size } from './size.js';

/** How much more may be used, or how much longer it may take, than at the other checkout. */
const MOST = 1.05;

/** What one load says of a server; less is better. */
interface Measure {
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  of(cell: Cell): number;
}

/** A load, and what is read from it. */
interface Comparison {
  readonly measures: readonly Measure[];
  run(bench: ModelBench, variant: Variant, warmUp: boolean): Promise<Cell>;
}

const cpuPerEvent = ({ cpu, result }: Cell): number => cpu / (result.events ?? 1);
const firstPiece = ({ result }: Cell): number => quantile(result.first ?? [], 0.95);

const COMPARISONS: readonly Comparison[] = [
  {
    measures: [
      { id: 'C1', name: '100 streams of 1000 pieces at once: processor time per event', unit: 'us', of: cpuPerEvent },
      { id: 'C2', name: 'the same: 95th percentile of the first piece', unit: 'ms', of: firstPiece },
    ],
    run: (bench, variant, warmUp) => bench.streams(variant, 100, { pieces: warmUp ? 200 : 1000 }),
  },
  {
    measures: [{ id: 'C3', name: 'one stream of 1000 pieces at once: first piece', unit: 'ms', of: firstPiece }],
    run: (bench, variant) => bench.streams(variant, 1, { pieces: 1000 }),
  },
  {
    measures: [
      {
        id: 'C4',
        name: 'short requests of 3 pieces, 32 connections: processor time per request',
        unit: 'us',
        of: ({ cpu, result }) => cpu / (result.requests ?? 1),
      },
      {
        id: 'C5',
        name: 'the same: time per request',
        unit: 'ms',
        of: ({ result }) => (result.ms ?? 0) / (result.requests ?? 1),
      },
    ],
    run: (bench, variant) => bench.requests(variant),
  },
  {
    measures: [
      { id: 'C6', name: '200 streams, a piece every 20 ms: processor time per event', unit: 'us', of: cpuPerEvent },
      { id: 'C7', name: 'the same: 95th percentile of the first piece', unit: 'ms', of: firstPiece },
    ],
    run: (bench, variant, warmUp) => bench.streams(variant, 200, { pieces: warmUp ? 50 : 150, everyMs: 20 }),
  },
];

/** C: this checkout beside another one, in rounds by turns. Ratios are medians of those of the rounds. */
export async function againstOther(bench: ModelBench, { rounds }: Size): Promise<void> {
  for (const { measures, run } of COMPARISONS) {
    const cells = await bench.alternate(rounds, (variant, warmUp) => run(bench, variant, warmUp), 'other');
    for (const { id, name, unit, of } of measures) {
      const [other, own] = [cells.other.map(of), cells.parley.map(of)];
      const ratios = own.map((value, round) => value / (other[round] ?? value));
      const ratio = median(ratios);
      bench.report.baseline(other);
      bench.report.add({
        id,
        scenario: `${name}, ${bench.circumstances}`,
        target: `<= ${times(MOST)} the other checkout`,
        reached: `${times(ratio)} (${median(own).toFixed(1)} of ${median(other).toFixed(1)} ${unit})`,
        met: ratio <= MOST,
        notes: `ratios of the rounds ${range(ratios, 2)}; ${unit}: other ${range(other, 1)}, this ${range(own, 1)}`,
      });
    }
  }
}

import { answerOf } from '../answer.js';
import type { ModelBench } from '../model-bench.js';
import { quantile } from '../report.js';
import type { Size } from './size.js';

const MB = 1024 * 1024;
const SAMPLE_MS = 5000;
const PER_SECOND = 100;
/** The part of the run whose samples do not count: until the heap has its size. */
const WARM_UP = 0.2;

/** The memory of the server at one moment. */
interface Sample {
  readonly minute: number;
  readonly rssMb: number;
  /** Without the part of young objects, which V8 makes larger and smaller: what would grow with a leak. */
  readonly keptMb: number;
}

/** S: short runs at a fixed rate for minutes; the memory of the server must not grow. */
export async function soak(bench: ModelBench, { soakMinutes: minutes }: Size): Promise<void> {
  const parley = await bench.freshParley();
  const samples: Sample[] = [];
  const start = performance.now();
  const sample = async (): Promise<void> => {
    const { rss = 0, young = 0 } = await parley.server.ask({ ask: 'usage' });
    const minute = (performance.now() - start) / 60_000;
    samples.push({ minute, rssMb: rss / MB, keptMb: (rss - young) / MB });
  };
  const timer = setInterval(() => void sample(), SAMPLE_MS);
  const { took = [] } = await bench.load({
    do: 'steady',
    wire: bench.options.wire,
    port: parley.server.port,
    perSecond: PER_SECOND,
    seconds: minutes * 60,
    answer: answerOf({ pieces: 3 }),
  });
  clearInterval(timer);
  await parley.stop();
  const counted = samples.filter(({ minute }) => minute >= minutes * WARM_UP);
  const rssSlope = slope(counted.map(({ minute, rssMb }) => [minute, rssMb]));
  const keptSlope = slope(counted.map(({ minute, keptMb }) => [minute, keptMb]));
  bench.report.add({
    id: 'S1',
    scenario: `${minutes} minutes at ${PER_SECOND} runs/s, ${bench.circumstances}`,
    target: 'RSS flat (<= 1 MB per minute)',
    reached: `${rssSlope.toFixed(2)} MB per minute`,
    met: rssSlope <= 1,
    notes: `RSS in MB: ${listed(counted.map(({ rssMb }) => rssMb))}; a run took ${quantile(took, 0.5).toFixed(0)} ms (median), ${quantile(took, 0.99).toFixed(0)} ms (99th percentile)`,
  });
  bench.report.add({
    id: 'S2',
    scenario: 'the same, without the part of young objects',
    target: 'flat (<= 1 MB per minute)',
    reached: `${keptSlope.toFixed(2)} MB per minute`,
    met: keptSlope <= 1,
    notes: `MB: ${listed(counted.map(({ keptMb }) => keptMb))}`,
  });
}

/** Every sixth value. */
function listed(values: readonly number[]): string {
  return values
    .filter((_, index) => index % 6 === 0)
    .map((value) => value.toFixed(0))
    .join(' ');
}

/** The slope of the straight line through points, by least squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

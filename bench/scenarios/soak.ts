import { answerOf } from '../answer.js';
import type { ModelBench } from '../model-bench.js';
import { quantile } from '../report.js';
import type { Size } from './size.js';

const MB = 1024 * 1024;
const SAMPLE_MS = 5000;
const PER_SECOND = 100;
/** The part of the run whose samples do not count: until the heap has its size. */
const WARM_UP = 0.2;

/** S: short runs at a fixed rate for minutes; the memory of the server must not grow. */
export async function soak(bench: ModelBench, { soakMinutes: minutes }: Size): Promise<void> {
  const parley = await bench.freshParley();
  const samples: { minute: number; mb: number }[] = [];
  const start = performance.now();
  const sample = async (): Promise<void> => {
    samples.push({ minute: (performance.now() - start) / 60_000, mb: (await parley.server.rss()) / MB });
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
  const perMinute = slope(counted);
  const grown = perMinute * minutes * (1 - WARM_UP);
  bench.report.add({
    id: 'S',
    scenario: `${minutes} minutes at ${PER_SECOND} runs/s, ${bench.circumstances}`,
    target: 'RSS flat (<= 1 MB per minute)',
    reached: `${perMinute.toFixed(2)} MB per minute, ${grown.toFixed(0)} MB in all`,
    met: perMinute <= 1,
    notes: `RSS in MB: ${counted
      .filter((_, index) => index % 6 === 0)
      .map(({ mb }) => mb.toFixed(0))
      .join(
        ' ',
      )}; a run took ${quantile(took, 0.5).toFixed(0)} ms (median), ${quantile(took, 0.99).toFixed(0)} ms (99th percentile)`,
  });
}

/** The slope of the straight line through the samples, by least squares. */
function slope(samples: readonly { minute: number; mb: number }[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(samples.map(({ minute }) => minute)), mean(samples.map(({ mb }) => mb))];
  const covariance = samples.reduce((sum, { minute, mb }) => sum + (minute - x) * (mb - y), 0);
  return covariance / samples.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
}

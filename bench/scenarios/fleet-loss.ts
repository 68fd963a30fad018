import { answerOf } from '../answer.js';
import type { FleetBench } from '../fleet-bench.js';
import { median, quantile } from '../report.js';
import type { Size } from './size.js';

const STREAMS = 50;
/** The default of LEASE_MS, in milliseconds. */
const LEASE_MS = 15_000;

/** How an instance is lost, and how long its runs may be silent at most. */
const LOSSES = [
  { signal: 'SIGKILL', title: 'an instance of this machine is killed', most: LEASE_MS },
  // A paused process exists, as far as others can see, like one on a machine that was lost: its lease has to end.
  { signal: 'SIGSTOP', title: 'an instance is lost with its machine (SIGSTOP)', most: LEASE_MS },
] as const;

/** F5: the silence at readers of the other instance when the instance that executes their runs is lost. */
export async function lostInstance(bench: FleetBench, { quick }: Size): Promise<void> {
  for (const hints of bench.hints) {
    for (const { signal, title, most } of quick ? LOSSES.slice(0, 1) : LOSSES) {
      const pair = await bench.pair(hints);
      const answer = answerOf({ pieces: 100, everyMs: 100 });
      const target = { port: pair.first.port, otherPort: pair.second.port, answer };
      await bench.run({ do: 'remote', ...target, streams: STREAMS });
      pair.first.signal(signal);
      const { gaps = [] } = await bench.run({ do: 'remoteEnds', ...target });
      await pair.stop();
      const p95 = quantile(gaps, 0.95);
      bench.report.add({
        id: 'F5',
        scenario: `${STREAMS} runs, ${title}, ${hints}: silence at readers of the other, 95th percentile`,
        target: `<= ${most / 1000} s`,
        reached: `${(p95 / 1000).toFixed(1)} s`,
        met: p95 <= most,
        notes: `median ${(median(gaps) / 1000).toFixed(1)} s, longest ${(Math.max(...gaps) / 1000).toFixed(1)} s`,
      });
    }
  }
}

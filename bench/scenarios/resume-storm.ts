import { answerOf } from '../answer.js';
import type { ModelBench } from '../model-bench.js';
import { median, quantile, range } from '../report.js';
import type { Size } from './size.js';

/** M9: three hundred live streams are cut at one moment and all come back at their cursors. */
export async function resumeStorm(bench: ModelBench, { rounds }: Size): Promise<void> {
  const answer = answerOf({ pieces: 5000, lead: 500, everyMs: 50 });
  for (const wire of ['runs', 'responses'] as const) {
    const p95: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { server, stop } = await bench.freshParley();
      const load = { do: 'storm', wire, port: server.port, streams: 300, cutAfter: 600, answer } as const;
      const { gaps = [] } = await bench.profiled(server, load);
      await stop();
      p95.push(quantile(gaps, 0.95));
    }
    const name = wire === 'runs' ? 'Runs API with Last-Event-ID' : 'Responses with starting_after';
    bench.report.add({
      id: 'M9',
      scenario: `300 live streams are cut and resume, 95th percentile until the next event, ${name}`,
      target: '<= 1 s',
      reached: `${(median(p95) / 1000).toFixed(2)} s`,
      met: median(p95) <= 1000,
      notes: `ms: ${range(p95)}; each stream had 500 pieces at once and then one every 50 ms`,
    });
  }
}

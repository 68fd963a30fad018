import type { Cell, ModelBench } from '../model-bench.js';
import { median, range, times } from '../report.js';
import type { Size } from './size.js';

/** The gate: half of what was reached. */
const M4_GATE = 0.07;

/** M4: complete short answers over kept connections, of warm servers and of servers that have just started. */
export async function modelRequests(bench: ModelBench, { quick, rounds }: Size): Promise<void> {
  const own = quick ? 1000 : 2000;
  const counts = { relay: 3 * own, parley: own, other: own, chat: own, ui: own, remote: own };
  const cells = await bench.alternate(rounds, (variant) => bench.requests(variant, counts[variant]));
  const rate = ({ result }: Cell): number => (result.requests ?? 0) / ((result.ms ?? 0) / 1000);
  const [relay, parley] = [cells.relay.map(rate), cells.parley.map(rate)];
  const ratio = median(parley) / median(relay);
  const cpu = median(cells.parley.map((cell) => cell.cpu / (cell.result.requests ?? 1)));
  bench.report.baseline(relay);
  bench.report.add({
    id: 'M4',
    scenario: `short requests of 3 pieces, 32 connections, ${bench.circumstances}`,
    target: '>= 0.25x relay',
    reached: `${times(ratio)} (${median(parley).toFixed(0)} against ${median(relay).toFixed(0)} requests/s)`,
    met: ratio >= 0.25,
    notes: `requests/s: relay ${range(relay)}, parley ${range(parley)}; parley ${cpu.toFixed(0)} us CPU each`,
  });
  const [coldRelay, cold] = [rate(await bench.warmUp('relay')), rate(await bench.warmUp('parley'))];
  bench.report.add({
    id: 'M4',
    scenario: 'the same, the first 2000 after the start of each server',
    target: '>= 0.25x relay',
    reached: `${times(cold / coldRelay)} (${cold.toFixed(0)} against ${coldRelay.toFixed(0)} requests/s)`,
    met: cold / coldRelay >= 0.25,
  });
  bench.report.gate({ name: 'M4 against the relay', value: ratio, least: M4_GATE });
}

import type { Cell, ModelBench } from '../model-bench.js';
import { median, range, times } from '../report.js';
import type { Size } from './size.js';

/** How much of the speed of the other wire is enough: less could not be told from noise. */
const ENOUGH = 0.95;

/** M1 and M4 over Chat Completions, beside the wire of the other rows, at the same server and in the same rounds. */
export async function chatCompletions(bench: ModelBench, { quick, rounds }: Size): Promise<void> {
  const pieces = quick ? 500 : 1000;
  const streams = await bench.alternate(
    rounds,
    (variant, warmUp) => bench.streams(variant, 100, { pieces: warmUp ? 200 : pieces }),
    'chat',
  );
  const perSecond = ({ cpu, result }: Cell): number => (1e6 * (result.events ?? 0)) / cpu;
  add(bench, 'M1', `100 streams of ${pieces} pieces at once: events per CPU second`, {
    chat: streams.chat.map(perSecond),
    other: streams.parley.map(perSecond),
  });
  const requests = await bench.alternate(rounds, (variant) => bench.requests(variant, quick ? 1000 : 2000), 'chat');
  const rate = ({ result }: Cell): number => (result.requests ?? 0) / ((result.ms ?? 0) / 1000);
  add(bench, 'M4', 'short requests of 3 pieces, 32 connections: requests per second', {
    chat: requests.chat.map(rate),
    other: requests.parley.map(rate),
  });
}

function add(
  bench: ModelBench,
  id: string,
  scenario: string,
  { chat, other }: { readonly chat: readonly number[]; readonly other: readonly number[] },
): void {
  const { wire } = bench.options;
  const ratio = median(chat.map((one, round) => one / (other[round] ?? one)));
  bench.report.add({
    id,
    scenario: `${scenario}, chat-completions beside ${bench.circumstances}`,
    target: `>= ${ENOUGH}x ${wire}`,
    reached: `${times(ratio)} (${median(chat).toFixed(0)} against ${median(other).toFixed(0)})`,
    met: ratio >= ENOUGH,
    notes: `chat-completions ${range(chat)}, ${wire} ${range(other)}`,
  });
}

import { answerOf } from '../answer.js';
import type { ModelBench, ParleyUnderTest } from '../model-bench.js';
import type { Size } from './size.js';

const MB = 1024 * 1024;
/** The gate on RSS: far above the target, because the heap grows in leaps while the server warms up. */
const M7_GATE_MB = 250;
/** The gate on the heap after a full collection, in KB per run: a finished stream that is held costs about 40. */
const M7_GATE_HEAP_KB = 4;
/** Longer than the row takes, in milliseconds: the model is silent and that is no failure here. */
const PATIENT = { LLM_IDLE_TIMEOUT_MS: '3600000', RUN_IDLE_TIMEOUT_MS: '3600000', KEEP_ALIVE_MS: '600000' };

/** M7: what the memory of a server is after many short runs, above what it was after some. */
export async function memoryAfterRuns(bench: ModelBench, { quick }: Size): Promise<void> {
  const [warm, runs] = quick ? [1000, 3000] : [2000, 10_000];
  const parley = await bench.freshParley();
  await shortRuns(bench, parley, warm);
  const before = await parley.server.rss();
  const { heap: heapBefore = 0 } = await parley.server.ask({ ask: 'heap' });
  await shortRuns(bench, parley, runs);
  const growth = ((await parley.server.rss()) - before) / MB;
  const { heap = 0 } = await parley.server.ask({ ask: 'heap' });
  await parley.stop();
  const heapKb = (heap - heapBefore) / 1024 / runs;
  bench.report.add({
    id: 'M7',
    scenario: `RSS after ${runs} short runs, ${bench.circumstances}`,
    target: '<= +30 MB',
    reached: `${growth.toFixed(0)} MB more`,
    met: growth <= 30,
    notes: `heap in use after a full collection: ${heapKb.toFixed(2)} KB more per run`,
  });
  bench.report.gate({ name: 'M7 MB', value: growth, most: M7_GATE_MB });
  bench.report.gate({ name: 'M7 heap KB per run', value: heapKb, most: M7_GATE_HEAP_KB });
}

async function shortRuns(bench: ModelBench, { server }: ParleyUnderTest, requests: number): Promise<void> {
  const answer = answerOf({ pieces: 3 });
  await bench.load({
    do: 'requests',
    wire: bench.options.wire,
    port: server.port,
    requests,
    connections: 32,
    answer,
  });
}

/** M8: what an open stream costs while its model is silent. */
export async function idleModelStreams(bench: ModelBench): Promise<void> {
  const streams = 2000;
  const parley = await bench.freshParley(PATIENT);
  await shortRuns(bench, parley, 500);
  const relay = await bench.relay();
  const open = async (wire: typeof bench.options.wire | 'relay', port: number): Promise<void> => {
    const answer = answerOf({ pieces: 1, hang: true });
    await bench.load({ do: 'open', wire, port, streams, answer });
  };
  const [relayBefore, before] = [await relay.rss(), await parley.server.rss()];
  await open('relay', relay.port);
  const relayKb = ((await relay.rss()) - relayBefore) / 1024 / streams;
  await bench.load({ do: 'drop' });
  await open(bench.options.wire, parley.server.port);
  const kb = ((await parley.server.rss()) - before) / 1024 / streams;
  await bench.load({ do: 'drop' });
  await parley.stop();
  bench.report.add({
    id: 'M8',
    scenario: `RSS of an idle stream with its waiting model call, ${streams} streams, ${bench.circumstances}`,
    target: '<= 80 KB',
    reached: `${kb.toFixed(0)} KB`,
    met: kb <= 80,
    notes: `relay ${relayKb.toFixed(0)} KB`,
  });
}

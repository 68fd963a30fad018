import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerOf } from '../answer.js';
import type { ModelBench, ParleyUnderTest } from '../model-bench.js';

const DELAY_MS = 5;
const STREAMS = 100;

/** M10: how long the event loop is held up by a slow disk, or by a slow PostgreSQL. */
export async function loopDelay(bench: ModelBench): Promise<void> {
  const slow = await slowDatabase(bench);
  if (slow === undefined) {
    console.log('M10  skipped: there is no gcc for the shim that makes fsync slow');
    return;
  }
  const { delayMs, stallMs } = await delayOf(bench, slow);
  const usual = await delayOf(bench, await bench.freshParley());
  bench.report.add({
    id: 'M10',
    scenario: `event loop delay with ${STREAMS} live streams and ${DELAY_MS} ms more for each ${bench.options.postgresUrl === undefined ? 'fsync' : 'answer of PostgreSQL'}, 99th percentile`,
    target: '<= 10 ms',
    reached: `${delayMs.toFixed(1)} ms`,
    met: delayMs <= 10,
    notes: `longest ${stallMs.toFixed(0)} ms; without the added delay ${usual.delayMs.toFixed(1)} ms, longest ${usual.stallMs.toFixed(0)} ms`,
  });
}

async function delayOf(bench: ModelBench, parley: ParleyUnderTest): Promise<{ delayMs: number; stallMs: number }> {
  const target = { wire: bench.options.wire, port: parley.server.port, streams: STREAMS };
  await bench.load({ do: 'streams', ...target, answer: answerOf({ pieces: 50, everyMs: 40 }) });
  await parley.server.ask({ ask: 'delay' });
  await bench.load({ do: 'streams', ...target, answer: answerOf({ pieces: 250, everyMs: 40 }) });
  const { delayMs = Infinity, stallMs = Infinity } = await parley.server.ask({ ask: 'delay' });
  await parley.stop();
  return { delayMs, stallMs };
}

/** A Parley whose database takes longer for each commit; undefined if that cannot be had here. */
async function slowDatabase(bench: ModelBench): Promise<ParleyUnderTest | undefined> {
  if (bench.options.postgresUrl !== undefined) return bench.freshParley({}, DELAY_MS);
  const shim = join(mkdtempSync(join(tmpdir(), 'parley-bench-')), 'slow-sync.so');
  const source = join(__dirname, '../../../bench/native/slow-sync.c');
  try {
    execFileSync('gcc', ['-shared', '-fPIC', '-O2', '-o', shim, source, '-ldl'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return bench.freshParley({ LD_PRELOAD: shim, SLOW_SYNC_US: String(DELAY_MS * 1000) });
}

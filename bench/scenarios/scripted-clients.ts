import { type Script, script } from '../protocol.js';
import { median } from '../report.js';
import { runOf, type ScriptedBench, target, type Variant } from '../scripted-bench.js';
import type { Size } from './size.js';

const MB = 1024 * 1024;
/** Rounds that do not count, until the code is compiled and the heap has its size. */
const WARM_UPS = 3;

/** P7: what a client waits, at 20 streams with a piece every 40 ms. */
export async function latency(bench: ScriptedBench): Promise<void> {
  const gentle = script({ n: 60, ms: 40 });
  const of = async (variant: Variant): Promise<{ first: number; each: number }> => {
    await bench.stream(variant, 20, script({ n: 5, ms: 40 }));
    const { result } = await bench.stream(variant, 20, gentle);
    // Twenty requests at once wait for each other; one at a time is what a client sees.
    const first: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      const single = await bench.stream(variant, 1, script({ n: 1 }));
      first.push(...(single.result.first ?? []));
    }
    return { first: median(first), each: median(result.latency ?? []) };
  };
  const raw = await of('raw');
  const variants: [Variant, string, number][] = [['parley', 'SQLite', 2]];
  if (process.env.BENCH_DATABASE_URL) variants.push(['postgres', 'PostgreSQL', 6]);
  for (const [variant, name, limit] of variants) {
    const { first, each } = await of(variant);
    const added = { first: first - raw.first, each: each - raw.each };
    bench.report.add({
      id: 'P7',
      scenario: `latency above raw, ${name}, 20 streams, a piece every 40 ms`,
      target: `<= ${limit} ms`,
      reached: `first event ${added.first.toFixed(1)} ms, each event ${added.each.toFixed(1)} ms`,
      met: added.first <= limit && added.each <= limit,
      notes: `medians: raw first ${raw.first.toFixed(1)} ms, each ${raw.each.toFixed(1)} ms; ${name} first ${first.toFixed(1)} ms, each ${each.toFixed(1)} ms`,
    });
  }
}

/** P8: clients that read nothing of 30 MB each, beside others that read. */
export async function slowReader(bench: ScriptedBench, { quick }: Size): Promise<void> {
  const clients = quick ? 2 : 4;
  const heavy = script({ n: 7500, k: 16, pad: 4096, replace: true });
  const server = await bench.server('parley');
  // The same load with readers first, until the heap has its size: what is measured then is what the readers' absence adds.
  // Twice as many streams, because others read beside those that do not.
  for (let round = 0; round < WARM_UPS; round += 1) await bench.stream('parley', 2 * clients, heavy);
  // Without garbage that waits for its collection.
  const rss = async (): Promise<number> => {
    await server.ask({ ask: 'heap' });
    return (await server.ask({ ask: 'usage' })).rss ?? 0;
  };
  const before = await rss();
  await bench.client.run({ do: 'open', ...target(server, 'parley', heavy), streams: clients, reading: false });
  const others = await bench.stream('parley', 4, script({ n: 50, ms: 20 }));
  // The second wait shows whether it still grows: the runs have ended by then.
  await bench.stream('parley', clients, heavy);
  const during = await rss();
  await bench.stream('parley', 1, script({ n: 50, ms: 20 }));
  const after = await rss();
  await bench.client.run({ do: 'drop' });
  // They are there both times. V8 gives memory back some time after a collection.
  const growth = (Math.min(during, after) - before) / MB / clients;
  const late = (after - during) / MB;
  bench.report.add({
    id: 'P8',
    scenario: `${clients} clients read nothing of 30 MB each`,
    target: 'RSS growth <= 8 MB per client, then flat, others unharmed',
    reached: `${growth.toFixed(1)} MB per client, then ${late.toFixed(1)} MB; others' p50 latency ${median(others.result.latency ?? []).toFixed(1)} ms`,
    met: growth <= 8 && late <= 4,
  });
  bench.report.gate({ name: 'P8 MB per slow client', value: growth, most: 16 });
}

/** P10: a hundred clients leave at once. */
export async function disconnect(bench: ScriptedBench): Promise<void> {
  const server = await bench.server('parley');
  const slow = script({ n: 50, ms: 40 });
  await bench.client.run({ do: 'open', ...target(server, 'parley', slow), streams: 100, reading: true });
  const start = performance.now();
  await bench.client.run({ do: 'drop' });
  await server.ask({ ask: 'gone' });
  const ms = performance.now() - start;
  bench.report.add({
    id: 'P10',
    scenario: '100 clients leave at once',
    target: '<= 200 ms',
    reached: `${ms.toFixed(0)} ms`,
    met: ms <= 200,
  });
}

/** P11: many readers of one run that says nothing. */
export async function idle(bench: ScriptedBench): Promise<void> {
  const streams = 5000;
  await bench.retire('parley');
  const server = await bench.server('parley');
  await bench.stream('parley', 200, script({ n: 20 }));
  const silent: Script = script({ n: 2, ms: 100_000 });
  const open = { do: 'open', url: `${server.url}/process`, streams: 1, reading: true } as const;
  const post = { ...runOf(silent), id: 'idle-run' };
  await bench.client.run({ ...open, post });
  const url = `${server.url}/process/idle-run?stream=true`;
  const before = await server.ask({ ask: 'usage' });
  await bench.client.run({ do: 'open', url, streams, reading: true });
  const after = await server.ask({ ask: 'usage' });
  await bench.client.run({ do: 'drop' });
  const kb = ((after.rss ?? 0) - (before.rss ?? 0)) / 1024 / streams;
  bench.report.add({
    id: 'P11',
    scenario: `RSS per idle stream, ${streams} streams`,
    target: '<= 25 KB',
    reached: `${kb.toFixed(1)} KB`,
    met: kb <= 25,
  });
  await bench.retire('parley');
}

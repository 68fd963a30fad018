import { script } from '../protocol.js';
import { median, times } from '../report.js';
import { runOf, type ScriptedBench, target } from '../scripted-bench.js';
import type { Size } from './size.js';

/** Rounds that do not count, until the code is compiled and the heap has its size. */
const WARM_UPS = 3;

/** P9: ten thousand events from the log. */
export async function replay(bench: ScriptedBench): Promise<void> {
  const server = await bench.server('parley');
  const { runId = '' } = await bench.client.run({
    do: 'fetch',
    ...target(server, 'parley', script({ n: 10_000, k: 16 })),
  });
  const cpus: number[] = [];
  const stalls: number[] = [];
  const overHttp: number[] = [];
  for (let round = 0; round < WARM_UPS + 5; round += 1) {
    await server.ask({ ask: 'stall' });
    const before = await server.ask({ ask: 'usage' });
    const { frames = 0 } = await server.ask({ ask: 'replay', runId });
    const after = await server.ask({ ask: 'usage' });
    if (frames < 100) throw new Error(`a replay has ${frames} batches`);
    const { stallMs = Infinity } = await server.ask({ ask: 'stall' });
    const http = await bench.measure(server, {
      do: 'streams',
      url: `${server.url}/process/${runId}?stream=true&starting_after=-1`,
      streams: 1,
      script: script({ n: 10_000 }),
    });
    if (round < WARM_UPS) continue;
    cpus.push(((after.cpu ?? 0) - (before.cpu ?? 0)) / 1000);
    stalls.push(stallMs);
    overHttp.push((http.cpu * 10_000) / 1000);
  }
  const [cpu, stall] = [median(cpus), median(stalls)];
  bench.report.add({
    id: 'P9',
    scenario: 'replay of a run of 10,000 events through the encoder',
    target: '<= 10 ms CPU, no stall > 10 ms',
    reached: `${cpu.toFixed(1)} ms CPU, longest stall ${stall.toFixed(1)} ms`,
    met: cpu <= 10 && stall <= 10,
    notes: `over HTTP, one chunk per frame: ${median(overHttp).toFixed(1)} ms CPU`,
  });
  bench.report.gate({ name: 'P9 ms CPU', value: cpu, most: 30 });
}

/** P12: complete short runs. */
export async function shortRuns(bench: ScriptedBench, { rounds }: Size): Promise<void> {
  const [raw, parley] = [await bench.server('raw'), await bench.server('parley')];
  const post = runOf(script({ n: 3 }));
  const { frames = [] } = await bench.client.run({ do: 'fetch', url: `${parley.url}/process`, post });
  await raw.ask({ ask: 'reply', frames });
  const rates = { raw: [] as number[], parley: [] as number[] };
  const cpus: string[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, url, server] of [
      ['raw', `${raw.url}/reply`, raw],
      ['parley', `${parley.url}/process`, parley],
    ] as const) {
      const requests = name === 'raw' ? 6000 : 1500;
      const { cpu, result } = await bench.measure(server, { do: 'requests', url, post, requests, connections: 32 });
      if (round === 0) continue;
      rates[name].push(requests / ((result.ms ?? 0) / 1000));
      cpus.push(`${name} ${cpu.toFixed(0)}`);
    }
  }
  const [rawRate, rate] = [median(rates.raw), median(rates.parley)];
  bench.report.baseline(rates.raw);
  bench.report.add({
    id: 'P12',
    scenario: 'complete short runs, 32 connections, logged on SQLite',
    target: '>= 0.35x raw node:http',
    reached: `${times(rate / rawRate)} (${rate.toFixed(0)} against ${rawRate.toFixed(0)} requests/s)`,
    met: rate / rawRate >= 0.35,
    notes: `CPU us per request: ${cpus.join(', ')}`,
  });
}

import { type Bench, quantile, runOf, target, type Variant } from './bench.js';
import { type Script, script } from './protocol.js';

/** How much of everything is done. */
export interface Size {
  readonly quick: boolean;
  /** Measured rounds of each comparison. */
  readonly rounds: number;
}

const times = (value: number): string => `${value.toFixed(2)}x`;
const MB = 1024 * 1024;
/** Rounds that do not count, until the code is compiled and the heap has its size. */
const WARM_UPS = 3;

/** P1, P2: the path from an event to the socket, without a run and without a log. */
export async function live(bench: Bench, { quick, rounds }: Size): Promise<void> {
  if (!quick) {
    const cell = await bench.compare(['raw', 'sse', 'live'], 100, script({ n: 1000 }), rounds);
    const reached = `${times(cell.ratio('live'))} raw`;
    bench.report({
      id: 'P1',
      scenario: 'live, log off, 100 streams, 1 piece a turn',
      target: '>= 0.9x raw',
      reached,
      met: cell.ratio('live') >= 0.9,
      notes: cell.rounds(),
    });
  }
  const cell = await bench.compare(['raw', 'sse', 'live'], 100, script({ n: quick ? 640 : 1600, k: 16 }), rounds);
  const [raw, sse] = [cell.ratio('live'), cell.ratio('live', 'sse')];
  bench.report({
    id: 'P2',
    scenario: 'live, log off, 100 streams, 16 pieces a turn',
    target: '>= 1.5x raw and >= 8x plain @Sse',
    reached: `${times(raw)} raw, ${times(sse)} plain @Sse`,
    met: raw >= 1.5 && sse >= 8,
    notes: cell.rounds(),
  });
  bench.gate({ name: 'P2 against raw', value: raw, least: 0.45 });
  bench.gate({ name: 'P2 against plain @Sse', value: sse, least: 2.5 });
}

/** P3: everything, with the log. */
export async function logged(bench: Bench, { quick, rounds }: Size): Promise<void> {
  const cell = await bench.compare(['raw', 'sse', 'parley'], 100, script({ n: quick ? 500 : 1000 }), rounds);
  const [raw, sse] = [cell.ratio('parley'), cell.ratio('parley', 'sse')];
  bench.report({
    id: 'P3',
    scenario: `logged on SQLite, 100 streams, 1 piece a turn`,
    target: '>= 2x raw and >= 4x plain @Sse',
    reached: `${times(raw)} raw, ${times(sse)} plain @Sse`,
    met: raw >= 2 && sse >= 4,
    notes: cell.rounds(),
  });
  bench.gate({ name: 'P3 against raw', value: raw, least: 0.4 });
  bench.gate({ name: 'P3 against plain @Sse', value: sse, least: 0.9 });
}

/** P4, P5, P6: more streams, another database, the naive way. */
export async function loggedFull(bench: Bench, { rounds }: Size): Promise<void> {
  const many = await bench.compare(['raw', 'parley'], 1000, script({ n: 200 }), rounds);
  const reached = `${times(many.ratio('parley'))} raw`;
  bench.report({
    id: 'P4',
    scenario: 'logged on SQLite, 1000 streams',
    target: '>= 1.5x raw',
    reached,
    met: many.ratio('parley') >= 1.5,
    notes: many.rounds(),
  });
  if (process.env.BENCH_DATABASE_URL) {
    const cell = await bench.compare(['raw', 'postgres'], 100, script({ n: 1000 }), rounds);
    const ratio = cell.ratio('postgres');
    bench.report({
      id: 'P5',
      scenario: 'logged on PostgreSQL, 100 streams',
      target: '>= 1.2x raw',
      reached: `${times(ratio)} raw`,
      met: ratio >= 1.2,
      notes: cell.rounds(),
    });
  } else {
    console.log('P5   skipped: BENCH_DATABASE_URL names no PostgreSQL');
  }
  const naive = await bench.compare(['naive', 'parley'], 100, script({ n: 100 }), 1);
  const ratio = naive.ratio('parley');
  bench.report({
    id: 'P6',
    scenario: 'against @Sse with a TypeORM insert per event',
    target: '>= 30x',
    reached: times(ratio),
    met: ratio >= 30,
    notes: naive.rounds(),
  });
}

/** P7: what a client waits, at 20 streams with a piece every 40 ms. */
export async function latency(bench: Bench): Promise<void> {
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
    return { first: quantile(first, 0.5), each: quantile(result.latency ?? [], 0.5) };
  };
  const raw = await of('raw');
  const variants: [Variant, string, number][] = [['parley', 'SQLite', 2]];
  if (process.env.BENCH_DATABASE_URL) variants.push(['postgres', 'PostgreSQL', 6]);
  for (const [variant, name, limit] of variants) {
    const { first, each } = await of(variant);
    const added = { first: first - raw.first, each: each - raw.each };
    bench.report({
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
export async function slowReader(bench: Bench, { quick }: Size): Promise<void> {
  const clients = quick ? 2 : 4;
  const heavy = script({ n: 7500, k: 16, pad: 4096, replace: true });
  const server = await bench.server('parley');
  // The same load with readers first, until the heap has its size: what is measured then is what the readers' absence adds.
  for (let round = 0; round < WARM_UPS; round += 1) await bench.stream('parley', clients, heavy);
  const before = (await server.ask({ ask: 'usage' })).rss ?? 0;
  await bench.client.run({ do: 'open', ...target(server, 'parley', heavy), streams: clients, reading: false });
  const others = await bench.stream('parley', 4, script({ n: 50, ms: 20 }));
  // The second wait shows whether it still grows: the runs have ended by then.
  await bench.stream('parley', clients, heavy);
  const during = (await server.ask({ ask: 'usage' })).rss ?? 0;
  await bench.stream('parley', 1, script({ n: 50, ms: 20 }));
  const after = (await server.ask({ ask: 'usage' })).rss ?? 0;
  await bench.client.run({ do: 'drop' });
  const growth = (Math.max(during, after) - before) / MB / clients;
  const late = (after - during) / MB;
  bench.report({
    id: 'P8',
    scenario: `${clients} clients read nothing of 30 MB each`,
    target: 'RSS growth <= 8 MB per client, then flat, others unharmed',
    reached: `${growth.toFixed(1)} MB per client, then ${late.toFixed(1)} MB; others' p50 latency ${quantile(others.result.latency ?? [], 0.5).toFixed(1)} ms`,
    met: growth <= 8 && late <= 4,
  });
  bench.gate({ name: 'P8 MB per slow client', value: growth, most: 16 });
}

/** P9: ten thousand events from the log. */
export async function replay(bench: Bench): Promise<void> {
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
  const [cpu, stall] = [quantile(cpus, 0.5), quantile(stalls, 0.5)];
  bench.report({
    id: 'P9',
    scenario: 'replay of a run of 10,000 events through the encoder',
    target: '<= 10 ms CPU, no stall > 10 ms',
    reached: `${cpu.toFixed(1)} ms CPU, longest stall ${stall.toFixed(1)} ms`,
    met: cpu <= 10 && stall <= 10,
    notes: `over HTTP, one chunk per frame: ${quantile(overHttp, 0.5).toFixed(1)} ms CPU`,
  });
  bench.gate({ name: 'P9 ms CPU', value: cpu, most: 22 });
}

/** A burst leaves in one system call, whatever its length. */
export async function burst(bench: Bench): Promise<void> {
  const server = await bench.server('parley');
  const count = async (variant: Variant, bursts: number): Promise<number> => {
    await server.ask({ ask: 'writes', counting: true });
    await bench.stream(variant, 1, script({ n: bursts * 16, k: 16, ms: 20 }));
    return (await server.ask({ ask: 'writes', counting: false })).writes ?? NaN;
  };
  for (const variant of ['live', 'parley'] as const) {
    const writes = (await count(variant, 12)) - (await count(variant, 4));
    const perBurst = writes / 8;
    const scenario = `writes to the socket per burst of 16 events, ${variant === 'live' ? 'log off' : 'logged'}`;
    bench.report({ id: 'W', scenario, target: '1', reached: String(perBurst), met: perBurst === 1 });
    // A logged burst may be read in two parts on a machine that is busy; without the log it is exact.
    bench.gate({ name: scenario, value: perBurst, most: variant === 'live' ? 1 : 2 });
  }
}

/** P10: a hundred clients leave at once. */
export async function disconnect(bench: Bench): Promise<void> {
  const server = await bench.server('parley');
  const slow = script({ n: 50, ms: 40 });
  await bench.client.run({ do: 'open', ...target(server, 'parley', slow), streams: 100, reading: true });
  const start = performance.now();
  await bench.client.run({ do: 'drop' });
  await server.ask({ ask: 'gone' });
  const ms = performance.now() - start;
  bench.report({
    id: 'P10',
    scenario: '100 clients leave at once',
    target: '<= 200 ms',
    reached: `${ms.toFixed(0)} ms`,
    met: ms <= 200,
  });
}

/** P11: many readers of one run that says nothing. */
export async function idle(bench: Bench): Promise<void> {
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
  bench.report({
    id: 'P11',
    scenario: `RSS per idle stream, ${streams} streams`,
    target: '<= 25 KB',
    reached: `${kb.toFixed(1)} KB`,
    met: kb <= 25,
  });
  await bench.retire('parley');
}

/** P12: complete short runs. */
export async function shortRuns(bench: Bench, { rounds }: Size): Promise<void> {
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
  const [rawRate, rate] = [quantile(rates.raw, 0.5), quantile(rates.parley, 0.5)];
  bench.spread = Math.max(bench.spread, Math.max(...rates.raw) / Math.min(...rates.raw));
  bench.report({
    id: 'P12',
    scenario: 'complete short runs, 32 connections, logged on SQLite',
    target: '>= 0.35x raw node:http',
    reached: `${times(rate / rawRate)} (${rate.toFixed(0)} against ${rawRate.toFixed(0)} requests/s)`,
    met: rate / rawRate >= 0.35,
    notes: `CPU us per request: ${cpus.join(', ')}`,
  });
}

import { script } from '../protocol.js';
import { times } from '../report.js';
import type { ScriptedBench, Variant } from '../scripted-bench.js';
import type { Size } from './size.js';

/** P1, P2: the path from an event to the socket, without a run and without a log. */
export async function live(bench: ScriptedBench, { quick, rounds }: Size): Promise<void> {
  if (!quick) {
    const cell = await bench.compare(['raw', 'sse', 'live'], 100, script({ n: 1000 }), rounds);
    const reached = `${times(cell.ratio('live'))} raw`;
    bench.report.add({
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
  bench.report.add({
    id: 'P2',
    scenario: 'live, log off, 100 streams, 16 pieces a turn',
    target: '>= 1.5x raw and >= 8x plain @Sse',
    reached: `${times(raw)} raw, ${times(sse)} plain @Sse`,
    met: raw >= 1.5 && sse >= 8,
    notes: cell.rounds(),
  });
  bench.report.gate({ name: 'P2 against raw', value: raw, least: 0.6 });
  bench.report.gate({ name: 'P2 against plain @Sse', value: sse, least: 2.8 });
}

/** P3: everything, with the log. */
export async function logged(bench: ScriptedBench, { quick, rounds }: Size): Promise<void> {
  const cell = await bench.compare(['raw', 'sse', 'parley'], 100, script({ n: quick ? 500 : 1000 }), rounds);
  const [raw, sse] = [cell.ratio('parley'), cell.ratio('parley', 'sse')];
  bench.report.add({
    id: 'P3',
    scenario: `logged on SQLite, 100 streams, 1 piece a turn`,
    target: '>= 2x raw and >= 4x plain @Sse',
    reached: `${times(raw)} raw, ${times(sse)} plain @Sse`,
    met: raw >= 2 && sse >= 4,
    notes: cell.rounds(),
  });
  bench.report.gate({ name: 'P3 against raw', value: raw, least: 0.4 });
  bench.report.gate({ name: 'P3 against plain @Sse', value: sse, least: 0.55 });
}

/** P4, P5, P6: more streams, another database, the naive way. */
export async function loggedFull(bench: ScriptedBench, { rounds }: Size): Promise<void> {
  const many = await bench.compare(['raw', 'parley'], 1000, script({ n: 200 }), rounds);
  const reached = `${times(many.ratio('parley'))} raw`;
  bench.report.add({
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
    bench.report.add({
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
  const naive = await bench.compare(['naive', 'parley'], 100, script({ n: 100 }), rounds);
  const ratio = naive.ratio('parley');
  bench.report.add({
    id: 'P6',
    scenario: 'against @Sse with a TypeORM insert per event',
    target: '>= 30x',
    reached: times(ratio),
    met: ratio >= 30,
    notes: naive.rounds(),
  });
}

/** A burst leaves in one system call, whatever its length. */
export async function burst(bench: ScriptedBench): Promise<void> {
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
    bench.report.add({ id: 'W', scenario, target: '1', reached: String(perBurst), met: perBurst === 1 });
    // A logged burst may be read in two parts on a machine that is busy; without the log it is exact.
    bench.report.gate({ name: scenario, value: perBurst, most: variant === 'live' ? 1 : 2 });
  }
}

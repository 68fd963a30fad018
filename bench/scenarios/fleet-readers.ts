import { answerOf } from '../answer.js';
import type { FleetBench, Hints } from '../fleet-bench.js';
import { median, quantile } from '../report.js';
import type { ScratchDatabase } from '../scratch-database.js';
import type { Size } from './size.js';

const STREAMS = 20;
const IDLE_READERS = 1000;
const IDLE_SECONDS = 30;
/** Connections report what they did up to this many seconds late. */
const LATE_SECONDS = 12;
/** What is promised: p50 and p95 in milliseconds. Without Redis the ledger is read up to every 250 ms. */
const LAG: Readonly<Record<Hints, readonly [number, number]>> = {
  'with Redis': [5, 20],
  'without Redis': [130, 300],
};
const IDLE: Readonly<Record<Hints, number>> = { 'with Redis': 1.5, 'without Redis': 6 };

/** F1: how much later than at the owner an event comes to a reader of the other instance. */
export async function remoteLag(bench: FleetBench, { quick, rounds }: Size): Promise<void> {
  for (const hints of bench.hints) {
    const pair = await bench.pair(hints);
    const target = { do: 'lag', port: pair.first.port, otherPort: pair.second.port } as const;
    await bench.run({ ...target, streams: STREAMS, answer: answerOf({ pieces: 50, everyMs: 20 }) });
    const before = [await pair.first.cpu(), await pair.second.cpu()] as const;
    const lags: number[] = [];
    let events = 0;
    for (let round = 0; round < (quick ? 1 : rounds); round += 1) {
      const answer = answerOf({ pieces: 300, everyMs: 30 });
      const result = await bench.run({ ...target, streams: STREAMS, answer });
      lags.push(...(result.lags ?? []));
      events += result.events ?? 0;
    }
    const [own, other] = [(await pair.first.cpu()) - before[0], (await pair.second.cpu()) - before[1]];
    await pair.stop();
    const [p50, p95] = [median(lags), quantile(lags, 0.95)];
    const [most50, most95] = LAG[hints];
    bench.report.add({
      id: 'F1',
      scenario: `${STREAMS} runs with a piece every 30 ms, ${hints}: how much later a piece comes at the other instance`,
      target: `p50 <= ${most50} ms, p95 <= ${most95} ms`,
      reached: `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`,
      met: p50 <= most50 && p95 <= most95,
      notes: `${lags.length} pieces; processor time per piece: ${(own / events).toFixed(0)} us at the owner, with a reader of its own, ${(other / events).toFixed(0)} us at the other`,
    });
  }
}

/** F2: what readers of another instance cost the database while nothing happens. */
export async function idleReaders(bench: FleetBench): Promise<void> {
  for (const hints of bench.hints) {
    const pair = await bench.pair(hints);
    await bench.run({
      do: 'remote',
      port: pair.first.port,
      otherPort: pair.second.port,
      streams: IDLE_READERS,
      answer: answerOf({ pieces: 1, hang: true }),
    });
    const perSecond = (await transactionRate(pair.database)) / pair.servers.length;
    await pair.stop();
    bench.report.add({
      id: 'F2',
      scenario: `${IDLE_READERS} idle readers of as many runs at the other instance, ${hints}: transactions per second and instance`,
      target: `<= ${IDLE[hints]}`,
      reached: perSecond.toFixed(2),
      met: perSecond <= IDLE[hints],
      notes: `pg_stat_database over ${IDLE_SECONDS} s`,
    });
  }
}

async function transactionRate(database: ScratchDatabase): Promise<number> {
  await pause(LATE_SECONDS);
  const first = await database.transactions();
  await pause(IDLE_SECONDS);
  const last = await database.transactions();
  return (last.count - first.count) / (last.seconds - first.seconds);
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

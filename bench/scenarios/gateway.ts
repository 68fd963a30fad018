import { answerOf } from '../answer.js';
import type { Cell, ModelBench } from '../model-bench.js';
import { median, range, times } from '../report.js';
import type { Size } from './size.js';

const MB = 1024 * 1024;
/** How much more an event of a remote agent may cost than one of the model loop. */
const MOST = 1.5;
/**
 * Rounds of M11 for each round of other rows: what else the machine does changes the ratio of one round by a third, and a
 * round takes three seconds.
 */
const ROUNDS_FACTOR = 3;
/** The most events that a remote agent may send in one run, its beginnings and ends included. */
const MOST_EVENTS = 100_000;
/** The part of such a run that a server tells before it is measured. */
const WARM_UP_PART = 10;
/** How often the memory is looked at during a run, in milliseconds. */
const LOOK_MS = 50;
/** The most memory that one such run may take, in MB: its text is about 2 MB, which some of its events repeat. */
const MOST_MB = 50;

/** M11: a hundred answers of a thousand pieces of an agent of AG-UI, and the same answers of a model, at one server. */
export async function remoteStreams(bench: ModelBench, { quick, rounds }: Size): Promise<void> {
  if (!isOverResponses(bench, 'M11')) return;
  const [streams, pieces] = [100, quick ? 500 : 1000];
  const cells = await bench.alternate(
    rounds * ROUNDS_FACTOR,
    (variant) => bench.streams(variant, streams, { pieces }),
    'remote',
  );
  const perEvent = ({ cpu, result }: Cell): number => cpu / (result.events ?? 1);
  const [remote, own] = [cells.remote.map(perEvent), cells.parley.map(perEvent)];
  const ratios = remote.map((cost, round) => cost / (own[round] ?? cost));
  const ratio = median(ratios);
  bench.report.baseline(own);
  bench.report.add({
    id: 'M11',
    scenario: `${streams} streams of ${pieces} pieces of a remote agent at once: processor time, ${bench.circumstances}`,
    target: `<= ${times(MOST)} the model loop`,
    reached: `${times(ratio)} (${median(remote).toFixed(1)} of ${median(own).toFixed(1)} us per event)`,
    met: ratio <= MOST,
    notes: `ratios of the rounds ${range(ratios, 2)}; CPU us per event: remote ${range(remote, 1)}, model ${range(own, 1)}`,
  });
}

/** M12: the memory of a server while a remote agent sends as much as it may in one run, above that before. */
export async function remoteMemory(bench: ModelBench, { quick }: Size): Promise<void> {
  if (!isOverResponses(bench, 'M12')) return;
  const pieces = (quick ? MOST_EVENTS / 10 : MOST_EVENTS) - 10;
  const { server, stop } = await bench.freshParley();
  const run = (count: number): Promise<unknown> =>
    bench.load({ do: 'streams', wire: 'remote', port: server.port, streams: 1, answer: answerOf({ pieces: count }) });
  await run(Math.floor(pieces / WARM_UP_PART));
  const { heap: heapBefore = 0 } = await server.ask({ ask: 'heap' });
  const resting = async (): Promise<number> => {
    const { rss = 0, young = 0 } = await server.ask({ ask: 'usage' });
    return rss - young;
  };
  const before = await resting();
  const looks = [before];
  const looking = setInterval(() => void resting().then((bytes) => looks.push(bytes)), LOOK_MS);
  await run(pieces);
  clearInterval(looking);
  const { heap = 0 } = await server.ask({ ask: 'heap' });
  await stop();
  const peak = (Math.max(...looks) - before) / MB;
  bench.report.add({
    id: 'M12',
    scenario: `RSS without young objects during a run of ${pieces} pieces of a remote agent, ${bench.circumstances}`,
    target: `<= +${MOST_MB} MB`,
    reached: `${peak.toFixed(0)} MB more`,
    met: peak <= MOST_MB,
    notes: `heap in use after it and a full collection: ${((heap - heapBefore) / MB).toFixed(1)} MB more`,
  });
}

/** Both rows compare over Responses only. */
function isOverResponses({ options: { wire } }: ModelBench, row: string): boolean {
  if (wire === 'responses') return true;
  console.log(`${row.padEnd(4)} skipped: it is measured over responses`);
  return false;
}

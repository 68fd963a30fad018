import { answerOf } from '../answer.js';
import type { ModelBench, ParleyUnderTest } from '../model-bench.js';
import { median, range, times } from '../report.js';
import type { Size } from './size.js';

const REQUESTS = 2000;
const WARM_UP = 6000;
const KEYS = 'bench:a-secret-that-encrypts-the-benchmark';
/** The most that a run may cost with encryption, compared with one without. */
const MOST = 1.35;

/** E1: what encryption costs a short run, as a ratio of the processor time of two servers that take turns. */
export async function encryptionCost(bench: ModelBench, { quick, rounds }: Size): Promise<void> {
  const plain = await bench.freshParley();
  const sealed = await bench.freshParley({ DATA_ENCRYPTION_KEYS: KEYS });
  const [without, encrypted]: [number[], number[]] = [[], []];
  for (const parley of [plain, sealed]) await costOf(bench, parley, quick ? WARM_UP / 3 : WARM_UP);
  for (let round = 0; round < (quick ? 1 : rounds); round += 1) {
    // Each comes first in every other round: what the machine does beside them hits both.
    const order = round % 2 === 0 ? [plain, sealed] : [sealed, plain];
    for (const parley of order) {
      const cost = await costOf(bench, parley, REQUESTS);
      (parley === plain ? without : encrypted).push(cost);
    }
  }
  await Promise.all([plain.stop(), sealed.stop()]);
  const ratios = encrypted.map((cost, round) => cost / (without[round] ?? NaN));
  bench.report.baseline(without);
  bench.report.add({
    id: 'E1',
    scenario: `short requests of 3 pieces with DATA_ENCRYPTION_KEYS, ${bench.circumstances}: processor time compared with none`,
    target: `<= ${MOST}x`,
    reached: times(median(ratios)),
    met: median(ratios) <= MOST,
    notes: `rounds ${range(ratios, 2)}; us per run: encrypted ${range(encrypted)}, without ${range(without)}`,
  });
}

/** Processor time of the server for each run, in microseconds. */
async function costOf(bench: ModelBench, { server }: ParleyUnderTest, requests: number): Promise<number> {
  const { wire } = bench.options;
  const before = await server.cpu();
  const answer = answerOf({ pieces: 3 });
  await bench.load({ do: 'requests', wire, port: server.port, requests, connections: 32, answer });
  return ((await server.cpu()) - before) / requests;
}

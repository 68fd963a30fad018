import { randomUUID } from 'node:crypto';
import { tenantReach } from '../../src/common/index.js';
import type { RunRecord } from '../../src/run/run-record.js';
import { type Content, fillCompacted, fillEvents, fillRuns } from '../ledger/fill.js';
import { LedgerProcess } from '../ledger/process.js';
import { type Bench, median, quantile, type Report, times } from '../report.js';
import type { Size } from './size.js';

const HOUR_MS = 3_600_000;
const EVENTS_OF_RUN = 100;
const RUNS = { small: 100, large: 50_000 };
/** Runs that are executed at once, whose events share a commit. */
const STREAMS = 16;
/** Runs whose streams are resumed: the newest of both databases. */
const RECENT = 100;
const OWNER = { tenantId: 'default', userId: 'user-0' };
/** Turns that do not count. */
const WARM_UPS = 100;
/** How many times slower something may be with five million events. */
const MOST = 1.1;
const RETENTION_SECONDS = 10;

/** One database with runs that are executed and runs that have ended. */
interface Ledger {
  readonly process: LedgerProcess;
  readonly runs: number;
  readonly executed: RunRecord[];
  /** Events of each executed run so far. */
  length: number;
}

/** Something that is timed. */
type Work = (ledger: Ledger) => Promise<void>;

const WORKS: readonly (readonly [id: string, name: string, count: number, work: Work])[] = [
  ['D1', `append an event to each of ${STREAMS} runs`, 2000, append],
  ['D2', 'accept a run', 2000, async (ledger) => void (await accept(ledger))],
  ['D3', 'resume a recent run at its middle', 2000, resume],
  ['D4', 'the newest 50 runs of a tenant', 1000, listRuns],
  ['D5', 'the newest 10 sessions of a tenant', 1000, listSessions],
];

/** D: what five million events cost, beside ten thousand, and how long the removal of a day takes. */
export async function ledgerSize({ report }: Bench, { quick }: Size): Promise<void> {
  const { BENCH_DATABASE_URL: url } = process.env;
  if (!url) return console.log('D    skipped: BENCH_DATABASE_URL names no PostgreSQL');
  const small = await open(url, RUNS.small);
  const large = await open(url, RUNS.large);
  try {
    for (const [id, name, count, work] of WORKS) {
      await compare(report, { id, name, count: quick ? count / 4 : count, work }, small, large);
    }
    await removeDay(report, large);
  } finally {
    await small.process.stop();
    await large.process.stop();
  }
}

async function open(url: string, runs: number): Promise<Ledger> {
  const process = await LedgerProcess.start(url);
  const ledger: Ledger = { process, runs, executed: [], length: 0 };
  const content = contentOf(ledger);
  await fillRuns(process.client, content);
  await fillEvents(process.client, content);
  await process.client.query('VACUUM ANALYZE');
  await process.partitions.createAhead();
  for (let count = 0; count < STREAMS; count += 1) ledger.executed.push(await accept(ledger));
  return ledger;
}

/** All runs ended more than an hour ago. */
function contentOf({ runs }: Pick<Ledger, 'runs'>): Content {
  return { runs, events: EVENTS_OF_RUN, until: Date.now() - 2 * HOUR_MS };
}

/** One after the other, so that both have the same machine: what happens beside them hits both. */
async function compare(
  report: Report,
  { id, name, count, work }: { id: string; name: string; count: number; work: Work },
  small: Ledger,
  large: Ledger,
): Promise<void> {
  const found = { small: [] as number[], large: [] as number[] };
  for (let turn = -WARM_UPS; turn < count; turn += 1) {
    const order = turn % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const);
    for (const which of order) {
      const milliseconds = await timeOf(which === 'small' ? small : large, work);
      if (turn >= 0) found[which].push(milliseconds);
    }
  }
  const ratio = median(found.large) / median(found.small);
  const quartiles = (values: number[]): string =>
    [0.25, 0.75].map((part) => quantile(values, part).toFixed(2)).join(' to ');
  report.add({
    id,
    scenario: `${name}, 5,000,000 events beside 10,000`,
    target: `<= ${times(MOST)}`,
    reached: `${times(ratio)} (${median(found.large).toFixed(2)} of ${median(found.small).toFixed(2)} ms)`,
    met: ratio <= MOST,
    notes: `medians of ${count}; half of them ${quartiles(found.large)} of ${quartiles(found.small)} ms`,
  });
}

async function timeOf(ledger: Ledger, work: Work): Promise<number> {
  const startedAt = performance.now();
  await work(ledger);
  return performance.now() - startedAt;
}

async function append(ledger: Ledger): Promise<void> {
  const firstSeq = ledger.length;
  const line = JSON.stringify({
    object: 'content',
    type: 'text',
    delta: true,
    text: ' word',
    sequence_number: firstSeq,
  });
  const writes = ledger.executed.map((run) => ({
    run,
    firstSeq,
    lines: [line],
    steps: [],
    end: undefined,
    at: Date.now(),
  }));
  const written = await ledger.process.commits.append(writes);
  if (written.includes(false)) throw new Error('an event was not written');
  ledger.length += 1;
}

async function accept({ process }: Ledger): Promise<RunRecord> {
  const id = randomUUID();
  return process.database.write((tx) =>
    process.runs.insert(tx, {
      id,
      principal: OWNER,
      sessionId: id,
      // Sessions are few of the cost; the number only has to be free.
      sessionRowId: 1_000_000 + Math.floor(Math.random() * 1_000_000_000),
      ordinal: 1,
      createdSession: true,
      agentType: 'worker',
      request: { clientTools: [], modelOptions: {}, clientTime: null, forwardedProps: {} },
      authority: null,
      fingerprint: 'f'.repeat(64),
      wire: 'agent-api',
      runKey: null,
      parentRunId: null,
      rootRunId: null,
      wireData: {},
      visibility: 'kept',
      stateBefore: null,
      inputText: 'What is the weather in Paris?',
      lease: { owner: 'bench', until: 9_000_000_000_000 },
      lines: [],
      createdAt: Date.now(),
    }),
  );
}

async function resume({ process, runs }: Ledger): Promise<void> {
  const rowId = runs - Math.floor(Math.random() * RECENT);
  const events = await process.log.read(rowId, EVENTS_OF_RUN / 2, 64);
  if (events[0]?.seq !== EVENTS_OF_RUN / 2) throw new Error(`run ${rowId} has no such event`);
}

async function listRuns({ process }: Ledger): Promise<void> {
  const { items } = await process.search.list(tenantReach('default'), { limit: 50 });
  if (items.length !== 50) throw new Error('the list is not full');
}

async function listSessions({ process }: Ledger): Promise<void> {
  const { items } = await process.sessionSearch.list(tenantReach('default'), { limit: 10 });
  if (items.length !== 10) throw new Error('the list is not full');
}

/** A day of 50,000 compacted runs with 100 events each: first row by row, because its partition stays, then at once. */
async function removeDay(report: Report, ledger: Ledger): Promise<void> {
  const { client, retention, partitions } = ledger.process;
  const content = contentOf(ledger);
  await client.query('DELETE FROM runs WHERE no > $1', [ledger.runs]);
  for (const [id, name, next] of [
    ['D6', 'in a partition that stays', ledger.runs],
    ['D7', 'whose partition is dropped', 250_001],
  ] as const) {
    await fillCompacted(client, content);
    await client.query('VACUUM ANALYZE');
    await client.query(`SELECT setval('runs_no_seq', $1)`, [next]);
    await partitions.createAhead();
    const cpuBefore = await ledger.process.cpuSeconds();
    const startedAt = performance.now();
    const { runs, events } = await retention.pruneAll();
    const seconds = (performance.now() - startedAt) / 1000;
    const cpu = ((await ledger.process.cpuSeconds()) ?? NaN) - (cpuBefore ?? NaN);
    if (runs !== ledger.runs) throw new Error(`${runs} runs lost their events`);
    report.add({
      id,
      scenario: `the retention of a day, ${runs} runs ${name}`,
      target: `< ${RETENTION_SECONDS} s`,
      reached: `${seconds.toFixed(1)} s`,
      met: seconds < RETENTION_SECONDS,
      notes: `${events} events; processor time of PostgreSQL ${cpu.toFixed(1)} s`,
    });
  }
}

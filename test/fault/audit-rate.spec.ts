import { AuditSealer, AuditSealing, AuditTrail } from '../../src/audit/index.js';
import { AuditChains } from '../../src/audit/ports/audit-chains.js';
import { userReach } from '../../src/common/index.js';
import { behaviour, writes } from '../support/code-agents.js';
import { ALICE, describeOnLedgers, nextId, runRequest } from '../support/ledger.js';
import { RunDriver } from '../support/run-driver.js';
import { ACTING_ALICE } from '../support/audit-driver.js';

jest.setTimeout(300_000);

/** Lines of a minute that the sealing has to keep up with (contract access, section 8). */
const LINES_A_MINUTE = 10_000;
const EVERY_MS = 60;
/** How long a line may wait for its seal, in milliseconds. */
const MOST_WAIT_MS = 2000;
/** Of the first test, in milliseconds. */
const WATCHED_MS = 20_000;
/** Times of one kind of the second test, and how long each is, in milliseconds. */
const TURNS = 6;
const TURN_MS = 2500;

describeOnLedgers('the audit trail at 10,000 lines a minute', (ledger) => {
  let server: RunDriver;
  let isOver: boolean;
  let writing: Promise<void>;

  beforeEach(async () => {
    server = await RunDriver.start(ledger());
    behaviour.current = writes('Hello');
    isOver = false;
  });
  afterEach(async () => {
    isOver = true;
    await writing;
    await server.stop();
  });

  /** Writes lines at the rate, each in a transaction of its own. */
  async function writeLines(): Promise<void> {
    const trail = server.get(AuditTrail);
    const content = { userId: ACTING_ALICE.userId ?? '', value: { reason: 'because' } };
    const act = { tenantId: 'default', action: 'approval.approved', by: ACTING_ALICE, content } as const;
    const start = performance.now();
    const pending: Promise<void>[] = [];
    for (let lines = 0; !isOver;) {
      const due = ((performance.now() - start) / 60_000) * LINES_A_MINUTE;
      for (; lines < due; lines += 1) pending.push(trail.record(act));
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    await Promise.all(pending);
  }

  /** How long a short run takes from its acceptance to its end, in milliseconds: its commits, and little else. */
  async function run(): Promise<number> {
    const start = performance.now();
    const { run } = await server.runs.accept(runRequest({ agentType: 'code-fail', sessionId: nextId('session') }));
    for await (const batch of server.runs.tail(userReach(ALICE), run.runId, { accepted: true, run })) void batch;
    return performance.now() - start;
  }

  it('seals each line within 2 s', async () => {
    writing = writeLines();
    let longest = 0;
    const start = performance.now();
    while (performance.now() - start < WATCHED_MS) {
      const oldest = await server.get(AuditChains).oldestWaiting();
      if (oldest !== undefined) longest = Math.max(longest, Date.now() - oldest);
      await run();
    }
    const [row] = await ledger().database.read.all<{ n: number }>(`SELECT COUNT(*) AS n FROM audit_seals`);
    console.log(`audit: ${row?.n} lines sealed in ${WATCHED_MS / 1000} s, the longest wait was ${longest} ms`);
    expect(longest).toBeLessThan(MOST_WAIT_MS);
    expect(Number(row?.n)).toBeGreaterThan((LINES_A_MINUTE / 60_000) * (WATCHED_MS - MOST_WAIT_MS - EVERY_MS));
  });

  it('makes the commits of runs no slower by sealing', async () => {
    await server.get(AuditSealing).beforeApplicationShutdown();
    writing = writeLines();
    for (let warm = 0; warm < 50; warm += 1) await run();
    const times = { sealing: [] as number[], waiting: [] as number[] };
    // In turns, so that what else the machine does is the same for both. A turn seals the lines of two.
    for (let turn = 0; turn < TURNS * 2; turn += 1) {
      const isSealing = turn % 2 === 0;
      const start = performance.now();
      let sealing: Promise<void> | undefined;
      const timer = isSealing && setInterval(() => void (sealing = server.get(AuditSealer).seal()), 1000);
      while (performance.now() - start < TURN_MS) times[isSealing ? 'sealing' : 'waiting'].push(await run());
      if (timer) clearInterval(timer);
      await sealing;
    }
    const ratios = [0.5, 0.9].map((share) => quantile(times.sealing, share) / quantile(times.waiting, share));
    const figures = [0.5, 0.9, 0.99].map(
      (share) => `${quantile(times.sealing, share).toFixed(2)} and ${quantile(times.waiting, share).toFixed(2)} ms`,
    );
    console.log(
      `audit: a run takes (p50, p90, p99) with and without sealing ${figures.join(', ')}; ` +
        `${times.sealing.length} and ${times.waiting.length} runs`,
    );
    expect(ratios[0]).toBeLessThan(1.15);
    expect(ratios[1]).toBeLessThan(1.3);
  });
});

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

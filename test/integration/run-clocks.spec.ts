import { taskStatus } from '../../src/protocol/agent-api/agent-api-tasks.controller.js';
import { RunRetention } from '../../src/run/end/prune-runs.js';
import { type Behaviour, behaviour, say, stopped, writes } from '../support/code-agents.js';
import { RunDriver } from '../support/run-driver.js';
import { makeChoreDue, preventChore } from '../support/chores.js';
import { until } from '../support/until.js';
import {
  ALICE,
  codeOf,
  describeOnLedgers,
  LEASE,
  type Ledger,
  lines,
  logWrite,
  runEnd,
  runRequest,
} from '../support/ledger.js';

/** Does nothing until it is stopped. */
const waits: Behaviour = async function* (context) {
  yield say(context, 'I wait');
  await stopped(context);
};

describeOnLedgers('time limits of runs', (ledger) => {
  let server: RunDriver | undefined;
  const start = async (env: NodeJS.ProcessEnv = {}): Promise<RunDriver> =>
    (server = await RunDriver.start(ledger(), { env }));
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  const accept = async (on: RunDriver, sessionId: string) =>
    (await on.runs.accept(runRequest({ agentType: 'code-fail', sessionId }))).run.runId;
  const lastOf = async (on: RunDriver, runId: string) => (await on.read(runId)).at(-1)?.event;
  /** A run that another process began and left, `attempts` times. */
  const leftBehind = async (self: Ledger, attempts = 1) => {
    let { run } = await self.accept({ agentType: 'code-journal' }, { lease: { ...LEASE, until: 0 } });
    for (let attempt = 1; attempt < attempts; attempt += 1) {
      [run = run] = await self.leases.claim({ owner: 'gone/1/a', until: 1 }, 1);
    }
    return run;
  };

  it('a free slot goes to waiting runs before new ones', async () => {
    const on = await start({ RUN_CONCURRENCY: '1', SWEEP_INTERVAL_MS: '15000' });
    const begun: string[] = [];
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    behaviour.current = async function* (context) {
      begun.push(context.sessionId);
      yield say(context, 'Hi');
      if (context.sessionId === 'first') await gate;
    };
    const first = await accept(on, 'first');
    const waiting = [await accept(on, 'b'), await accept(on, 'c')];
    expect((await on.runs.view(ALICE, waiting[0] ?? '')).state).toBe('queued');
    release();
    await on.read(first);
    const last = await accept(on, 'late');
    for (const runId of [...waiting, last]) expect(await lastOf(on, runId)).toMatchObject({ status: 'completed' });
    expect(begun).toEqual(['first', 'b', 'c', 'late']);
  });

  it('a run that waits too long for a running one ends', async () => {
    const on = await start({ RUN_QUEUE_TIMEOUT_MS: '100' });
    behaviour.current = waits;
    const first = await accept(on, 's');
    const second = await accept(on, 's');
    expect(await lastOf(on, second)).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
    const view = await on.runs.view(ALICE, second);
    expect(view).toMatchObject({ state: 'failed', timedOut: true, startedAt: null, queuePosition: null });
    expect(await taskStatus(on.runs, ALICE, second)).toEqual({ status: 'error', result: 'The run waited too long' });
    expect((await on.runs.view(ALICE, first)).state).toBe('running');
  });

  it('a run without events ends after the idle time-out', async () => {
    const on = await start({ RUN_IDLE_TIMEOUT_MS: '100' });
    behaviour.current = waits;
    const runId = await accept(on, 's');
    const message = 'The run wrote nothing for too long';
    expect(await lastOf(on, runId)).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT', message } });
    expect((await on.runs.view(ALICE, runId)).timedOut).toBe(true);
  });

  it('the time between two attempts does not count', async () => {
    const run = await leftBehind(ledger());
    const since = Date.now() - 3_600_000;
    await ledger().database.write((tx) =>
      tx.run('UPDATE runs SET created_at = ?, started_at = ?, claimed_at = ?, lease_until = ?', [
        since,
        since,
        since,
        since + 1000,
      ]),
    );
    behaviour.current = writes('Back');
    const on = await start({ RUN_TIMEOUT_MS: '60000' });
    expect(await lastOf(on, run.id)).toMatchObject({ status: 'completed' });
    expect((await ledger().find(run)).usedMs).toBe(1000);
  });

  it('the time of earlier attempts counts', async () => {
    const run = await leftBehind(ledger());
    await ledger().database.write((tx) => tx.run('UPDATE runs SET used_ms = 60000'));
    behaviour.current = waits;
    const on = await start({ RUN_TIMEOUT_MS: '60000' });
    expect(await lastOf(on, run.id)).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } });
  });

  it('a run whose log cannot be read fails after the usual number of attempts', async () => {
    const run = await leftBehind(ledger(), 2);
    await ledger().commits.append([logWrite(run, { lines: ['{"object":'] })]);
    const on = await start({ RUN_MAX_ATTEMPTS: '4', LEASE_MS: '500', SWEEP_INTERVAL_MS: '20' });
    for (let view = await on.runs.view(ALICE, run.id); view.finishedAt === null;) {
      await new Promise((resolve) => setImmediate(resolve));
      view = await on.runs.view(ALICE, run.id);
    }
    const error = { code: 'WORKER_LOST' };
    expect(await on.runs.view(ALICE, run.id)).toMatchObject({ state: 'failed', error, attempt: 4, lastSeq: 1 });
    expect(await on.runs.response(ALICE, run.id)).toMatchObject({ status: 'failed', error });
    expect(await ledger().runs.active(run.sessionRowId)).toEqual([]);
  });

  it('old events are removed at the start and counted', async () => {
    const { run } = await ledger().accept({}, { lease: LEASE });
    const old = Date.now() - 3_600_001;
    await ledger().commits.append([logWrite(run, { lines: lines(0, 9), end: runEnd(), at: old })]);
    await makeChoreDue(ledger().database, 'retention');
    // Compaction locks the runs that it works on, and retention leaves locked runs to its next turn.
    await preventChore(ledger().database, 'compaction');
    const on = await start({ RUN_EVENTS_RETENTION: '1h' });
    const retention = on.get(RunRetention);
    await until(() => retention.pruned.runs > 0, 'the chore has removed the events');
    expect(retention.pruned).toEqual({ runs: 1, events: 8 });
    expect(await codeOf(on.read(run.id))).toBe('EVENTS_EXPIRED');
  });
});

import { Metrics, SystemClock } from '../../src/common/index.js';
import { LocalRelay } from '../../src/run/adapters/local/local-relay.js';
import { RunFeeds } from '../../src/run/log/run-feeds.js';
import { RunReader } from '../../src/run/log/run-reader.js';
import { RunWatch } from '../../src/run/log/run-watch.js';
import { HintMetrics } from '../../src/run/hint.metrics.js';
import { ALICE, describeOnLedgers, LEASE, lines, logWrite, nextId, runEnd, runRequest } from '../support/ledger.js';
import { RunDriver } from '../support/run-driver.js';

describeOnLedgers('waiting for the next run of a session', (ledger) => {
  const reader = (): RunReader => {
    const { log, runs, sessions } = ledger();
    const feeds = new RunFeeds();
    return new RunReader(
      log,
      feeds,
      runs,
      sessions,
      new RunWatch({ log, runs }, new LocalRelay(), feeds, new HintMetrics(new Metrics()), new SystemClock()),
    );
  };
  const next = async (after: number, sessionId = 'session', principal = ALICE): Promise<number | undefined> =>
    (await reader().next(principal, sessionId, after, AbortSignal.timeout(10_000)))?.ordinal;

  it('a run that another process accepts in a new session is found', async () => {
    const other = await ledger().another();
    const waiting = next(0);
    await other.accept();
    expect(await waiting).toBe(1);
    const second = next(1);
    await other.accept();
    expect(await second).toBe(2);
    await other.database.close();
  });

  it('only runs that the caller may list are found', async () => {
    const { run } = await ledger().accept({ store: false }, { lease: LEASE });
    const { run: kept } = await ledger().accept();
    expect(await next(0)).toBe(run.ordinal);
    await ledger().commits.append([logWrite(run, { lines: lines(0, 1), end: runEnd() })]);
    expect(await next(0)).toBe(kept.ordinal);
    expect(await ledger().runs.next({ ...ALICE, userId: 'bob' }, 'session', 0)).toBeUndefined();
    expect(await ledger().runs.next({ ...ALICE, tenantId: 'other' }, 'session', 0)).toBeUndefined();
    expect(await ledger().runs.next(ALICE, 'a\0', 0)).toBeUndefined();
    expect(await ledger().runs.next(ALICE, 'session', kept.ordinal)).toBeUndefined();
  });

  it('a run that this process accepts is returned as its view, and nothing after the server has stopped', async () => {
    const server = await RunDriver.start(ledger());
    const sessionId = nextId('session');
    const never = new AbortController().signal;
    const waiting = server.runs.next(ALICE, sessionId, 0, never);
    const { run } = await server.runs.accept(runRequest({ sessionId, agentType: 'code-fail' }));
    expect(await waiting).toMatchObject({ runId: run.runId, sessionId, ordinal: 1 });
    const open = server.runs.next(ALICE, sessionId, 1, never);
    await server.ended(run.runId);
    await server.stop();
    expect(await open).toBeUndefined();
  });

  it('an accepted run comes with its queue position', async () => {
    const first = await ledger().accept({ runId: 'first' }, { lease: LEASE });
    const second = await ledger().accept({ runId: 'second' });
    const third = await ledger().accept({ runId: 'third' });
    const again = await ledger().accept({ runId: 'third' });
    const rival = await ledger().accept({ runId: 'rival', onBusy: 'interrupt' });
    const before = [first, second, third, again, rival].map(({ queuedBefore }) => queuedBefore);
    expect(before).toEqual([0, 0, 1, 1, 0]);
    expect(await ledger().runs.queuedBefore(third.run)).toBe(0);
  });
});

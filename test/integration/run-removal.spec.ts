import type { RunRecord } from '../../src/run/run-record.js';
import { SessionCleaners } from '../../src/agent/session/index.js';
import { type Behaviour, behaviour, say, stopped, writes } from '../support/code-agents.js';
import { RunDriver } from '../support/run-driver.js';
import {
  ALICE,
  codeOf,
  describeOnLedgers,
  LEASE,
  lines,
  logWrite,
  NOW,
  runEnd,
  runRequest,
  userText,
} from '../support/ledger.js';

/** Does nothing until it is stopped. */
const waits: Behaviour = async function* (context) {
  yield say(context, 'I wait');
  await stopped(context);
};

const LEDGER_TABLES = ['sessions', 'messages', 'runs', 'run_event_chunks', 'run_results', 'run_steps', 'interrupts'];

describeOnLedgers('removing runs from the database', (ledger) => {
  const ended = async (request: Parameters<ReturnType<typeof ledger>['accept']>[0] = {}, at = NOW) => {
    const { run } = await ledger().accept(request, { lease: LEASE, now: at });
    const step = { key: 'k', status: 'finished', inputHash: '', output: {}, messageIds: [] } as const;
    await ledger().commits.append([logWrite(run, { lines: lines(0, 3), steps: [step], at })]);
    const end = runEnd({ output: [userText('answer', `o${run.rowId}`)] });
    await ledger().commits.append([logWrite(run, { firstSeq: 3, lines: lines(3, 2), end, at })]);
    return ledger().find(run);
  };
  const numbers = async (run: RunRecord): Promise<number[]> =>
    (await ledger().log.read(run.rowId, 0, 100)).map(({ seq }) => seq);

  it('old runs keep their terminal event only, a few runs at a time', async () => {
    const runs = [await ended({}, NOW), await ended({}, NOW + 1), await ended({}, NOW + 2), await ended({}, NOW + 9)];
    expect(await ledger().prune(NOW + 5, NOW + 10, 2)).toEqual({ runs: 2, events: 8 });
    expect(await ledger().prune(NOW + 5, NOW + 11, 2)).toEqual({ runs: 1, events: 4 });
    expect(await ledger().prune(NOW + 5, NOW + 12, 2)).toEqual({ runs: 0, events: 0 });
    const found = await Promise.all(runs.map((run) => ledger().find(run)));
    expect(found.map(({ eventsPrunedAt }) => eventsPrunedAt)).toEqual([NOW + 10, NOW + 10, NOW + 11, null]);
    expect(await Promise.all(runs.map(numbers))).toEqual([[4], [4], [4], [0, 1, 2, 3, 4]]);
    expect(await ledger().count('run_steps')).toBe(1);
    expect(await ledger().count('messages')).toBe(8);
  });

  it('running runs are kept, and transient ones are removed entirely', async () => {
    const transient = await ended({ sessionId: 't', store: false });
    const running = await ledger().running();
    expect(await ledger().prune(NOW + 1, NOW + 2, 9)).toEqual({ runs: 1, events: 5 });
    expect(await ledger().runs.find(ALICE, transient.id)).toBeUndefined();
    expect((await ledger().find(running)).eventsPrunedAt).toBeNull();
    expect(await ledger().removeRun(running)).toBeUndefined();
    expect(await ledger().removeSession(running.sessionRowId)).toBeUndefined();
  });

  it('a run is removed with everything that belongs to it, and nothing else', async () => {
    const [first, second] = [await ended({ runKey: 'k' }), await ended()];
    expect(await ledger().removeRun(first)).toEqual([]);
    expect(await ledger().runs.find(ALICE, first.id)).toBeUndefined();
    expect(await numbers(first)).toEqual([]);
    expect(await numbers(second)).toHaveLength(5);
    expect(await ledger().count('messages')).toBe(2);
    expect((await ledger().accept({ runKey: 'k' })).created).toBe(true);
  });

  it('rows of other features are removed in the same transaction', async () => {
    const run = await ended();
    const seen: unknown[] = [];
    const done = (): Promise<void> => Promise.resolve();
    let fails = true;
    ledger().cleaners.register({
      cleanSession: (_, session) => {
        seen.push(session);
        return fails ? Promise.reject(new Error('no')) : Promise.resolve(done);
      },
      cleanRun: (_, { runId, sessionId }) => {
        seen.push([runId, sessionId]);
        return Promise.resolve(undefined);
      },
    });
    await expect(ledger().removeSession(run.sessionRowId)).rejects.toThrow('no');
    expect(await ledger().count('messages')).toBe(2);
    fails = false;
    const other = await ended();
    await ledger().removeRun(other);
    expect(await ledger().removeSession(run.sessionRowId)).toEqual([done]);
    const owner = { rowId: run.sessionRowId, tenantId: 'default', userId: 'alice', sessionId: 'session' };
    expect(seen).toEqual([owner, [other.id, 'session'], owner]);
    expect(await Promise.all(LEDGER_TABLES.map((table) => ledger().count(table)))).toEqual(LEDGER_TABLES.map(() => 0));
  });
});

describeOnLedgers('removing runs that may be running', (ledger) => {
  let server: RunDriver;
  beforeEach(async () => (server = await RunDriver.start(ledger())));
  afterEach(() => server.stop());

  const accept = async (overrides: Parameters<typeof runRequest>[0] = {}) =>
    (await server.runs.accept(runRequest({ agentType: 'code-fail', ...overrides }))).run;

  it('a running run is cancelled first and removed once it has ended', async () => {
    behaviour.current = waits;
    const running = await accept();
    const waiting = await accept();
    expect(await server.runs.view(ALICE, waiting.runId)).toMatchObject({ state: 'queued', queuePosition: 1 });
    await server.runs.remove(ALICE, running.runId);
    expect(await codeOf(server.runs.view(ALICE, running.runId))).toBe('RUN_NOT_FOUND');
    expect(await codeOf(server.runs.remove(ALICE, running.runId))).toBe('RUN_NOT_FOUND');
    expect(await codeOf(server.runs.remove({ ...ALICE, tenantId: 'x' }, waiting.runId))).toBe('RUN_NOT_FOUND');
    await server.runs.removeSession(ALICE, 'session');
    expect(await codeOf(server.runs.removeSession(ALICE, 'session'))).toBe('SESSION_NOT_FOUND');
    expect(await Promise.all(LEDGER_TABLES.map((table) => ledger().count(table)))).toEqual(LEDGER_TABLES.map(() => 0));
  });

  it('tasks after the commit are executed', async () => {
    behaviour.current = writes('Hi');
    const { runId } = await accept();
    await server.read(runId);
    let left = 0;
    const step = async (): Promise<void> => {
      left = (await server.sessions.view(ALICE, 'session')) ? 1 : 2;
      throw new Error('this is only logged');
    };
    server.get(SessionCleaners).register({ cleanSession: () => Promise.resolve(step) });
    await server.runs.removeSession(ALICE, 'session');
    expect(left).toBe(2);
  });

  it('a transient run is visible only to the request that created it', async () => {
    behaviour.current = writes('Hi');
    const { runId } = await accept({ store: false });
    const events = await server.read(runId, { accepted: true });
    const last = events.at(-1)?.event;
    expect(await server.runs.response(ALICE, runId, { accepted: true })).toEqual(last);
    expect(await server.read(runId, { accepted: true })).toEqual(events);
    expect(await codeOf(server.runs.view(ALICE, runId))).toBe('RUN_NOT_FOUND');
    expect(await codeOf(server.read(runId))).toBe('RUN_NOT_FOUND');
    expect(await codeOf(server.runs.remove(ALICE, runId))).toBe('RUN_NOT_FOUND');
    expect(await server.runs.list(ALICE, 'session')).toEqual([]);
    expect(await server.sessions.messages(ALICE, 'session', { limit: 9, order: 'asc' })).toEqual([]);
  });

  it('a run whose events were removed answers 410 with the earliest cursor, and keeps its response', async () => {
    behaviour.current = writes('Hi');
    const { runId } = await accept();
    const events = await server.read(runId);
    const response = await server.runs.response(ALICE, runId);
    await ledger().prune(Date.now() + 1, Date.now(), 9);
    expect(await codeOf(server.read(runId))).toBe('EVENTS_EXPIRED');
    await expect(server.read(runId)).rejects.toMatchObject({
      status: 410,
      details: [{ path: 'after', rule: 'earliest', limit: events.length - 1 }],
    });
    expect(await server.runs.response(ALICE, runId)).toEqual(response);
    expect(await server.read(runId, { after: events.length - 2 })).toEqual(events.slice(-1));
    expect(await server.read(runId, { after: events.length - 1 })).toEqual([]);
  });

  it('a run that supersedes another starts as soon as that one has ended', async () => {
    const begun = new Promise<void>((resolve) => {
      behaviour.current = (context) => {
        resolve();
        return waits(context);
      };
    });
    const running = await accept();
    await begun;
    behaviour.current = writes('Next');
    const next = await accept({ onBusy: 'interrupt' });
    expect((await server.read(running.runId)).at(-1)?.event).toMatchObject({ status: 'canceled' });
    expect((await server.read(next.runId)).at(-1)?.event).toMatchObject({ status: 'completed' });
  });
});

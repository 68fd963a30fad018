import type { RunRecord } from '../../src/run/run-record.js';
import { ALICE, codeOf, describeOnLedgers, LEASE, lines, logWrite, NOW, runEnd, userText } from '../support/ledger.js';

describeOnLedgers('the options of a run request', (ledger) => {
  const end = async (run: RunRecord, answer: string, state = undefined as Record<string, number> | undefined) => {
    const fresh = await ledger().find(run);
    const ending = runEnd({ output: [userText(answer, answer)], sessionState: state });
    const [written] = await ledger().commits.append([
      logWrite(fresh, { firstSeq: fresh.nextSeq, lines: lines(fresh.nextSeq, 1), end: ending }),
    ]);
    expect(written).toBe(true);
  };
  const history = async (run: RunRecord): Promise<string[]> =>
    (await ledger().sessions.history(run.sessionRowId, run.ordinal, 100)).messages.map(({ id }) => id);
  const start = async (request: Parameters<ReturnType<typeof ledger>['accept']>[0]) =>
    (await ledger().accept(request, { lease: LEASE })).run;

  it('the data of the wire is stored with the run', async () => {
    const { run } = await ledger().accept({
      wire: 'runs',
      runKey: 'run-001',
      parentRunId: 'run-000',
      wireData: { tools: [1] },
      systemPrompt: 'In verse.',
    });
    expect(run).toMatchObject({
      wire: 'runs',
      runKey: 'run-001',
      parentRunId: 'run-000',
      wireData: { tools: [1] },
      request: { systemPrompt: 'In verse.' },
      createdSession: true,
      visibility: 'kept',
    });
    const plain = (await ledger().accept()).run;
    expect(plain).toMatchObject({ wire: 'agent-api', runKey: null, wireData: {}, createdSession: false, ordinal: 2 });
  });

  it('a client’s run key is a replay inside its session only', async () => {
    const first = await ledger().accept({ runKey: 'k' });
    const again = await ledger().accept({ runKey: 'k' });
    expect(again).toMatchObject({ created: false, run: { rowId: first.run.rowId, createdSession: true } });
    expect(await codeOf(ledger().accept({ runKey: 'k' }, { fingerprint: 'x' }))).toBe('RUN_ID_CONFLICT');
    const other = await ledger().accept({ runKey: 'k', sessionId: 'other' });
    expect(other.created).toBe(true);
    expect((await ledger().runs.findByKey(ALICE, 'session', 'k'))?.rowId).toBe(first.run.rowId);
    expect(await ledger().runs.findByKey(ALICE, 'session', '\0')).toBeUndefined();
    expect(await ledger().runs.findByKey({ ...ALICE, userId: 'bob' }, 'session', 'k')).toBeUndefined();
  });

  it('20 simultaneous requests with one key make one run', async () => {
    const request = { runKey: 'same', input: [userText('Hello', 'm')] };
    const accepted = await Promise.all(Array.from({ length: 20 }, () => ledger().accept(request)));
    expect(accepted.filter(({ created }) => created)).toHaveLength(1);
    expect(await ledger().count('runs')).toBe(1);
  });

  it('the runs of a session are listed, newest first', async () => {
    for (let i = 0; i < 4; i += 1) await ledger().accept();
    const ordinals = async (query: Parameters<ReturnType<typeof ledger>['runs']['list']>[2]) =>
      (await ledger().runs.list(ALICE, 'session', query)).map(({ ordinal }) => ordinal);
    expect(await ordinals({ limit: 3 })).toEqual([4, 3, 2]);
    expect(await ordinals({ limit: 3, before: 3 })).toEqual([2, 1]);
    expect(await ordinals({ limit: 3, states: ['running'] })).toEqual([]);
    expect(await ordinals({ limit: 3, states: [] })).toEqual([]);
    expect(await ledger().runs.list({ ...ALICE, userId: 'bob' }, 'session', { limit: 3 })).toEqual([]);
    const third = (await ledger().runs.list(ALICE, 'session', { limit: 2 }))[1];
    expect(third && (await ledger().runs.queuedBefore(third))).toBe(2);
  });

  it('input and output messages are distinguished', async () => {
    const run = await start({ input: [userText('a', 'a'), userText('b', 'b')] });
    await end(run, 'answer');
    expect((await ledger().sessions.inputOf(run.sessionRowId, run.rowId)).messages.map(({ id }) => id)).toEqual([
      'a',
      'b',
    ]);
  });

  it('a request after the newest run continues its session, and one after an older run forks it', async () => {
    const first = await start({ input: [userText('1', 'i1')], state: { n: 1 } });
    await end(first, 'o1');
    const second = await start({ sessionId: 'ignored', after: first.id, input: [userText('2', 'i2')] });
    expect(second).toMatchObject({ sessionRowId: first.sessionRowId, sessionId: 'session', createdSession: false });
    expect(await codeOf(ledger().accept({ sessionId: 'f', after: first.id, runId: 'x' }))).toBe('resolved');
    await end(second, 'o2');
    const fork = await start({ sessionId: 'fork', after: first.id, input: [userText('3', 'i3')] });
    expect(fork).toMatchObject({ sessionId: 'fork', createdSession: true, state: 'running' });
    expect(await history(fork)).toEqual(['i1', 'o1']);
    expect(await ledger().sessions.state(fork.sessionRowId)).toEqual({ n: 1 });
    await end(fork, 'o3');
    const further = await start({ after: fork.id, sessionId: 'g', input: [userText('4', 'i4')] });
    expect(further.sessionRowId).toBe(fork.sessionRowId);
    expect(await history(further)).toEqual(['i1', 'o1', 'i3', 'o3']);
    expect(await codeOf(ledger().accept({ sessionId: 'fork', after: first.id }))).toBe('SESSION_EXISTS');
  });

  it('two simultaneous requests after one run get two conversations', async () => {
    const first = await start({ input: [userText('1', 'i1')] });
    await end(first, 'o1');
    const children = await Promise.all(
      ['a', 'b'].map((sessionId) => start({ sessionId, after: first.id, input: [userText('2', sessionId)] })),
    );
    expect(new Set(children.map(({ sessionRowId }) => sessionRowId)).size).toBe(2);
    for (const child of children) expect(await history(child)).toEqual(['i1', 'o1']);
  });

  it('a request after a run whose session is removed in the meantime is refused', async () => {
    const { id, sessionRowId } = await start({});
    await end((await ledger().runs.find(ALICE, id)) as RunRecord, 'o1');
    const { sessions, database } = ledger();
    const lock = jest.spyOn(sessions, 'lock');
    // On SQLite there is one writer: the removal comes after the request, or before it.
    if (database.dialect === 'postgres') {
      lock.mockImplementationOnce(async (tx, rowId) => {
        lock.mockRestore();
        await ledger().removeSession(sessionRowId);
        return sessions.lock(tx, rowId);
      });
    } else await ledger().removeSession(sessionRowId);
    expect(await codeOf(ledger().accept({ after: id }))).toBe('RUN_NOT_FOUND');
    lock.mockRestore();
    expect(await ledger().count('runs')).toBe(0);
  });

  it('a request after an unknown run or one of another user is refused', async () => {
    const run = await start({});
    const bob = { ...ALICE, userId: 'bob' };
    for (const after of ['none', 'a\0b', '\ud800'])
      expect(await codeOf(ledger().accept({ after }))).toBe('RUN_NOT_FOUND');
    expect(await codeOf(ledger().accept({ principal: bob, after: run.id }))).toBe('RUN_NOT_FOUND');
    const waiting = (await ledger().accept()).run;
    expect(await codeOf(ledger().accept({ after: run.id, sessionId: 'f' }))).toBe('SESSION_BUSY');
    expect((await ledger().accept({ after: waiting.id, sessionId: 'f' })).run).toMatchObject({ ordinal: 3 });
  });

  it('a run that is not stored is not part of the conversation', async () => {
    const first = await start({ input: [userText('1', 'i1')] });
    await end(first, 'o1');
    const transient = await start({ store: false, after: first.id, input: [userText('2', 'i2')] });
    expect(transient).toMatchObject({ visibility: 'transient', sessionRowId: first.sessionRowId });
    expect(
      (await ledger().sessions.inputOf(transient.sessionRowId, transient.rowId)).messages.map(({ id }) => id),
    ).toEqual(['i2']);
    expect(await history(transient)).toEqual(['i1', 'o1']);
    await end(transient, 'o2');
    expect(await codeOf(ledger().accept({ after: transient.id }))).toBe('RUN_NOT_FOUND');
    const third = await start({ after: first.id, sessionId: 'unused' });
    expect(third.sessionRowId).toBe(first.sessionRowId);
    expect(await history(third)).toEqual(['i1', 'o1']);
    expect((await ledger().runs.list(ALICE, 'session', { limit: 9 })).map(({ rowId }) => rowId)).toEqual([
      third.rowId,
      first.rowId,
    ]);
  });

  it('with onBusy=interrupt the other runs end and keep their messages', async () => {
    const running = await start({ input: [userText('1', 'i1')] });
    const waiting = (await ledger().accept({ input: [userText('2', 'i2')] })).run;
    const accepted = await ledger().accept({ onBusy: 'interrupt' }, { lease: LEASE, queueLimit: 1 });
    expect(accepted).toMatchObject({
      canceled: [
        { rowId: waiting.rowId, finishedAt: NOW },
        { rowId: running.rowId, finishedAt: null },
      ],
      run: { state: 'queued', ordinal: 3 },
    });
    expect(await ledger().find(running)).toMatchObject({ state: 'running', cancelRequestedAt: NOW });
    expect((await ledger().find(waiting)).state).toBe('canceled');
    await end(running, 'o1');
    expect(await history(accepted.run)).toEqual(['i1', 'o1', 'i2']);
  });

  it('interrupting works while the runs end by themselves', async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, (_, n) => start({ sessionId: `s${n}`, state: { n } })));
    await Promise.all(
      runs.flatMap((run) => [
        end(run, `o${run.rowId}`, { n: -1 }),
        ledger().accept({ sessionId: run.sessionId, onBusy: 'rollback' }, { lease: LEASE }),
        ledger().cancel(run.id, { now: NOW, rollback: true }),
      ]),
    );
    expect(await ledger().count('runs')).toBe(40);
  });

  it('a run that supersedes only queued ones starts at once', async () => {
    const queued = (await ledger().accept()).run;
    const { run, canceled } = await ledger().accept({ onBusy: 'interrupt' }, { lease: LEASE });
    expect(canceled).toMatchObject([{ rowId: queued.rowId, state: 'canceled', finishedAt: NOW }]);
    expect(run).toMatchObject({ state: 'running', ordinal: 2 });
  });

  it('with onBusy=rollback the messages and the state of the superseded runs are discarded', async () => {
    const first = await start({ state: { n: 0 } });
    await end(first, 'o0');
    const running = await start({ state: { n: 1 }, input: [userText('1', 'i1')] });
    await ledger().accept({ state: { n: 2 }, input: [userText('2', 'i2')] });
    expect(await ledger().sessions.state(first.sessionRowId)).toEqual({ n: 2 });
    const { run } = await ledger().accept({ onBusy: 'rollback', input: [userText('1', 'i1')] }, { lease: LEASE });
    expect(await ledger().sessions.state(first.sessionRowId)).toEqual({ n: 0 });
    await end(running, 'o1', { n: 3 });
    expect(await ledger().sessions.state(first.sessionRowId)).toEqual({ n: 0 });
    expect((await history(run)).slice(1)).toEqual(['o0']);
    // What was rolled back may be sent again under its old id.
    expect((await ledger().sessions.inputOf(run.sessionRowId, run.rowId)).messages.map(({ id }) => id)).toEqual(['i1']);
  });

  it('one run can be rolled back between two others that wrote the state', async () => {
    const running = await start({ state: { n: 1 } });
    const waiting = (await ledger().accept({ state: { n: 2 } })).run;
    await ledger().cancel(running.id, { now: NOW, rollback: true });
    expect(await ledger().sessions.state(running.sessionRowId)).toEqual({ n: 2 });
    await ledger().cancel(waiting.id, { now: NOW, rollback: true });
    expect(await ledger().sessions.state(running.sessionRowId)).toEqual({});
  });
});

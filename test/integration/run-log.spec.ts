import type { Message } from '../../src/events/index.js';
import type { LogWrite } from '../../src/run/ports/run-log.js';
import type { RunRecord } from '../../src/run/run-record.js';
import { describeOnLedgers, LEASE, lines, logWrite, runEnd, userText } from '../support/ledger.js';

describeOnLedgers('the run log', (ledger) => {
  const append = async (...writes: LogWrite[]) => [...(await ledger().commits.append(writes))];
  const texts = async (run: RunRecord, from = 0, limit = 10_000) =>
    (await ledger().log.read(run.rowId, from, limit)).map(({ seq, json }) => [seq, json]);
  const numbered = (from: number, count: number) => lines(from, count).map((line, index) => [from + index, line]);
  const step = { key: 'k', status: 'begun' as const, inputHash: 'h', output: null, messageIds: [] };

  it('a write under an old fence is refused with everything in it', async () => {
    const run = await ledger().running();
    await ledger().endLease(run);
    const [taken] = await ledger().leases.claim({ owner: 'b/1/b', until: LEASE.until }, 1);
    const end = runEnd({ output: [userText('late')], sessionState: { late: true } });
    expect(await append(logWrite(run, { lines: lines(0, 3), steps: [step], end }))).toEqual([false]);
    expect(await texts(run)).toEqual([]);
    expect(await ledger().log.steps(run.rowId)).toEqual([]);
    expect(await ledger().count('messages')).toBe(1);
    expect(await ledger().find(run)).toEqual(taken);
  });

  it('events are appended at the end of the log only, and none after the run has ended', async () => {
    const run = await ledger().running();
    expect(await append(logWrite(run, { lines: lines(0, 2) }))).toEqual([true]);
    for (const firstSeq of [0, 1, 3]) {
      expect(await append(logWrite(run, { firstSeq, lines: lines(firstSeq, 1) }))).toEqual([false]);
    }
    expect(await append(logWrite(run, { firstSeq: 2, lines: lines(2, 1), end: runEnd() }))).toEqual([true]);
    expect(await append(logWrite(run, { firstSeq: 3, lines: lines(3, 1) }))).toEqual([false]);
    expect(await texts(run)).toEqual(numbered(0, 3));
  });

  it('the log is read without gaps from every cursor, whatever its chunks', async () => {
    const run = await ledger().running();
    let total = 0;
    for (const size of [1, 7, 1, 3, 13, 2, 1, 1, 5]) {
      await append(logWrite(run, { firstSeq: total, lines: lines(total, size) }));
      total += size;
    }
    for (let from = 0; from <= total + 1; from += 1) {
      expect(await texts(run, from)).toEqual(numbered(from, Math.max(0, total - from)));
      for (const limit of [1, 4]) {
        const page = await texts(run, from, limit);
        expect(page).toEqual(numbered(from, page.length));
        expect(page.length >= Math.min(limit, total - from)).toBe(true);
      }
    }
    expect((await ledger().find(run)).nextSeq).toBe(total);
  });

  it('every event has the time of its commit', async () => {
    const [one, other] = [await ledger().running(), await ledger().running()];
    const [first, second] = [1_800_000_000_001, 1_800_000_000_002];
    await append(logWrite(one, { lines: lines(0, 2), at: first }), logWrite(other, { lines: lines(0, 1), at: second }));
    await append(logWrite(other, { firstSeq: 1, lines: lines(1, 1), at: first }));
    const times = async (run: RunRecord) => (await ledger().log.read(run.rowId, 0, 9)).map(({ at }) => at);
    expect(await times(one)).toEqual([first, first]);
    expect(await times(other)).toEqual([second, first]);
  });

  it('the end of a run commits its event, state, messages and session state together', async () => {
    const run = await ledger().running();
    const error = { code: 'AGENT_ERROR', message: 'No' };
    const usage = { input_tokens: 1, output_tokens: 2 };
    const end = runEnd({ state: 'failed', error, usage, output: [userText('answer', 'a')], sessionState: { n: 1 } });
    expect(await append(logWrite(run, { lines: lines(0, 1), end }))).toEqual([true]);
    const ended = await ledger().find(run);
    expect(ended).toMatchObject({ state: 'failed', error, usage, nextSeq: 1, leaseOwner: null });
    expect(ended.finishedAt).not.toBeNull();
    expect((await ledger().sessions.history(run.sessionRowId, 2, 10)).messages.map(({ id }) => id)).toContain('a');
    expect(await ledger().sessions.state(run.sessionRowId)).toEqual({ n: 1 });
  });

  it('messages before the end are added once and in order, and none of a discarded run', async () => {
    const said = async (run: RunRecord) =>
      (await ledger().sessions.history(run.sessionRowId, 2, 10)).messages
        .map(({ id }) => id)
        .filter((id) => !/^msg-/.test(id));
    const run = await ledger().running();
    const [a, b, c] = ['a', 'b', 'c'].map((id) => userText(id, id)) as [Message, Message, Message];
    await append(logWrite(run, { lines: lines(0, 1), messages: [a] }));
    expect(await said(run)).toEqual(['a']);
    // A write of a step alone may be made twice.
    const alone = logWrite(run, { firstSeq: 1, steps: [step], messages: [b] });
    expect([await append(alone), await append(alone)]).toEqual([[true], [true]]);
    expect(await append({ ...alone, run: { ...run, fence: 9 }, messages: [c] })).toEqual([false]);
    expect(await ledger().sessions.outputCount(run.sessionRowId, run.rowId)).toBe(2);
    await append(logWrite(run, { firstSeq: 1, lines: lines(1, 1), end: runEnd({ output: [c] }) }));
    expect(await said(run)).toEqual(['a', 'b', 'c']);

    const [transient, rolledBack] = [await ledger().running({ store: false }), await ledger().running()];
    await append(logWrite(rolledBack, { lines: lines(0, 1), messages: [a] }));
    await ledger().cancel(rolledBack.id, { now: 5, rollback: true });
    await append(
      logWrite(transient, { lines: lines(0, 1), messages: [a] }),
      logWrite(rolledBack, { firstSeq: 1, lines: lines(1, 1), messages: [b] }),
    );
    expect([await said(transient), await said(rolledBack)]).toEqual([[], []]);
    expect(await ledger().sessions.outputCount(rolledBack.sessionRowId, rolledBack.rowId)).toBe(1);
  });

  it('a cancel that comes after the end closes the interrupts of that end', async () => {
    const run = await ledger().running();
    const item = {
      ...{ id: 'apr_late', kind: 'approval' as const, call_id: 'c1', tool_name: 'pay', arguments: '{}' },
      ...{
        server_label: 'local',
        reason: null,
        message: null,
        response_schema: null,
        may_edit: false,
        expires_at: null,
      },
    };
    await ledger().cancel(run.id, { now: 5 });
    const end = runEnd({ state: 'interrupted', asked: [{ item, key: null }] });
    expect(await append(logWrite(run, { lines: lines(0, 1), end }))).toEqual([true]);
    const sql = `SELECT status FROM interrupts WHERE id = 'apr_late'`;
    expect(await ledger().database.read.all(sql)).toEqual([{ status: 'cancelled' }]);
  });

  it('an end whose messages cannot be written commits nothing', async () => {
    const run = await ledger().running();
    const bad = { ...userText('bad'), type: undefined as unknown as 'message' };
    const write = logWrite(run, { lines: lines(0, 1), end: runEnd({ output: [bad], sessionState: { n: 1 } }) });
    // The driver's errors come from outside of jest's realm.
    await expect(append(write)).rejects.toBeTruthy();
    expect(await ledger().find(run)).toEqual(run);
    expect(await texts(run)).toEqual([]);
    expect(await ledger().sessions.state(run.sessionRowId)).toEqual({});
  });

  it('a lost acknowledgement is resolved by reading whether the write was committed', async () => {
    const run = await ledger().running();
    const write = logWrite(run, { lines: lines(0, 2), steps: [step] });
    expect(await ledger().log.committed(write)).toBe(false);
    await append(write);
    expect(await ledger().log.committed(write)).toBe(true);
    const end = logWrite(run, { firstSeq: 2, lines: lines(2, 1), end: runEnd() });
    expect(await ledger().log.committed(end)).toBe(false);
    await append(end);
    expect(await ledger().log.committed(end)).toBe(true);
    expect(await ledger().log.committed({ ...end, run: { ...run, fence: 7 } })).toBe(false);
  });

  it('a journal entry that was not written is never taken for committed and may be written again', async () => {
    const run = await ledger().running();
    const write = logWrite(run, { steps: [step] });
    expect(await ledger().log.committed(write)).toBe(false);
    expect([await append(write), await append(write)]).toEqual([[true], [true]]);
    expect(await ledger().log.steps(run.rowId)).toEqual([{ ...step, updatedAt: write.at }]);
  });

  it('a step keeps the time at which it was begun first', async () => {
    const run = await ledger().running();
    await append(logWrite(run, { steps: [{ ...step, status: 'begun', output: null, startedAt: 5 }], at: 5 }));
    await append(logWrite(run, { steps: [{ ...step, startedAt: 7 }], at: 9 }));
    expect(await ledger().log.steps(run.rowId)).toEqual([{ ...step, startedAt: 5, updatedAt: 9 }]);
  });

  it.each([2, 4])(
    'a stale worker of the same process is refused in the commit of the new one: at %i',
    async (firstSeq) => {
      const stale = await ledger().running();
      await append(logWrite(stale, { lines: lines(0, 2) }));
      await ledger().endLease(stale);
      const [taken] = await ledger().leases.claim(LEASE, 1);
      const fresh = logWrite({ ...stale, fence: taken?.fence ?? 0 });
      const late = logWrite(stale, { firstSeq, lines: lines(firstSeq, 2) });
      expect(await append(late, { ...fresh, firstSeq: 2, lines: lines(2, 3) })).toEqual([false, true]);
      expect(await append({ ...fresh, firstSeq: 5, lines: lines(5, 1) }, late)).toEqual([true, false]);
      expect(await texts(stale)).toEqual(numbered(0, 6));
    },
  );

  it('a batch is committed except for the write with a stale fence', async () => {
    const runs = await Promise.all(Array.from({ length: 6 }, () => ledger().running()));
    const writes = runs.map((run, index) => logWrite(run, { lines: lines(0, index + 1) }));
    const at = (index: number, change: Partial<LogWrite>) =>
      (writes[index] = { ...writes[index], ...change } as LogWrite);
    at(1, { run: { ...(runs[1] as RunRecord), fence: 99 } });
    at(2, { steps: [{ ...step, status: 'finished', output: { x: 1 }, messageIds: ['m'] }] });
    at(3, { end: runEnd() });
    at(4, { lines: [JSON.stringify({ text: 'NUL \u0000, "quotes", \\, 😀, \ud800' })] });
    expect(await append(...writes)).toEqual([true, false, true, true, true, true]);
    for (const [index, run] of runs.entries()) {
      const expected = index === 1 ? [] : (writes[index]?.lines ?? []).map((line, seq) => [seq, line]);
      expect(await texts(run)).toEqual(expected);
    }
    const [, , stepped, ended] = runs;
    expect(stepped && (await ledger().log.steps(stepped.rowId))).toMatchObject([
      { status: 'finished', output: { x: 1 } },
    ]);
    expect(ended && (await ledger().find(ended)).state).toBe('completed');
  });
});

import { SystemClock } from '../../src/common/index.js';
import type { SessionMessage } from '../../src/agent/session/index.js';
import { SqlSessions } from '../../src/agent/session/adapters/sessions.sql.js';
import { ALICE, codeOf, describeOnLedgers, LEASE, lines, logWrite, NOW, runEnd, userText } from '../support/ledger.js';

const BOB = { ...ALICE, userId: 'bob' };

describeOnLedgers('sessions', (ledger) => {
  let now = NOW;
  class TestClock extends SystemClock {
    override now(): number {
      return now;
    }
  }
  const sessions = (): SqlSessions => new SqlSessions(ledger().database, ledger().sessions, new TestClock());
  const ids = (messages: readonly SessionMessage[]): string[] => messages.map(({ message }) => message.id);

  beforeEach(() => (now = NOW));

  it('a session is created once, with metadata, and visible to its user only', async () => {
    const made = await sessions().create(ALICE, 's', { title: 'Plan' });
    expect(made).toEqual({
      sessionId: 's',
      createdAt: NOW,
      updatedAt: NOW,
      runCount: 0,
      agentType: null,
      metadata: { title: 'Plan' },
      state: {},
    });
    expect(await sessions().view(ALICE, 's')).toEqual(made);
    expect(await codeOf(sessions().create(ALICE, 's'))).toBe('SESSION_EXISTS');
    expect(await sessions().view(BOB, 's')).toBeUndefined();
    expect(await sessions().view({ ...ALICE, tenantId: 'other' }, 's')).toBeUndefined();
    for (const id of ['none', 'a\0', '\ud800']) {
      expect(await sessions().view(ALICE, id)).toBeUndefined();
      expect(await sessions().messages(ALICE, id, { limit: 9, order: 'asc' })).toEqual([]);
    }
  });

  it('metadata and state are stored', async () => {
    await sessions().create(ALICE, 's');
    now += 5;
    expect(await sessions().saveMetadata(ALICE, 's', { a: 1 })).toMatchObject({ metadata: { a: 1 }, updatedAt: now });
    expect(await sessions().saveState(ALICE, 's', { n: 1 })).toMatchObject({ state: { n: 1 }, metadata: { a: 1 } });
    expect(await codeOf(sessions().saveMetadata(BOB, 's', {}))).toBe('SESSION_NOT_FOUND');
    expect(await codeOf(sessions().saveState(ALICE, 'none', {}))).toBe('SESSION_NOT_FOUND');
  });

  it('sessions are listed by their last change, in pages', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await sessions().create(ALICE, id);
      now += id === 'b' ? 0 : 10;
    }
    await sessions().create(BOB, 'z');
    await sessions().saveState(ALICE, 'a', {});
    const pages = async (order?: 'asc' | 'desc'): Promise<string[][]> => {
      const found: string[][] = [];
      for (let cursor: string | undefined = undefined, first = true; first || cursor !== undefined; first = false) {
        const page: Awaited<ReturnType<SqlSessions['list']>> = await sessions().list(ALICE, {
          limit: 2,
          ...(cursor === undefined ? {} : { cursor }),
          ...(order ? { order } : {}),
        });
        found.push(page.items.map(({ sessionId }) => sessionId));
        cursor = page.nextCursor;
      }
      return found;
    };
    expect(await pages()).toEqual([['a', 'e'], ['d', 'c'], ['b']]);
    expect(await pages('asc')).toEqual([['b', 'c'], ['d', 'e'], ['a']]);
    for (const cursor of ['', 'x', 'MTIz', Buffer.from('1.99999999999').toString('base64url')]) {
      expect(await codeOf(sessions().list(ALICE, { limit: 2, cursor }))).toBe('INVALID_PARAMETER');
    }
  });

  it('a list can be limited to an agent type and to sessions without a flag; its pages are full', async () => {
    const agents = ['a', 'b', 'a', 'a', 'a'];
    for (const [index, agentType] of agents.entries()) {
      await ledger().accept({ sessionId: `s${index}`, agentType });
    }
    await sessions().create(ALICE, 'empty', { archived: false });
    await sessions().saveMetadata(ALICE, 's2', { name: 'say "archived":true, or\u0000', archived: true });
    await sessions().saveMetadata(ALICE, 's3', { name: 'say "archived":true, or\u0000' });
    const page = await sessions().list(ALICE, { limit: 2, order: 'asc', agentType: 'a', unlessTrue: 'archived' });
    expect(page.items).toMatchObject([{ agentType: 'a' }, { agentType: 'a' }]);
    const rest = await sessions().list(ALICE, {
      limit: 2,
      order: 'asc',
      agentType: 'a',
      unlessTrue: 'archived',
      ...(page.nextCursor !== undefined && { cursor: page.nextCursor }),
    });
    const listed = [...page.items, ...rest.items].map(({ sessionId }) => sessionId);
    expect(listed.sort()).toEqual(['s0', 's3', 's4']);
    expect(rest).not.toHaveProperty('nextCursor');
    const all = await sessions().list(ALICE, { limit: 9, unlessTrue: 'archived' });
    expect(all.items).toHaveLength(5);
    expect(all.items.find(({ sessionId }) => sessionId === 'empty')).toMatchObject({ agentType: null });
    expect((await sessions().list(ALICE, { limit: 9, agentType: '\0' })).items).toEqual([]);
  });

  it('messages added outside a run count for the next run', async () => {
    await sessions().create(ALICE, 'session');
    const added = await sessions().append(ALICE, 'session', [userText('a', 'a'), userText('b', 'b')]);
    expect(added.map(({ seq, runId, runOrdinal, message }) => [seq, runId, runOrdinal, message.id])).toEqual([
      [1, null, 2, 'a'],
      [2, null, 2, 'b'],
    ]);
    const { run } = await ledger().accept({ input: [userText('a', 'a'), userText('b', 'b'), userText('c', 'c')] });
    expect(run).toMatchObject({ ordinal: 3, createdSession: false });
    const { messages: past } = await ledger().sessions.history(run.sessionRowId, run.ordinal, 9);
    expect(past.map(({ id }) => id)).toEqual(['a', 'b']);
    expect((await ledger().sessions.inputOf(run.sessionRowId, run.rowId)).messages.map(({ id }) => id)).toEqual(['c']);
    expect(await sessions().view(ALICE, 'session')).toMatchObject({ runCount: 1 });
    expect(await codeOf(sessions().append(BOB, 'session', []))).toBe('SESSION_NOT_FOUND');
  });

  it('a session forks if a message was added between a run and the one that continues it', async () => {
    const { run } = await ledger().accept({ input: [userText('a', 'a')] }, { lease: LEASE });
    await ledger().commits.append([logWrite(run, { lines: lines(0, 1), end: runEnd() })]);
    await sessions().append(ALICE, 'session', [userText('b', 'b')]);
    const fork = (await ledger().accept({ after: run.id, sessionId: 'fork' })).run;
    expect(fork.sessionId).toBe('fork');
    expect(ids(await sessions().messages(ALICE, 'fork', { limit: 9, order: 'asc' })).slice(0, 1)).toEqual(['a']);
    const [copy] = await sessions().messages(ALICE, 'fork', { limit: 1, order: 'asc' });
    expect(copy).toMatchObject({ runId: null });
  });

  it('messages are listed by position and by time, without discarded ones', async () => {
    await ledger().accept({ input: [userText('1', 'm1')] }, { now: NOW });
    await ledger().accept({ input: [userText('2', 'm2')], store: false }, { now: NOW + 1 });
    await ledger().accept({ input: [userText('3', 'm3')] }, { now: NOW + 2 });
    const gone = (await ledger().accept({ input: [userText('4', 'm4')] }, { now: NOW + 3 })).run;
    await ledger().accept({ input: [userText('5', 'm5')] }, { now: NOW + 4 });
    await ledger().cancel(gone.id, { now: NOW + 5, rollback: true });
    const read = async (query: object): Promise<string[]> =>
      ids(await sessions().messages(ALICE, 'session', { limit: 9, order: 'asc', ...query }));
    expect(await read({})).toEqual(['m1', 'm3', 'm5']);
    expect(await read({ order: 'desc', limit: 2 })).toEqual(['m5', 'm3']);
    expect(await read({ after: 1, before: 5 })).toEqual(['m3']);
    expect(await read({ from: NOW + 2 })).toEqual(['m3', 'm5']);
    expect(await read({ from: NOW, to: NOW + 2 })).toEqual(['m1']);
    expect(await sessions().message(ALICE, 'session', 'm4')).toBeUndefined();
    expect(await sessions().message(ALICE, 'session', 'a\0')).toBeUndefined();
    expect(await sessions().message(BOB, 'session', 'm1')).toBeUndefined();
    expect(await sessions().message(ALICE, 'session', 'm3')).toMatchObject({
      seq: 3,
      runOrdinal: 3,
      createdAt: NOW + 2,
    });
  });

  it('the messages before a run are listed in the order of the conversation', async () => {
    const first = (await ledger().accept({ input: [userText('1', 'i1')] }, { lease: LEASE })).run;
    const second = (await ledger().accept({ input: [userText('2', 'i2')] })).run;
    const hidden = (await ledger().accept({ input: [userText('h', 'h')], store: false })).run;
    const output = [userText('one', 'o1'), userText('two', 'o2')];
    await ledger().commits.append([logWrite(first, { lines: lines(0, 1), end: runEnd({ output }) })]);
    const before = async (run: { sessionId: string; ordinal: number }, limit?: number): Promise<string[]> =>
      ids(await sessions().before(ALICE, run, limit === undefined ? undefined : { limit }));
    expect(await before(first)).toEqual([]);
    // The second run was queued before the first one answered.
    expect(await before(second)).toEqual(['i1', 'o1', 'o2']);
    expect(await before(second, 2)).toEqual(['o1', 'o2']);
    expect(await before(hidden)).toEqual(['i1', 'o1', 'o2', 'i2']);
    await sessions().append(ALICE, 'session', [userText('3', 'i3')]);
    expect(await before(second)).toEqual(['i1', 'o1', 'o2']);
    expect(await sessions().before(BOB, second)).toEqual([]);
    expect(await before({ sessionId: 'none', ordinal: 9 })).toEqual([]);
    expect((await sessions().before(ALICE, second)).map(({ runId }) => runId)).toEqual(Array(3).fill(first.id));
  });

  it('a message can be removed', async () => {
    await ledger().accept({ input: [userText('1', 'm1')] });
    expect(await sessions().removeMessage(BOB, 'session', 'm1')).toBe(false);
    expect(await sessions().removeMessage(ALICE, 'session', 'a\0')).toBe(false);
    expect(await sessions().removeMessage(ALICE, 'session', 'm1')).toBe(true);
    expect(await sessions().removeMessage(ALICE, 'session', 'm1')).toBe(false);
  });
});

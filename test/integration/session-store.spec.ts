import { dataMessage } from '../../src/events/index.js';
import { ALICE, describeOnLedgers, NOW, userText } from '../support/ledger.js';

describeOnLedgers('the session store', (ledger) => {
  const open = (principal = ALICE, id = 's') =>
    ledger().database.write((tx) => ledger().sessions.open(tx, principal, id, NOW));
  const append = (rowId: number, ordinal: number, ...texts: string[]) =>
    ledger().database.write((tx) => {
      const owner = { tenantId: 'default', sessionRowId: rowId, runRowId: ordinal, runOrdinal: ordinal };
      return ledger().sessions.append(
        tx,
        owner,
        texts.map((text) => userText(text, text)),
        NOW,
        { origin: 'input' },
      );
    });
  const history = async (rowId: number, before: number, limit = 100) =>
    (await ledger().sessions.history(rowId, before, limit)).messages.map(({ id }) => id);

  it('the runs of a session are numbered, also when they create it simultaneously', async () => {
    const opened = await Promise.all(Array.from({ length: 10 }, () => open()));
    expect(new Set(opened.map(({ rowId }) => rowId)).size).toBe(1);
    expect(opened.map(({ runOrdinal }) => runOrdinal).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('sessions of different users and tenants may have the same id', async () => {
    const bob = { ...ALICE, userId: 'bob' };
    const foreign = { ...ALICE, tenantId: 'other' };
    const [own, bobs, others] = [await open(), await open(bob), await open(foreign)];
    await append(own.rowId, 1, 'mine');
    expect(new Set([own.rowId, bobs.rowId, others.rowId]).size).toBe(3);
    expect([bobs.runOrdinal, others.runOrdinal]).toEqual([1, 1]);
    expect(await history(bobs.rowId, 9)).toEqual([]);
    expect(await ledger().sessions.findRowId(bob, 's')).toBe(bobs.rowId);
    expect(await ledger().sessions.findRowId({ tenantId: 'other', userId: 'bob' }, 's')).toBeUndefined();
  });

  it('messages are ordered by run, then by time of writing, and the newest are returned', async () => {
    const { rowId } = await open();
    await append(rowId, 1, 'in1');
    await append(rowId, 2, 'in2');
    await append(rowId, 1, 'out1a', 'out1b');
    await append(rowId, 2, 'out2');
    expect(await history(rowId, 3)).toEqual(['in1', 'out1a', 'out1b', 'in2', 'out2']);
    expect(await history(rowId, 2)).toEqual(['in1', 'out1a', 'out1b']);
    expect(await history(rowId, 3, 3)).toEqual(['out1b', 'in2', 'out2']);
  });

  it('messages appended simultaneously all get numbers', async () => {
    const { rowId } = await open();
    await Promise.all(Array.from({ length: 20 }, (_, index) => append(rowId, 1, `a${index}`, `b${index}`)));
    expect(new Set(await history(rowId, 2)).size).toBe(40);
  });

  it('the state is stored unchanged', async () => {
    const { rowId } = await open();
    expect(await ledger().sessions.state(rowId)).toEqual({});
    const session = { tenantId: 'default', sessionRowId: rowId };
    const state = { name: 'Alice', deep: { list: [1, null, 'ü\u0000😀'] } };
    await ledger().database.write((tx) => ledger().sessions.saveState(tx, session, state, NOW));
    expect(await ledger().sessions.state(rowId)).toEqual(state);
    await ledger().database.write((tx) => ledger().sessions.saveState(tx, session, { only: 1 }, NOW));
    expect(await ledger().sessions.state(rowId)).toEqual({ only: 1 });
  });

  it('known messages, calls and results are found', async () => {
    const { rowId } = await open();
    await append(rowId, 1, 'one');
    const call = dataMessage({ id: 'call', role: 'assistant', type: 'function_call', data: { call_id: 'c' } });
    await ledger().database.write((tx) =>
      ledger().sessions.append(
        tx,
        { tenantId: 'default', sessionRowId: rowId, runRowId: 1, runOrdinal: 1 },
        [call],
        NOW,
        {
          origin: 'output',
        },
      ),
    );
    const { database, sessions } = ledger();
    const known = await database.write((tx) => sessions.messagesById(tx, rowId, ['one', 'call', 'none']));
    expect([...known.keys()]).toEqual(['one', 'call']);
    expect(known.get('call')).toEqual(call);
    expect(await database.write((tx) => sessions.toolMessages(tx, rowId, 'client'))).toEqual([call]);
  });
});

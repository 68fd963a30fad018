import { FixedClock, type Reach, tenantReach, userReach } from '../../src/common/index.js';
import { dataMessage, type Message, textMessage } from '../../src/events/index.js';
import { MAX_STATE_LENGTH, messageState, type MessageStates } from '../../src/agent/session/index.js';
import { SqlSessions } from '../../src/agent/session/adapters/sessions.sql.js';
import { ALICE, describeOnLedgers, NOW, userText } from '../support/ledger.js';

const BOB = { ...ALICE, userId: 'bob' };
const call = (id: string, callId: string, args = '{"a":1}'): Message =>
  dataMessage({ id, role: 'assistant', type: 'plugin_call', data: { call_id: callId, name: 'look', arguments: args } });
const answer = (id: string, text: string): Message => textMessage({ id, role: 'assistant', text });

describeOnLedgers('provider states in the ledger', (ledger) => {
  const open = (principal = ALICE, id = 's') =>
    ledger().database.write((tx) => ledger().sessions.open(tx, principal, id, NOW));

  const append = (rowId: number, messages: readonly Message[], states: MessageStates, more = {}) =>
    ledger().database.write((tx) =>
      ledger().sessions.append(
        tx,
        { tenantId: 'default', sessionRowId: rowId, runRowId: 7, runOrdinal: 1 },
        messages,
        NOW,
        {
          origin: 'output',
          states,
          ...more,
        },
      ),
    );

  const find = (ids: readonly string[], keys: readonly string[] = [], reach: Reach = userReach(ALICE)) =>
    ledger().database.write((tx) => ledger().sessions.findStates(tx, reach, { ids, keys }));

  /** Stores a call with a state, and returns the key of the state. */
  async function stored(rowId: number, message: Message, value = 'x', more = {}): Promise<string> {
    const state = messageState({ ai_sdk: { value } }, message);
    await append(rowId, [message], new Map(state && [[message.id, state]]), more);
    return state?.key ?? '';
  }

  it('a state is read with its message, and is no part of it', async () => {
    const { rowId } = await open();
    await stored(rowId, call('m1', 'c1'));
    const { messages, states } = await ledger().sessions.history(rowId, 2, 10);
    expect(JSON.stringify(messages)).not.toContain('ai_sdk');
    expect([...states]).toEqual([['m1', '{"ai_sdk":{"value":"x"}}']]);
    const page = await ledger().database.read.all<{ body: string }>('SELECT body FROM messages WHERE session_no = ?', [
      rowId,
    ]);
    expect(JSON.stringify(page)).not.toContain('ai_sdk');
  });

  it('it is found by the id of its message, and by what the message says, within a reach', async () => {
    const { rowId } = await open();
    const key = await stored(rowId, call('m1', 'c1', '{"a":1,"b":2}'));
    const copy = messageState({}, call('other', 'c1', '{ "b": 2, "a": 1 }'));
    expect(copy?.key).toBe(key);
    const state = '{"ai_sdk":{"value":"x"}}';
    expect(await find(['m1', 'unknown'], [key])).toEqual({
      byId: new Map([['m1', state]]),
      byKey: new Map([[key, state]]),
    });
    const nothing = { byId: new Map(), byKey: new Map() };
    expect(await find(['m1'], [key], userReach(BOB))).toEqual(nothing);
    expect(await find(['m1'], [key], tenantReach('other'))).toEqual(nothing);
    expect((await find(['m1'], [], tenantReach(ALICE.tenantId))).byId.size).toBe(1);
  });

  it('the newest of several counts', async () => {
    const { rowId } = await open();
    const key = await stored(rowId, call('m1', 'c1'), 'old');
    const other = await open(ALICE, 's2');
    await stored(other.rowId, call('m1', 'c1'), 'new');
    const { byId, byKey } = await find(['m1'], [key]);
    expect([byId.get('m1'), byKey.get(key)]).toEqual(['{"ai_sdk":{"value":"new"}}', '{"ai_sdk":{"value":"new"}}']);
  });

  it('a fork copies it, and it goes with its message', async () => {
    const { rowId } = await open();
    await stored(rowId, call('m1', 'c1'));
    const { sessions, database } = ledger();
    const fork = await database.write((tx) =>
      sessions.fork(tx, { tenantId: 'default', sessionRowId: rowId, ordinal: 1 }, 'fork', NOW),
    );
    await database.write((tx) => sessions.remove(tx, rowId));
    expect((await sessions.history(fork.rowId, 2, 10)).states.size).toBe(1);
    expect((await find(['m1'])).byId.size).toBe(1);
    await database.write((tx) => sessions.remove(tx, fork.rowId));
    expect((await find(['m1'])).byId.size).toBe(0);
  });

  it('that of a transient run is hidden from its session, and goes with its run', async () => {
    const { rowId } = await open();
    await stored(rowId, { ...call('m1', 'c1'), content: null }, 'x', { origin: 'state', hidden: true });
    const { sessions, database } = ledger();
    expect(await sessions.history(rowId, 2, 10)).toEqual({ messages: [], states: new Map() });
    expect(await sessions.outputCount(rowId, 7)).toBe(0);
    expect((await find(['m1'])).byId.size).toBe(1);
    await database.write((tx) => sessions.removeRun(tx, rowId, 7));
    expect((await find(['m1'])).byId.size).toBe(0);
  });

  it('it goes when another message of its answer is removed', async () => {
    const { rowId } = await open();
    const thoughts = { ...answer('m0', 'Thoughts'), type: 'reasoning' as const };
    const state = { json: '{"ai_sdk":{"value":"x"}}', key: null };
    await append(
      rowId,
      [thoughts, call('m1', 'c1'), answer('m2', 'Done.')],
      new Map([
        ['m1', state],
        ['m2', state],
      ]),
    );
    await new SqlSessions(ledger().database, ledger().sessions, new FixedClock(NOW)).removeMessage(ALICE, 's', 'm0');
    expect([...(await ledger().sessions.history(rowId, 2, 10)).states.keys()]).toEqual(['m2']);
  });

  it('one that is too long is not stored', () => {
    expect(messageState({ x: 'a'.repeat(MAX_STATE_LENGTH) }, call('m', 'c'))).toBeUndefined();
    expect(messageState({ x: 'a'.repeat(MAX_STATE_LENGTH - 8) }, call('m', 'c'))?.json).toHaveLength(MAX_STATE_LENGTH);
  });

  it('a text is known by what it answers', () => {
    const key = (text: string, answered?: Message): string | null | undefined =>
      messageState({}, answer('m', text), answered)?.key;
    expect(key('Yes.')).toBeNull();
    expect(key('Yes.', userText('One?', 'a'))).toBe(key('Yes.', userText('One?', 'b')));
    expect(key('Yes.', userText('One?', 'a'))).not.toBe(key('Yes.', userText('Two?', 'a')));
    expect(key('Yes.', call('m1', 'c1'))).not.toBe(key('Yes.', call('m1', 'c2')));
    expect(key('', userText('One?', 'a'))).toBeNull();
  });
});

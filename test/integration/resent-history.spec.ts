import { dataMessage, type Message } from '../../src/events/index.js';
import type { RunRequest } from '../../src/run/index.js';
import { describeOnLedgers, nextId, userText } from '../support/ledger.js';

const call = (type: 'function_call' | 'plugin_call', id: string, callId: string): Message =>
  dataMessage({ id, role: 'assistant', type, data: { call_id: callId, name: 'f', arguments: '{}' } });
const output = (type: 'function_call_output' | 'plugin_call_output', id: string, callId: string): Message =>
  dataMessage({ id, role: 'tool', type, data: { call_id: callId, name: 'f', output: 'done' } });

describeOnLedgers('a conversation that a client resends', (ledger) => {
  const ids = async (
    sessionId: string,
    input: readonly Message[],
    more: Partial<RunRequest> = {},
  ): Promise<string[]> => {
    const request = { sessionId, input, resendsHistory: true, ...more };
    return (await ledger().accept(request)).input.messages.map(({ id }) => id);
  };

  it('every message and call is stored once, also if its text differs', async () => {
    const sessionId = nextId('session');
    const question = userText('Hello', 'u1');
    const asked = call('function_call', 'a1', 'c1');
    expect(await ids(sessionId, [question, call('plugin_call', 'a0', 'c0'), asked])).toEqual(['u1', 'a0', 'a1']);
    const answer = output('function_call_output', 't1', 'c1');
    const resent = [question, call('function_call', 'other', 'c0'), output('function_call_output', 't0', 'c0'), asked];
    expect(await ids(sessionId, [...resent, answer])).toEqual(['t1']);
    const again = output('function_call_output', 'again', 'c1');
    expect(await ids(sessionId, [...resent, again, userText('More', 'u2')])).toEqual(['u2']);
  });

  it('it may begin in another session, and a question at its end counts even under a known id', async () => {
    const sessionId = nextId('session');
    const elsewhere = [
      userText('Hi', 'u1'),
      call('function_call', 'a1', 'c1'),
      output('function_call_output', 't1', 'c1'),
    ];
    expect(await ids(sessionId, elsewhere)).toEqual(['u1', 'a1', 't1']);
    expect(await ids(sessionId, [userText('Hi', 'u1')])).toEqual(['u1']);
    expect(await ids(sessionId, [userText('Hi', 'u1'), userText('Edited', 'u1')])).toEqual(['u1']);
  });

  it('a result that answers no call is refused', async () => {
    const input = [userText('Hi'), output('function_call_output', 't1', 'nobody')];
    await expect(ids(nextId('session'), input)).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  });
});

import type { ModelEvent, ModelRequest } from '../ports/model-client.js';
import { MemoryJournal } from '../testing/memory-journal.js';
import { call, ScriptedModelClient, text } from '../testing/scripted-model-client.js';
import { dataMessage, loopAgent, serverTool, TestRun, userMessage } from '../testing/test-run.js';

const REPLAY = { x: { signature: 'abc' } };
const LATER = { x: { signature: 'def' } };
const finish = (replay?: typeof REPLAY): ModelEvent => ({
  type: 'finish',
  reason: replay === REPLAY ? 'tool-calls' : 'stop',
  usage: null,
  ...(replay && { replay }),
});
const clientTools = [{ name: 'browse', description: 'Opens a page', parameters: { type: 'object' } }];

const replaysIn = (request: ModelRequest | undefined): unknown[] =>
  (request?.messages ?? []).flatMap((message) => (message.role === 'assistant' ? [message.replay] : []));

describe('data that a provider wants back with its answers', () => {
  it('the data is sent in the next call of the run, also after a resume, and no message has it', async () => {
    const script = [
      [call(0, 'look', '{}', 'c0'), finish(REPLAY)],
      [text('Done.'), finish()],
    ];
    const client = new ScriptedModelClient(script);
    const run = new TestRun();
    await run.drive(loopAgent(client, [serverTool('look')]));
    expect(client.requests.map(replaysIn)).toEqual([[], [REPLAY]]);
    expect(JSON.stringify(run.events)).not.toContain('signature');

    const again = new ScriptedModelClient(() => [text('Done.'), finish()]);
    const journal = new MemoryJournal(run.journal.writes.slice(0, 2));
    await new TestRun({ journal }).drive(loopAgent(again, [serverTool('look')]));
    expect(again.requests.map(replaysIn)).toEqual([[REPLAY]]);
  });

  it('later runs send it back with every answer, with and without calls', async () => {
    const script = [
      [text('Looking.'), call(0, 'look', '{}', 'c0'), finish(REPLAY)],
      [text('Done.'), finish(LATER)],
    ];
    const run = new TestRun();
    await run.drive(loopAgent(new ScriptedModelClient(script), [serverTool('look')]));
    const history = [userMessage('Go'), ...run.messages];
    const client = new ScriptedModelClient(() => [text('Again.'), finish()]);
    await new TestRun({ history, providerStates: run.states }).drive(loopAgent(client));
    expect(client.requests.map(replaysIn)).toEqual([[REPLAY, LATER]]);
  });

  it('it is sent in the run that has the results of client tools', async () => {
    const calls = [call(0, 'browse', '{}', 'c0'), call(1, 'look', '{}', 'c1'), finish(REPLAY)];
    const run = new TestRun({ clientTools });
    await run.drive(loopAgent(new ScriptedModelClient([calls]), [serverTool('look')]));
    expect(JSON.stringify(run.messages)).not.toContain('signature');
    const history = [userMessage('Go'), ...run.messages];
    const input = [dataMessage('function_call_output', { call_id: 'c0', output: 'done' }, 'tool')];
    const client = new ScriptedModelClient([[text('Done.'), finish()]]);
    await new TestRun({ history, input, clientTools, providerStates: run.states }).drive(loopAgent(client));
    expect(client.requests.map(replaysIn)).toEqual([[REPLAY]]);
  });

  it('what an earlier version stored with a call is still sent', async () => {
    const metadata = { model_replay: REPLAY };
    const old = { ...dataMessage('function_call', { call_id: 'c0', name: 'browse', arguments: '{}' }), metadata };
    const input = [dataMessage('function_call_output', { call_id: 'c0', output: 'done' }, 'tool')];
    const client = new ScriptedModelClient([[text('Done.'), finish()]]);
    await new TestRun({ history: [userMessage('Go'), old], input, clientTools }).drive(loopAgent(client));
    expect(client.requests.map(replaysIn)).toEqual([[REPLAY]]);
  });

  it('two runs of different versions compare the same: the history has it only where it is sent', async () => {
    const history = [userMessage('Go'), { ...userMessage('Done.', 'msg_a'), role: 'assistant' as const }];
    const script = [
      [call(0, 'look', '{}', 'c0'), finish(REPLAY)],
      [text('Done.'), finish()],
    ];
    const run = new TestRun({ history });
    await run.drive(loopAgent(new ScriptedModelClient(script), [serverTool('look')]));
    const providerStates = new Map([['msg_a', JSON.stringify(LATER)]]);
    const client = new ScriptedModelClient([[text('Done.'), finish()]]);
    const journal = new MemoryJournal(run.journal.writes.slice(0, 2));
    await new TestRun({ history, providerStates, journal }).drive(loopAgent(client, [serverTool('look')]));
    expect(client.requests.map(replaysIn)).toEqual([[LATER, REPLAY]]);
  });

  it('the answer of a filter has none', async () => {
    const answer: ModelEvent = { type: 'finish', reason: 'content-filter', usage: null, replay: REPLAY };
    const run = new TestRun();
    await run.drive(loopAgent(new ScriptedModelClient([[text('So'), answer]])));
    expect(run.states.size).toBe(0);
  });
});

import type { Message } from '../../events/index.js';
import type { ModelEvent, ModelRequest } from '../ports/model-client.js';
import { MemoryJournal } from '../testing/memory-journal.js';
import { call, ScriptedModelClient, text } from '../testing/scripted-model-client.js';
import { dataMessage, loopAgent, serverTool, TestRun, userMessage } from '../testing/test-run.js';

const REPLAY = { x: { signature: 'abc' } };
const finish = (replay?: typeof REPLAY): ModelEvent => ({
  type: 'finish',
  reason: replay ? 'tool-calls' : 'stop',
  usage: null,
  ...(replay && { replay }),
});
const clientTools = [{ name: 'browse', description: 'Opens a page', parameters: { type: 'object' } }];

const replaysIn = (request: ModelRequest | undefined): unknown[] =>
  (request?.messages ?? []).flatMap((message) => (message.role === 'assistant' ? [message.replay] : []));
const kept = (messages: readonly Message[]): unknown[] =>
  messages.flatMap(({ type, metadata }) => (metadata ? [[type, metadata['model_replay']]] : []));

describe('data that a provider needs back with its answer', () => {
  it('the data is sent in the next call of the run, also after a resume, and shown to no client', async () => {
    const script = [
      [call(0, 'look', '{}', 'c0'), finish(REPLAY)],
      [text('Done.'), finish()],
    ];
    const client = new ScriptedModelClient(script);
    const run = new TestRun();
    await run.drive(loopAgent(client, [serverTool('look')]));
    expect(client.requests.map(replaysIn)).toEqual([[], [REPLAY]]);
    expect(kept(run.messages)).toEqual([]);

    const again = new ScriptedModelClient(() => [text('Done.'), finish()]);
    const journal = new MemoryJournal(run.journal.writes.slice(0, 2));
    await new TestRun({ journal }).drive(loopAgent(again, [serverTool('look')]));
    expect(again.requests.map(replaysIn)).toEqual([[REPLAY]]);
  });

  it('the data is stored with the last call of the client and sent in the run that has its result', async () => {
    const calls = [call(0, 'browse', '{}', 'c0'), call(1, 'look', '{}', 'c1'), finish(REPLAY)];
    const run = new TestRun({ clientTools });
    await run.drive(loopAgent(new ScriptedModelClient([calls]), [serverTool('look')]));
    expect(kept(run.messages)).toEqual([['plugin_call', REPLAY]]);

    const single = new TestRun({ clientTools });
    await single.drive(loopAgent(new ScriptedModelClient([[call(0, 'browse', '{}', 'c0'), finish(REPLAY)]])));
    expect(kept(single.messages)).toEqual([['function_call', REPLAY]]);

    const history = [userMessage('Go'), ...single.messages];
    const input = [dataMessage('function_call_output', { call_id: 'c0', output: 'done' }, 'tool')];
    const client = new ScriptedModelClient([[text('Done.'), finish()]]);
    await new TestRun({ history, input, clientTools }).drive(loopAgent(client));
    expect(client.requests.map(replaysIn)).toEqual([[REPLAY]]);
  });
});

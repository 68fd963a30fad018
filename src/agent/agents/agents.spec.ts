import { SystemClock } from '../../common/index.js';
import { ToolRegistry, ToolInvoker, SchemaValidator } from '../tools/index.js';
import { ALLOW_ALL } from '../tools/testing/allow-all.js';
import { ModelLoop } from '../model-loop.js';
import { MemoryJournal } from '../testing/memory-journal.js';
import { finish, ScriptedModelClient, text } from '../testing/scripted-model-client.js';
import { loopSettings, TestRun, testShapes, userMessage } from '../testing/test-run.js';
import { MemoryAgent } from './memory.agent.js';
import { WorkerAgent } from './worker.agent.js';

function worker(client: ScriptedModelClient, { agent, tools } = loopSettings()): WorkerAgent {
  return new WorkerAgent(
    new ModelLoop(
      testShapes(client, agent),
      new ToolRegistry([]),
      new ToolInvoker(new SchemaValidator(), ALLOW_ALL, tools),
      agent,
      new SystemClock(),
    ),
    agent,
  );
}

const hello = [[text('Hello'), finish()]];

describe('WorkerAgent', () => {
  it('the default persona is Friday', async () => {
    const client = new ScriptedModelClient(hello);
    await new TestRun().drive(worker(client));
    expect(client.requests[0]?.messages[0]).toMatchObject({
      role: 'system',
      content: expect.stringContaining('Friday') as string,
    });
  });

  it('the configured system prompt is used, followed by the memory', async () => {
    const client = new ScriptedModelClient(hello);
    await new TestRun({ state: { memory: 'Likes tea.' } }).drive(
      worker(client, loopSettings({ AGENT_SYSTEM_PROMPT: 'You are Monday.' })),
    );
    expect(client.requests[0]?.messages[0]?.content).toBe(
      'You are Monday.\n\nWhat you remember of earlier conversations:\nLikes tea.\n\n' +
        "Today is Monday, 2026-03-16, in the user's time zone UTC. Times that the user names are in that zone.",
    );
  });
});

describe('MemoryAgent', () => {
  const note = [[text('Likes tea. '), finish()]];

  it('the input is condensed into the state, and the rest of the state is kept', async () => {
    const run = new TestRun({ input: [userMessage('I like tea')], state: { other: 1 } });
    const client = new ScriptedModelClient(note);
    expect(await run.drive(new MemoryAgent(testShapes(client)))).toEqual({ kind: 'completed' });
    expect(run.state).toEqual({ other: 1, memory: 'Likes tea.' });
    expect(client.requests[0]).toMatchObject({ tools: [] });
    run.expectLegalStream();
  });

  it('a resumed run gives the same note after the state was set', async () => {
    const first = new TestRun({ state: { memory: 'Is called Alice.' } });
    await first.drive(new MemoryAgent(testShapes(new ScriptedModelClient(note))));
    const resumed = new TestRun({ state: first.state, journal: new MemoryJournal(first.journal.writes) });
    expect(await resumed.drive(new MemoryAgent(testShapes(new ScriptedModelClient([]))))).toEqual({
      kind: 'completed',
    });
    expect(resumed.state).toEqual({ memory: 'Likes tea.' });
  });

  it('the old note is kept if the answer of the model was cut off', async () => {
    const run = new TestRun({ state: { memory: 'Old.' } });
    expect(
      await run.drive(new MemoryAgent(testShapes(new ScriptedModelClient([[text('Ha'), finish('length')]])))),
    ).toMatchObject({
      kind: 'incomplete',
    });
    expect(run.state).toEqual({ memory: 'Old.' });
  });
});

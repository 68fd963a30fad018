import type { Message } from '../events/index.js';
import type { ServerTool, ToolEffects } from './tools/index.js';
import type { AgentOutcome } from './agent.js';
import { Crash, MemoryJournal } from './testing/memory-journal.js';
import {
  call,
  finish,
  reasoning,
  ScriptedModelClient,
  type ScriptStep,
  text,
} from './testing/scripted-model-client.js';
import { loopAgent, rejectionCode, serverTool, loopSettings, TestRun } from './testing/test-run.js';

const SCRIPT: ScriptStep[][] = [
  [reasoning('Hm'), text('Looking.'), call(0, 'free', '{}', 'c0'), call(1, 'keyed', '{}', 'c1'), finish('tool-calls')],
  [call(0, 'free', '{"again":true}', 'c0'), finish('tool-calls')],
  [text('All done.'), finish()],
];

/** What a later reader sees of a run, without ids. */
function conversation(messages: readonly Message[]): string[] {
  return messages.map(
    (message) =>
      `${message.type} ${JSON.stringify(
        message.content?.map((content) => {
          if (content.type === 'text') return content.text;
          return content.type === 'data' ? content.data : content.type;
        }),
      )}`,
  );
}

class World {
  readonly invocations: string[] = [];

  tool(name: string, effects: ToolEffects): ServerTool {
    return serverTool(name, {
      effects,
      invoke: (_args, context) => {
        this.invocations.push(`${name} ${context.callId} ${context.idempotencyKey}`);
        return Promise.resolve(`${name} result of ${context.callId}`);
      },
    });
  }
}

/** Runs until the journal has taken so many writes, then resumes; the messages that stand, in order. */
async function crashAndResume(crashAfter: number) {
  const world = new World();
  const tools = [world.tool('free', 'none'), world.tool('keyed', 'idempotent')];
  const modelCalls: number[] = [];
  const client = new ScriptedModelClient((request) => {
    const step = request.messages.filter(({ role }) => role === 'assistant').length;
    modelCalls.push(step);
    return SCRIPT[step] ?? [];
  });
  const first = new TestRun({ journal: new MemoryJournal([], crashAfter) });
  const crashed = await first.drive(loopAgent(client, tools)).then(
    () => false,
    (error: unknown) => {
      if (error instanceof Crash) return true;
      throw error;
    },
  );
  const resumed = new TestRun({ journal: new MemoryJournal(first.journal.writes), attempt: 2 });
  const outcome: AgentOutcome = await resumed.drive(loopAgent(client, tools));
  const kept = first.messages.filter((message) => first.journal.keptMessageIds.has(message.id));
  return { crashed, outcome, first, resumed, world, modelCalls, messages: [...kept, ...resumed.messages] };
}

describe('ModelLoop after a crash', () => {
  it('a finished step is not repeated, and the conversation is the same wherever the run was cut', async () => {
    const whole = await crashAndResume(Number.POSITIVE_INFINITY);
    expect(whole.crashed).toBe(false);
    expect(whole.resumed.events).toEqual([]);
    const expected = conversation(whole.first.messages).sort();
    const writes = whole.first.journal.writes.length;
    expect(writes).toBe(7);
    for (let crashAfter = 0; crashAfter < writes; crashAfter += 1) {
      const cut = await crashAndResume(crashAfter);
      expect(cut.crashed).toBe(true);
      expect(cut.outcome).toEqual({ kind: 'completed' });
      expect(conversation(cut.messages).sort()).toEqual(expected);
      expect(new Set(cut.resumed.journal.finishedKeys).size).toBe(cut.resumed.journal.finishedKeys.length);
      expect(cut.modelCalls.length).toBeLessThanOrEqual(4);
    }
  });

  it('an idempotent call is repeated with the same key', async () => {
    const cuts = await Promise.all([0, 1, 2, 3].map((crashAfter) => crashAndResume(crashAfter)));
    for (const { world } of cuts) {
      const keys = world.invocations.filter((line) => line.startsWith('keyed'));
      expect(new Set(keys).size).toBe(1);
    }
    expect(cuts.some(({ world }) => world.invocations.filter((line) => line.startsWith('keyed')).length === 2)).toBe(
      true,
    );
  });

  it('an unsafe call is not repeated, no other call of that round is made, and the outcome is reported as unknown', async () => {
    const world = new World();
    const tools = [world.tool('unsafe', 'unsafe'), world.tool('free', 'none')];
    const both: ScriptStep[][] = [
      [call(0, 'unsafe', '{}', 'c0'), call(1, 'free', '{}', 'c1'), finish('tool-calls')],
      [text('ok'), finish()],
    ];
    // Kept: the model call and the beginning of the unsafe call; the worker dies before any result.
    const first = new TestRun({ journal: new MemoryJournal([], 2) });
    await expect(first.drive(loopAgent(new ScriptedModelClient(both), tools))).rejects.toThrow(Crash);
    const before = world.invocations.length;
    const resumed = new TestRun({ journal: new MemoryJournal(first.journal.writes), attempt: 2 });
    expect(await rejectionCode(resumed.drive(loopAgent(new ScriptedModelClient([]), tools)))).toBe('TOOL_IN_DOUBT');
    expect(world.invocations).toHaveLength(before);
    expect(world.invocations.filter((line) => line.startsWith('unsafe'))).toHaveLength(1);
  });

  it('a call that the model makes again gets a new id', async () => {
    const again = [call(0, 'free', '{"other":true}', 'c0'), call(1, 'free', '{}'), finish('tool-calls')];
    const free = serverTool('free');
    const first = new TestRun({ journal: new MemoryJournal([], 0) });
    const cut = first.drive(loopAgent(new ScriptedModelClient([again]), [free]));
    await expect(cut).rejects.toThrow(Crash);
    const idsIn = ({ messages }: TestRun): unknown[] =>
      messages
        .filter(({ type }) => type === 'plugin_call')
        .map(({ content }) => content?.[0]?.type === 'data' && content[0].data?.['call_id']);
    const shownCallIds = idsIn(first).map(String);
    expect(shownCallIds).toEqual(['c0', expect.any(String)]);
    const resumed = new TestRun({ journal: new MemoryJournal(first.journal.writes), attempt: 2, shownCallIds });
    await resumed.drive(loopAgent(new ScriptedModelClient([again, [text('ok'), finish()]]), [free]));
    const ids = idsIn(resumed);
    expect(new Set([...shownCallIds, ...ids]).size).toBe(4);
    expect(resumed.messages.filter(({ type }) => type === 'plugin_call_output')).toHaveLength(2);
  });

  it('invalid calls are counted over all attempts', async () => {
    const strict = serverTool('strict', { parameters: { type: 'object', required: ['n'] } });
    const script = [0, 1, 2].map(() => [call(0, 'strict', '{}'), finish('tool-calls')]);
    const settings = loopSettings({ TOOL_MAX_INVALID_CALLS: '1' });
    const first = new TestRun({ journal: new MemoryJournal([], 2) });
    await expect(first.drive(loopAgent(new ScriptedModelClient(script), [strict], settings))).rejects.toThrow(Crash);
    const resumed = new TestRun({ journal: new MemoryJournal(first.journal.writes), attempt: 2 });
    expect(await rejectionCode(resumed.drive(loopAgent(new ScriptedModelClient(script), [strict], settings)))).toBe(
      'TOOL_EXECUTION_FAILED',
    );
  });

  it('a finished step with another input is a JOURNAL_MISMATCH', async () => {
    const first = new TestRun();
    await first.drive(loopAgent(new ScriptedModelClient([[text('Hi'), finish()]])));
    const resumed = new TestRun({ journal: new MemoryJournal(first.journal.writes), attempt: 2 });
    const changed = loopAgent(new ScriptedModelClient([]), [serverTool('new')]);
    expect(await rejectionCode(resumed.drive(changed))).toBe('JOURNAL_MISMATCH');
  });

  it('the run continues without the tools of an MCP server that is down', async () => {
    const mcp = serverTool('remote', { origin: { kind: 'mcp', serverLabel: 's' } });
    const first = new TestRun();
    await first.drive(loopAgent(new ScriptedModelClient([[text('Hi'), finish()]]), [mcp]));
    const resumed = new TestRun({ journal: new MemoryJournal(first.journal.writes), attempt: 2 });
    expect(await resumed.drive(loopAgent(new ScriptedModelClient([])))).toEqual({ kind: 'completed' });
  });
});

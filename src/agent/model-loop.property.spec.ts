import fc from 'fast-check';
import type { ModelEvent } from './ports/model-client.js';
import { finish, ScriptedModelClient } from './testing/scripted-model-client.js';
import { loopAgent, serverTool, loopSettings, TestRun } from './testing/test-run.js';

const tools = [serverTool('a'), serverTool('b', { origin: { kind: 'mcp', serverLabel: 'm' } })];
const clientTools = [{ name: 'c', description: 'c', parameters: { type: 'object' } }];

const piece = fc.constantFrom('', 'x', '{', '}', '{}', '{"k":', '1', '"v"}', '汉', '😀', ' ');
const delta: fc.Arbitrary<ModelEvent> = fc.oneof(
  fc.record({ type: fc.constant('text-delta' as const), text: piece }),
  fc.record({ type: fc.constant('reasoning-delta' as const), text: piece }),
  fc.record(
    {
      type: fc.constant('tool-call-delta' as const),
      index: fc.nat(3),
      name: fc.constantFrom('a', 'b', 'c', 'unknown'),
      id: fc.constantFrom('', 'call_1', 'call_2'),
      argumentsDelta: piece,
    },
    { requiredKeys: ['type', 'index', 'argumentsDelta'] },
  ),
);
const steps = fc.array(fc.array(delta, { maxLength: 25 }), { minLength: 1, maxLength: 3 });
const reasons = fc.constantFrom('stop', 'length', 'tool-calls', 'content-filter', 'other' as const);

describe('ModelLoop with any model stream', () => {
  it('the stream is legal, loses no text, and gives every call its own id', async () => {
    await fc.assert(
      fc.asyncProperty(steps, reasons, async (script, reason) => {
        const client = new ScriptedModelClient(script.map((events) => [...events, finish(reason)]));
        const run = new TestRun({ clientTools });
        await run.drive(
          loopAgent(
            client,
            tools,
            loopSettings({ AGENT_MAX_STEPS: String(script.length), TOOL_MAX_INVALID_CALLS: '1000' }),
          ),
        );
        run.expectLegalStream();
        expect(shown(run, 'message')).toBe(said(script.slice(0, client.requests.length), 'text-delta'));
        expect(shown(run, 'reasoning')).toBe(said(script.slice(0, client.requests.length), 'reasoning-delta'));
        const ids = callIds(run);
        expect(new Set(ids).size).toBe(ids.length);
        expectEveryCallAnswered(client);
      }),
      { numRuns: 300 },
    );
  });

  it('one message is open at a time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(delta, { maxLength: 40 }), async (events) => {
        const run = new TestRun();
        await run.drive(
          loopAgent(new ScriptedModelClient([[...events, finish()]]), tools, loopSettings({ AGENT_MAX_STEPS: '1' })),
        );
        let open: string | undefined;
        for (const event of run.events) {
          if (event.object !== 'message') continue;
          if (event.status === 'created') {
            expect(open).toBeUndefined();
            open = event.id;
          } else if (event.status === 'completed') open = undefined;
        }
        expect(open).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});

function shown(run: TestRun, type: 'message' | 'reasoning'): string {
  return run.messages
    .filter((message) => message.type === type)
    .flatMap((message) => message.content ?? [])
    .map((content) => (content.type === 'text' ? content.text : ''))
    .join('');
}

function said(script: readonly (readonly ModelEvent[])[], type: 'text-delta' | 'reasoning-delta'): string {
  return script
    .flat()
    .map((event) => (event.type === type ? event.text : ''))
    .join('');
}

function callIds(run: TestRun): unknown[] {
  return run.messages
    .filter((message) => message.type.endsWith('_call'))
    .flatMap((message) => message.content ?? [])
    .map((content) => (content.type === 'data' ? content.data?.['call_id'] : undefined));
}

function expectEveryCallAnswered(client: ScriptedModelClient): void {
  for (const { messages } of client.requests) {
    const made = messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
    );
    const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
    expect(answered).toEqual(made);
  }
}

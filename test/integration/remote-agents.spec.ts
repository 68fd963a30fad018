import {
  call,
  finish,
  reasoning,
  type ScriptStep,
  ScriptedModelClient,
  text,
} from '../../src/agent/testing/scripted-model-client.js';
import type { ModelRequest } from '../../src/agent/index.js';
import { dataMessage, dataOf, textOf } from '../../src/events/index.js';
import { outputs, shapes } from '../support/approval-driver.js';
import * as agents from '../support/code-agents.js';
import { behaviour, say } from '../support/code-agents.js';
import { ALICE, describeOnLedgers, nextId } from '../support/ledger.js';
import { type EndedRun, RunDriver } from '../support/run-driver.js';
import { done, SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';

const PAY = '{"to":"Ana","amount":5}';
const WINDOW = { name: 'open_window', description: 'Opens a window.', parameters: { type: 'object' } };

/** Where a Parley serves a kind. */
const PATHS = { responses: '/compatible-mode/v1', 'ag-ui': '/ag-ui', a2a: '/a2a', 'agent-api': '/process' } as const;

/** The agents of the gateway: each kind, with and without the whole conversation, and with agents in code behind it. */
function agentsOf(url: string): Record<string, object> {
  const agents = Object.entries(PATHS).flatMap(([type, path]): [string, object][] => {
    const entry = { type, url: url + path, description: 'Far away.' };
    const isWhole = type === 'a2a' ? [] : [[`${type}-send`, { ...entry, history: 'send' }] as [string, object]];
    return [[type, entry], [`${type}-remote`, { ...entry, history: 'remote' }], ...isWhole];
  });
  return {
    ...Object.fromEntries(agents),
    'ag-ui-code': { type: 'ag-ui', url: `${url}/ag-ui/code-journal` },
    'a2a-http': { type: 'a2a', url: `${url}/a2a`, binding: 'HTTP+JSON' },
    'a2a-code': { type: 'a2a', url: `${url}/a2a/agents/code-journal` },
    'a2a-code-http': { type: 'a2a', url: `${url}/a2a/agents/code-journal`, binding: 'HTTP+JSON' },
  };
}

describeOnLedgers('Parley behind Parley', (ledger) => {
  let upstream: TestServer;
  let gateway: RunDriver;
  let travel = '';
  const model = new ScriptedModelClient((request) => script(request));
  let script: (request: ModelRequest) => readonly ScriptStep[] = () => [];

  beforeAll(async () => {
    upstream = await startServer({ model, providers: [SampleTools, agents.JournalingCodeAgent] });
    gateway = await RunDriver.start(ledger(), {
      env: { REMOTE_AGENTS: JSON.stringify({ agents: agentsOf(upstream.url) }) },
    });
  });
  beforeEach(() => {
    done.payments = [];
    model.requests.length = 0;
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const ask = (overrides: object = {}): Promise<EndedRun> => gateway.run({ agentType: travel, ...overrides });
  const texts = ({ last }: EndedRun): string[] => (last.output ?? []).map(textOf);
  const calls = (...steps: ScriptStep[]): void => {
    script = ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? [text('Done.'), finish()] : [...steps, finish('tool-calls')];
  };

  describe.each(['responses', 'ag-ui', 'agent-api'] as const)('over %s', (kind) => {
    it('a text with its thoughts and its usage is that of the upstream', async () => {
      travel = kind;
      script = () => [reasoning('Hm.'), text('Hello '), text('there.'), finish()];
      const run = await ask();
      expect(run.view).toMatchObject({ state: 'completed', agentType: kind, error: null });
      expect(shapes(run)).toEqual(['assistant:reasoning', 'assistant:message']);
      expect(texts(run)).toEqual(['Hm.', 'Hello there.']);
      expect(run.last.usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
    });

    it.each(['send', 'remote'])('the upstream knows the conversation (history: %s)', async (history) => {
      travel = `${kind}-${history}`;
      script = ({ messages }) => [text(`${messages.filter(({ role }) => role !== 'system').length}`), finish()];
      const sessionId = nextId('session');
      expect(texts(await ask({ sessionId }))).toEqual(['1']);
      expect(texts(await ask({ sessionId }))).toEqual(['3']);
      expect(texts(await ask({ sessionId }))).toEqual(['5']);
    });

    it('a call that the upstream makes itself is shown with its result', async () => {
      travel = kind;
      calls(text('Let me see.'), call(0, 'look', '{}', 'c0'));
      const run = await ask();
      expect(run.view.state).toBe('completed');
      expect(shapes(run)).toEqual([
        'assistant:message',
        'assistant:plugin_call',
        'tool:plugin_call_output',
        'assistant:message',
      ]);
      expect(outputs(run).map((message) => dataOf(message)?.['output'])).toEqual(['seen']);
    });

    it('a tool of the client is called by the client, and the upstream gets the result', async () => {
      travel = kind;
      calls(call(0, 'open_window', '{"title":"x"}', 'c1'));
      const sessionId = nextId('session');
      const first = await ask({ sessionId, clientTools: [WINDOW] });
      expect(first.view.state).toBe('interrupted');
      expect(shapes(first)).toEqual(['assistant:function_call']);
      const { call_id: callId, name } = dataOf(first.last.output?.[0] as never) ?? {};
      expect(name).toBe('open_window');
      const result = dataMessage({
        id: nextId('msg'),
        role: 'tool',
        type: 'function_call_output',
        data: { call_id: callId as string, output: 'opened' },
      });
      const second = await ask({ sessionId, clientTools: [WINDOW], input: [result] });
      expect(texts(second)).toEqual(['Done.']);
      expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'opened' });
    });

    it.each([
      [true, ['paid 5 to Ana'], 1],
      [false, ['The call was not made: the user denied it.'], 0],
    ])('a call of the upstream waits for our approval (%s)', async (approve, results, payments) => {
      travel = kind;
      calls(call(0, 'pay', PAY, 'c1'));
      const run = await ask();
      expect(run.view.state).toBe('interrupted');
      expect(shapes(run)).toEqual(['assistant:plugin_call', 'assistant:mcp_approval_request']);
      const [open] = await gateway.interrupts.pending(ALICE, run.view.sessionId);
      expect(open).toMatchObject({ kind: 'approval', toolName: 'pay', arguments: { to: 'Ana', amount: 5 } });
      expect(done.payments).toEqual([]);
      const answer = { interruptId: open?.id ?? '', status: 'resolved', approve } as const;
      const accepted = await gateway.runs.answer(ALICE, null, [answer]);
      const next = await gateway.ended(accepted.run.runId);
      expect([next.view.state, next.view.error]).toEqual(['completed', null]);
      expect(shapes(next)).toEqual(['tool:plugin_call_output', 'assistant:message']);
      expect(outputs(next).map((message) => dataOf(message)?.['output'])).toEqual(results);
      expect(outputs(next)[0]?.metadata).toMatchObject({ approval_request_id: open?.id });
      expect(done.payments).toHaveLength(payments);
    });

    it('instructions and options reach the upstream', async () => {
      travel = kind;
      script = () => [text('Yes.'), finish()];
      await ask({ systemPrompt: 'Be brief.', modelOptions: { temperature: 0.5 } });
      // AG-UI has no options.
      const options = kind === 'ag-ui' ? {} : { temperature: 0.5 };
      expect(model.requests.at(-1)?.options).toMatchObject(options);
      expect(JSON.stringify(model.requests.at(-1)?.messages[0])).toContain('Be brief.');
    });

    it('a failure of the upstream fails the run', async () => {
      travel = kind;
      script = () => [text('Half'), { type: 'throw', error: new Error('boom') }];
      const run = await ask();
      expect(run.view).toMatchObject({ state: 'failed', error: { code: 'UPSTREAM_FAILED' } });
    });
  });

  describe('over ag-ui', () => {
    beforeEach(() => {
      travel = 'ag-ui-code';
    });

    it('the shared state is read and changed by the upstream', async () => {
      behaviour.current = async function* (context) {
        const { count = 0 } = context.state.get();
        context.state.patch([{ op: 'add', path: '/count', value: Number(count) + 1 }]);
        yield say(context, `Count: ${Number(count) + 1}`);
      };
      const sessionId = nextId('session');
      expect(texts(await ask({ sessionId, state: { count: 4 } }))).toEqual(['Count: 5']);
      expect(texts(await ask({ sessionId }))).toEqual(['Count: 6']);
    });

    it('a question of the upstream is asked here, and its answer reaches the upstream', async () => {
      behaviour.current = async function* (context) {
        const seat = await context.interrupt({
          reason: 'seat',
          message: 'Which seat?',
          responseSchema: { type: 'string' },
        });
        yield say(context, `Seat ${JSON.stringify(seat)}`);
      };
      const run = await ask();
      expect(run.view.state).toBe('interrupted');
      const [open] = await gateway.interrupts.pending(ALICE, run.view.sessionId);
      expect(open).toMatchObject({ kind: 'input', message: 'Which seat?', reason: 'seat' });
      const answer = { interruptId: open?.id ?? '', status: 'resolved', payload: '12A' } as const;
      const accepted = await gateway.runs.answer(ALICE, null, [answer]);
      const next = await gateway.ended(accepted.run.runId);
      expect(next.view.error).toBeNull();
      expect(texts(next)).toEqual(['Seat "12A"']);
    });

    it('steps, activities and custom events are passed on', async () => {
      behaviour.current = async function* (context) {
        context.emit({ object: 'step', name: 'search', status: 'started' });
        context.emit({ object: 'activity', kind: 'snapshot', id: 'a1', activity_type: 'PLAN', content: { done: 1 } });
        context.emit({ object: 'custom', name: 'seen', value: { x: 1 } });
        context.emit({ object: 'step', name: 'search', status: 'finished' });
        yield say(context, 'Done.');
      };
      const { events } = await ask();
      expect(events.map(({ object }) => object).filter((one) => ['step', 'activity', 'custom'].includes(one))).toEqual([
        'step',
        'activity',
        'custom',
        'step',
      ]);
    });
  });

  describe.each(['JSONRPC', 'HTTP+JSON'])('over a2a, %s', (binding) => {
    const isHttp = binding === 'HTTP+JSON';
    it('a text is that of the upstream, which knows the conversation', async () => {
      travel = isHttp ? 'a2a-http' : 'a2a';
      script = ({ messages }) => [
        text(`${messages.filter(({ role }) => role !== 'system').length} `),
        text('messages'),
        finish(),
      ];
      const sessionId = nextId('session');
      expect(texts(await ask({ sessionId }))).toEqual(['1 messages']);
      expect(texts(await ask({ sessionId }))).toEqual(['3 messages']);
    });

    it.each([
      [true, 1],
      [false, 0],
    ])('a call of the upstream waits for our approval (%s)', async (approve, payments) => {
      travel = isHttp ? 'a2a-http' : 'a2a';
      calls(call(0, 'pay', PAY, 'c1'));
      const run = await ask();
      expect(run.view.state).toBe('interrupted');
      const [open] = await gateway.interrupts.pending(ALICE, run.view.sessionId);
      expect(open).toMatchObject({ kind: 'approval', toolName: 'pay', arguments: { to: 'Ana', amount: 5 } });
      const answer = { interruptId: open?.id ?? '', status: 'resolved', approve } as const;
      const next = await gateway.ended((await gateway.runs.answer(ALICE, null, [answer])).run.runId);
      expect(next.view).toMatchObject({ state: 'completed', error: null });
      expect(texts(next).at(-1)).toBe('Done.');
      expect(done.payments).toHaveLength(payments);
    });

    it('a question of the upstream is asked here, and its answer reaches the upstream', async () => {
      travel = isHttp ? 'a2a-code-http' : 'a2a-code';
      behaviour.current = async function* (context) {
        const seat = await context.interrupt({
          reason: 'seat',
          message: 'Which seat?',
          responseSchema: { type: 'string' },
        });
        yield say(context, `Seat ${JSON.stringify(seat)}`);
      };
      const run = await ask();
      const [open] = await gateway.interrupts.pending(ALICE, run.view.sessionId);
      expect(open).toMatchObject({ kind: 'input', message: 'Which seat?' });
      const answer = { interruptId: open?.id ?? '', status: 'resolved', payload: '12A' } as const;
      const next = await gateway.ended((await gateway.runs.answer(ALICE, null, [answer])).run.runId);
      expect(next.view.error).toBeNull();
      expect(texts(next)).toEqual(['Seat "12A"']);
    });

    it('a failure of the upstream fails the run', async () => {
      travel = isHttp ? 'a2a-http' : 'a2a';
      script = () => [{ type: 'throw', error: new Error('boom') }];
      expect((await ask()).view).toMatchObject({ state: 'failed', error: { code: 'UPSTREAM_FAILED' } });
    });
  });
});

import type { AgentSubscriber } from '@ag-ui/client';
import { type Agent, type AgentContext, AgentType, beginSubagent, ModelLoop } from '../../../src/index.js';
import { CLIENTS, httpAgent, runAgent, type Seen, typesOf } from '../../support/ag-ui-clients.js';
import { agUiOptions, openedWindows } from '../../support/ag-ui-options.js';
import { startServer, type TestServer } from '../../support/server.js';
import { behaviour, mutter, say, stopped } from '../../support/code-agents.js';
import { describeOnDatabases } from '../../support/databases.js';
import { DelegateAgent } from '../../examples/delegate.agent.js';

type Client = ReturnType<typeof httpAgent>;
type Shown = Seen['events'][number];

/** Keeps the room of the open window in the shared state. */
@AgentType({ name: 'housekeeper', description: 'Opens windows.', exposure: 'public', recovery: 'journal' })
class HousekeeperAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    const predictedState = [{ stateKey: 'open/room', tool: 'open_window', argument: 'room' }];
    return this.loop.run(context, { systemPrompt: 'Air the house.', predictedState });
  }
}

/** Writes a call and its result. */
function callTool({ response }: AgentContext, callId: string): void {
  const call = response.createMessageBuilder('assistant', 'plugin_call');
  call.createContentBuilder('data').addDataDelta({ call_id: callId, name: 'look', arguments: '{}' });
  call.complete();
  const output = response.createMessageBuilder('tool', 'plugin_call_output');
  output.createContentBuilder('data').addDataDelta({ call_id: callId, name: 'look', output: 'seen' });
  output.complete();
}

describeOnDatabases('AG-UI', (open) => {
  let server: TestServer;
  let threads = 0;

  beforeAll(
    async () =>
      (server = await startServer(agUiOptions({ database: open, providers: [DelegateAgent, HousekeeperAgent] }))),
  );
  afterAll(() => server.close());

  describe.each(CLIENTS)('subagents with @ag-ui/client %s', (version) => {
    const clientOf = (agentId: string): Client =>
      httpAgent(version, { url: `${server.url}/ag-ui/${agentId}`, threadId: `parts-${version}-${(threads += 1)}` });

    async function ask(client: Client, content: string, subscriber: AgentSubscriber = {}): Promise<Seen> {
      client.addMessage({ id: `u${client.messages.length}`, role: 'user', content });
      return runAgent(client, {}, subscriber);
    }

    const shown = (seen: Seen, ...types: string[]): Shown[] => seen.events.filter(({ type }) => types.includes(type));
    const ends = (seen: Seen): Shown[] => shown(seen, 'SUBAGENT_FINISHED', 'SUBAGENT_ERROR');

    /** What another page makes of the thread. */
    async function elsewhere({ threadId }: Client): Promise<Client> {
      const page = httpAgent(version, { url: `${server.url}/copilotkit/agent/default/connect`, threadId });
      await runAgent(page);
      return page;
    }

    it('every event names its subagent, also when subagents run in parallel', async () => {
      behaviour.current = async function* (context) {
        const one = beginSubagent(context, { name: 'scout', description: 'Looks around', callId: 'call_0' });
        const two = beginSubagent(context, { name: 'scout' });
        const inner = beginSubagent(one.context, { name: 'reader', key: 'first' });
        one.context.emit({ object: 'step', name: 'walk', status: 'started' });
        two.context.emit({ object: 'step', name: 'walk', status: 'started' });
        one.context.emit({ object: 'step', name: 'walk', status: 'finished' });
        const [first, second] = [one, two].map((part) => part.context.response.createMessageBuilder());
        first?.createContentBuilder().addTextDelta('North');
        second?.createContentBuilder().addTextDelta('South');
        first?.complete();
        second?.complete();
        callTool(one.context, 'call_1');
        callTool(two.context, 'call_2');
        const activity = { object: 'activity', kind: 'snapshot', id: `map-${threads}`, activity_type: 'MAP' } as const;
        inner.context.emit({ ...activity, content: { x: 1 } });
        inner.context.emit({ object: 'raw', event: { type: 'sonar', echo: null }, source: 'boat' });
        inner.context.emit({ object: 'custom', name: 'mood', value: 'calm' });
        inner.fail({ code: 'TOO_DARK', message: 'Nothing to read' });
        one.context.state.patch([{ op: 'add', path: '/north', value: true }]);
        one.finish({ found: 2 });
        one.finish();
        yield say(context, 'Both are back.');
      };
      const client = clientOf('code-fail');
      const seen = await ask(client, 'look around');
      const [one, two, inner] = shown(seen, 'SUBAGENT_STARTED');
      const ids = [one, two, inner].map((part) => part?.['subagentRunId']);
      expect(new Set(ids).size).toBe(3);
      expect(one).toMatchObject({ name: 'scout', description: 'Looks around', parentToolCallId: 'call_0' });
      expect(inner).toMatchObject({ name: 'reader', parentSubagentRunId: ids[0] });
      expect(shown(seen, 'TEXT_MESSAGE_START').map(({ subagentRunId }) => subagentRunId)).toEqual([
        ids[0],
        ids[1],
        undefined,
      ]);
      const calls = shown(seen, 'TOOL_CALL_START', 'TOOL_CALL_RESULT');
      expect(calls.map(({ subagentRunId }) => subagentRunId)).toEqual([ids[0], ids[0], ids[1], ids[1]]);
      expect(shown(seen, 'RAW', 'CUSTOM', 'ACTIVITY_SNAPSHOT').map(({ subagentRunId }) => subagentRunId)).toEqual(
        Array(3).fill(ids[2]),
      );
      expect(shown(seen, 'RAW')).toMatchObject([{ event: { type: 'sonar', echo: null }, source: 'boat' }]);
      expect(ends(seen)).toMatchObject([
        { type: 'SUBAGENT_ERROR', subagentRunId: ids[2], code: 'TOO_DARK', message: 'Nothing to read' },
        { type: 'SUBAGENT_FINISHED', subagentRunId: ids[0], result: { found: 2 } },
        { type: 'SUBAGENT_FINISHED', subagentRunId: ids[1] },
      ]);
      const owners = client.messages.map(({ role, subagentRunId }) => [role, subagentRunId]);
      expect(owners).toEqual([
        ['user', undefined],
        ['assistant', ids[0]],
        ['tool', ids[0]],
        ['assistant', ids[1]],
        ['tool', ids[1]],
        ['activity', ids[2]],
        ['assistant', undefined],
      ]);
      const page = await elsewhere(client);
      expect(page.messages).toEqual(client.messages);
      expect((await ask(client, 'again')).events.at(-1)?.type).toBe('RUN_FINISHED');
    });

    it('a subagent can interrupt, and a snapshot of the messages keeps its id', async () => {
      behaviour.current = async function* (context) {
        const part = beginSubagent(context, { name: 'clerk' });
        if (context.resumption.inputs.length === 0) yield say(part.context, 'I have to ask.');
        const answer = await part.context.interrupt({ reason: 'name', message: 'Your name?' });
        yield say(part.context, `Thank you, ${answer as string}.`);
        part.finish();
      };
      const client = clientOf('code-journal');
      const asked = await ask(client, 'register me');
      const [interrupt] = client.pendingInterrupts;
      const id = shown(asked, 'SUBAGENT_STARTED')[0]?.['subagentRunId'];
      expect(ends(asked)).toMatchObject([
        { type: 'SUBAGENT_FINISHED', subagentRunId: id, outcome: { type: 'suspended', interruptIds: [interrupt?.id] } },
      ]);
      expect(shown(asked, 'MESSAGES_SNAPSHOT')).toMatchObject([{ messages: [{}, { subagentRunId: id }] }]);
      const resume = [{ interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: 'Ada' }];
      const seen = await runAgent(client, { resume });
      expect(shown(seen, 'SUBAGENT_STARTED')[0]?.['subagentRunId']).not.toBe(id);
      expect(ends(seen)).toMatchObject([{ type: 'SUBAGENT_FINISHED' }]);
      expect(client.messages.at(-1)?.content).toBe('Thank you, Ada.');
    });

    it.each(['failed', 'stopped'])('subagents end with their run when it is %s', async (how) => {
      behaviour.current = async function* (context) {
        const part = beginSubagent(context, { name: 'outer' });
        const inner = beginSubagent(part.context, { name: 'inner' });
        yield mutter(inner.context, 'Well');
        if (how === 'failed') throw new Error('secret');
        await stopped(context);
      };
      const client = clientOf('code-fail');
      const stop = `${server.url}/copilotkit/agent/code-fail/stop/${client.threadId}`;
      const onTextMessageContentEvent = async (): Promise<void> => {
        if (how === 'stopped') await (await fetch(stop, { method: 'POST' })).text();
      };
      const seen = await ask(client, 'try', { onTextMessageContentEvent });
      const code = how === 'failed' ? 'AGENT_UNKNOWN_ERROR' : 'STOPPED';
      const started = shown(seen, 'SUBAGENT_STARTED').map(({ subagentRunId }) => subagentRunId);
      expect(ends(seen).map(({ type, subagentRunId, code: told }) => [type, subagentRunId, told])).toEqual(
        started.reverse().map((id) => ['SUBAGENT_ERROR', id, code]),
      );
      expect(JSON.stringify(seen.events)).not.toContain('secret');
    });

    it('a subagent calls a model and tools, and returns its result to the agent', async () => {
      const client = clientOf('delegate');
      const seen = await ask(client, 'one tool');
      const [{ subagentRunId: id } = { subagentRunId: undefined }] = shown(seen, 'SUBAGENT_STARTED');
      const round = (owner: unknown) => ['assistant', 'tool', 'assistant'].map((role) => [role, owner]);
      expect(client.messages.map(({ role, subagentRunId }) => [role, subagentRunId])).toEqual([
        ['user', undefined],
        ...round(id),
        ...round(undefined),
      ]);
      const calls = shown(seen, 'TOOL_CALL_START').map(({ toolCallId }) => toolCallId);
      expect(new Set(calls).size).toBe(2);
      expect(ends(seen)).toMatchObject([{ type: 'SUBAGENT_FINISHED', subagentRunId: id }]);
      const { messages } = server.modelServer.getLastRequest()?.body as { messages: { content: string }[] };
      expect(messages[0]?.content).toContain('What is known:\nMild in Paris.');
    });

    it('predicted state is announced before a tool call and stored after it', async () => {
      const client = clientOf('housekeeper');
      const asked = await ask(client, 'open the window');
      const types = typesOf(asked);
      const at = types.indexOf('CUSTOM');
      expect(types[at + 1]).toBe('TOOL_CALL_START');
      expect(shown(asked, 'CUSTOM')).toMatchObject([
        {
          name: 'PredictState',
          value: [{ state_key: 'open/room', tool: 'open_window', tool_argument: 'room' }],
        },
      ]);
      expect(client.state).toEqual({});
      const before = openedWindows.length;
      const resume = client.pendingInterrupts.map(({ id: interruptId }) => ({
        interruptId,
        status: 'resolved' as const,
        payload: { approved: true },
      }));
      const seen = await runAgent(client, { resume });
      expect(openedWindows.slice(before)).toEqual(['kitchen']);
      expect(client.state).toEqual({ 'open/room': 'kitchen' });
      expect(typesOf(seen).indexOf('STATE_DELTA')).toBeGreaterThan(typesOf(seen).indexOf('TOOL_CALL_RESULT'));
    });
  });
});

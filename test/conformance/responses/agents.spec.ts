import type { LLMock } from '@copilotkit/aimock';
import { Agent, type AgentOptions, hostedMcpTool, Runner, type StreamedRunResult, tool } from '@openai/agents-core';
import { OpenAIConversationsSession, OpenAIProvider } from '@openai/agents-openai';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { ScriptedMcp } from '../../support/mcp-servers.js';
import { openaiClient, openaiUrl } from '../../support/openai-client.js';
import { startServer, type TestServer } from '../../support/server.js';

const SKY = 'The sky is blue today.';
const BOTH = 'Both are on their way.';
const NOTES = { serverLabel: 'notes', serverUrl: 'https://example.org', requireApproval: 'always' } as const;

/** The model makes one list of calls after the other, then it answers. */
function rounds(
  upstream: LLMock,
  text: string,
  calls: readonly { name: string; arguments: string }[][],
  answer: string,
) {
  let made = 0;
  [...calls, undefined].forEach((round, index) => {
    const results = made;
    made += round?.length ?? 0;
    const toolCalls = round?.map((call, at) => ({ ...call, id: `call_${text.length}_${index}_${at}` }));
    upstream.on(
      {
        predicate: ({ messages }) => {
          const last = messages.findLastIndex(({ role }) => role === 'user');
          const isAsked = JSON.stringify(messages[last] ?? '').includes(text);
          return isAsked && messages.slice(last).filter(({ role }) => role === 'tool').length === results;
        },
      },
      toolCalls ? { toolCalls } : { content: answer },
    );
  });
}

function script(upstream: LLMock): void {
  const lookup = (id: string): { name: string; arguments: string } => ({ name: 'lookup', arguments: `{"id":"${id}"}` });
  rounds(upstream, 'two rounds', [[lookup('7')], [lookup('8')]], BOTH);
  rounds(upstream, 'at once', [[lookup('7'), lookup('8')]], BOTH);
  rounds(upstream, 'to billing', [[{ name: 'transfer_to_Billing', arguments: '{}' }]], 'This is billing.');
  rounds(upstream, 'take a note', [[{ name: 'note', arguments: '{"text":"milk"}' }]], 'Noted.');
  rounds(upstream, 'look at the notes', [[{ name: 'read_notes', arguments: '{}' }]], 'Nothing yet.');
  upstream.onMessage('plain text', { content: SKY });
  upstream.onMessage('reasoned text', { content: 'So it is.', reasoning: 'Let me think.' });
  upstream.onMessage('an animal', { content: '{"name":"cat","legs":4}' });
  upstream.onMessage('server error', { error: { message: 'secret', type: 'server_error' }, status: 500 });
  const knows = /My name is Alice.*What is my name/s;
  upstream.on({ predicate: ({ messages }) => knows.test(JSON.stringify(messages)) }, { content: 'You are Alice.' });
  upstream.onMessage('What is my name?', { content: 'I do not know.' });
  upstream.onMessage('My name is Alice.', { content: 'Hello Alice.' });
}

/** The OpenAI Agents SDK as it is, for which this server is the model (contract responses, section C3). */
describe('@openai/agents', () => {
  const looked: string[] = [];
  const lookup = tool({
    name: 'lookup',
    description: 'Looks an order up',
    parameters: z.object({ id: z.string() }),
    execute: ({ id }) => {
      looked.push(id);
      return `order ${id} is on its way`;
    },
  });
  let notes: ScriptedMcp;
  let server: TestServer;
  let runner: Runner;

  beforeAll(async () => {
    notes = await new ScriptedMcp().start();
    notes.tools = [
      { name: 'note', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } },
      { name: 'read_notes', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    ];
    const servers = JSON.stringify({ mcpServers: { notes: { url: notes.url } } });
    server = await startServer({ model: script, env: { MCP_SERVERS: servers } });
    runner = runnerOn({});
  });
  afterAll(async () => {
    await server.close();
    await notes.stop();
  });
  beforeEach(() => {
    looked.length = 0;
    notes.calls.length = 0;
  });

  function runnerOn(more: object): Runner {
    const options = { apiKey: 'any', baseURL: openaiUrl(server), useResponses: true, ...more };
    // Without this the SDK reports every run to its vendor.
    return new Runner({ modelProvider: new OpenAIProvider(options), tracingDisabled: true });
  }

  const helper = (more: Partial<AgentOptions> = {}): Agent => new Agent({ name: 'Helper', model: 'agent', ...more });
  const session = (): OpenAIConversationsSession =>
    new OpenAIConversationsSession({ client: openaiClient(server) as never });

  /** Reads a stream to its end; the names of what the SDK saw in it. */
  async function read(result: StreamedRunResult<never, never>): Promise<{ names: string[]; text: string }> {
    const names: string[] = [];
    let text = '';
    for await (const event of result) {
      if (event.type === 'run_item_stream_event') names.push(event.name);
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') text += event.data.delta;
    }
    await result.completed;
    return { names, text };
  }

  it('an agent runs, whole and streamed', async () => {
    expect((await runner.run(helper(), 'plain text')).finalOutput).toBe(SKY);
    const streamed = await runner.run(helper(), 'plain text', { stream: true });
    expect(await read(streamed as never)).toEqual({ names: ['message_output_created'], text: SKY });
    expect(streamed.finalOutput).toBe(SKY);
  });

  it('an agent runs its tools in two rounds, whole and streamed', async () => {
    const agent = helper({ tools: [lookup] });
    expect((await runner.run(agent, 'two rounds')).finalOutput).toBe(BOTH);
    const streamed = await runner.run(agent, 'two rounds', { stream: true });
    const round = ['tool_called', 'tool_output'];
    expect((await read(streamed as never)).names).toEqual([...round, ...round, 'message_output_created']);
    expect(streamed.finalOutput).toBe(BOTH);
    expect(looked).toEqual(['7', '8', '7', '8']);
  });

  it.each([
    ['nothing stored', { modelSettings: { store: false } }],
    ['a tool that is forced', { modelSettings: { toolChoice: 'lookup', parallelToolCalls: false } }],
  ])('an agent runs parallel tool calls with %s', async (_, more) => {
    expect((await runner.run(helper({ tools: [lookup], ...more }), 'at once')).finalOutput).toBe(BOTH);
    expect(looked.sort()).toEqual(['7', '8']);
  });

  it('a conversation continues by previous response, by conversation and by history', async () => {
    const first = await runner.run(helper(), 'My name is Alice.');
    const byResponse = { previousResponseId: first.lastResponseId };
    expect((await runner.run(helper(), 'What is my name?', byResponse)).finalOutput).toBe('You are Alice.');
    const byHistory = [...first.history, { role: 'user' as const, content: 'What is my name?' }];
    expect((await runner.run(helper(), byHistory)).finalOutput).toBe('You are Alice.');
    const { id } = await openaiClient(server).conversations.create();
    await runner.run(helper(), 'My name is Alice.', { conversationId: id });
    const byConversation = await runner.run(helper(), 'What is my name?', { conversationId: id });
    expect(byConversation.finalOutput).toBe('You are Alice.');
    expect((await runner.run(helper(), 'What is my name?')).finalOutput).toBe('I do not know.');
  });

  it.each(['previousResponseId', 'conversationId'])('an agent runs its tools in a conversation by %s', async (name) => {
    const { lastResponseId } = await runner.run(helper(), 'plain text');
    const id = name === 'conversationId' ? (await openaiClient(server).conversations.create()).id : lastResponseId;
    const result = await runner.run(helper({ tools: [lookup] }), 'two rounds', { [name]: id });
    expect(result.finalOutput).toBe(BOTH);
  });

  it('a session remembers its messages', async () => {
    const kept = session();
    await runner.run(helper(), 'My name is Alice.', { session: kept });
    expect((await runner.run(helper(), 'What is my name?', { session: kept })).finalOutput).toBe('You are Alice.');
    expect((await kept.getItems()).map(({ type }) => type)).toEqual(['message', 'message', 'message', 'message']);
    expect(await kept.getItems(2)).toHaveLength(2);
    expect(await kept.popItem()).toMatchObject({ role: 'assistant' });
    expect(await kept.getItems()).toHaveLength(3);
    await kept.clearSession();
  });

  it('a session stores the tool calls and their results', async () => {
    const kept = session();
    await read((await runner.run(helper({ tools: [lookup] }), 'two rounds', { session: kept, stream: true })) as never);
    const call = ['function_call', 'function_call_result'];
    expect((await kept.getItems()).map(({ type }) => type)).toEqual(['message', ...call, ...call, 'message']);
    const next = await runner.run(helper({ tools: [lookup] }), 'plain text', { session: kept });
    expect(next.finalOutput).toBe(SKY);
  });

  it('structured output works, whole and streamed', async () => {
    const outputType = z.object({ name: z.string(), legs: z.number() });
    const agent = new Agent({ name: 'Helper', model: 'agent', outputType });
    expect((await runner.run(agent, 'an animal')).finalOutput).toEqual({ name: 'cat', legs: 4 });
    const streamed = await runner.run(agent, 'an animal', { stream: true });
    await read(streamed as never);
    expect(streamed.finalOutput).toEqual({ name: 'cat', legs: 4 });
  });

  it.each([true, false])('a handoff to another agent works (streamed: %s)', async (stream) => {
    const agent = helper({ name: 'Reception', handoffs: [helper({ name: 'Billing' })] });
    const result = await runner.run(agent, 'to billing', { stream: stream as true });
    if (stream) await read(result as never);
    expect(result.finalOutput).toBe('This is billing.');
    expect(result.lastAgent?.name).toBe('Billing');
  });

  it.each([
    ['a call', 'look at the notes', false],
    ['a call that is streamed', 'look at the notes', true],
    ['an approved call', 'take a note', false],
  ])('the model sees the result of %s of the server when the history omits it', async (_, question, stream) => {
    const agent = helper({ tools: [hostedMcpTool({ ...NOTES, requireApproval: 'never' })] });
    let first = await runner.run(agent, question, { stream: stream as true });
    if (stream) await read(first as never);
    for (const one of first.interruptions) first.state.approve(one);
    if (first.interruptions.length > 0) first = (await runner.run(agent, first.state)) as never;
    const sent = first.history.filter(({ type }) => type === 'hosted_tool_call').at(-1);
    expect(sent).toMatchObject({ name: 'mcp_call', output: 'done' });
    const next = await runner.run(agent, [...first.history, { role: 'user', content: 'plain text' }]);
    expect(next.finalOutput).toBe(SKY);
    const { messages } = server.modelServer.getLastRequest()?.body as {
      messages: { role: string; content: unknown }[];
    };
    expect(messages.filter(({ role }) => role === 'tool')).toEqual([expect.objectContaining({ content: 'done' })]);
    expect(notes.calls).toHaveLength(1);
  });

  it('reasoning arrives and can be sent back as history', async () => {
    const first = await runner.run(helper(), 'reasoned text');
    expect(first.newItems.map(({ type }) => type)).toEqual(['reasoning_item', 'message_output_item']);
    const again = await runner.run(helper(), [...first.history, { role: 'user', content: 'plain text' }]);
    expect(again.finalOutput).toBe(SKY);
    const streamed = await runner.run(helper(), 'reasoned text', { stream: true });
    expect((await read(streamed as never)).names).toEqual(['reasoning_item_created', 'message_output_created']);
  });

  describe('@openai/agents with a server tool that needs approval', () => {
    const agent = (): Agent => helper({ tools: [hostedMcpTool(NOTES)] });

    it.each([
      ['approve', false, 1],
      ['approve', true, 1],
      ['reject', false, 0],
      ['reject', true, 0],
    ] as const)(
      'a run is interrupted and continues after the decision: %s (streamed: %s)',
      async (decide, stream, calls) => {
        const asked = await runner.run(agent(), 'take a note', { stream: stream as true });
        if (stream) await read(asked as never);
        expect(asked.interruptions).toHaveLength(1);
        for (const one of asked.interruptions) asked.state[decide](one);
        const result = await runner.run(agent(), asked.state, { stream: stream as true });
        if (stream) await read(result as never);
        expect(result.finalOutput).toBe('Noted.');
        expect(notes.calls).toHaveLength(calls);
      },
    );

    it.each(['previousResponseId', 'conversationId', 'session'])(
      'a run continues after an approval in a conversation by %s',
      async (name) => {
        const { lastResponseId } = await runner.run(helper(), 'plain text');
        const { id } = await openaiClient(server).conversations.create();
        const places = { previousResponseId: lastResponseId, conversationId: id, session: session() };
        const options = { [name]: places[name as keyof typeof places] };
        const asked = await runner.run(agent(), 'take a note', options);
        for (const one of asked.interruptions) asked.state.approve(one);
        expect((await runner.run(agent(), asked.state, options)).finalOutput).toBe('Noted.');
        const more = name === 'previousResponseId' ? {} : options;
        expect((await runner.run(agent(), 'plain text', more)).finalOutput).toBe(SKY);
        expect(notes.calls).toHaveLength(1);
      },
    );

    it('a callback of the client can decide about the approval', async () => {
      const onApproval = (): Promise<{ approve: boolean }> => Promise.resolve({ approve: true });
      const asking = helper({ tools: [hostedMcpTool({ ...NOTES, onApproval })] });
      expect((await runner.run(asking, 'take a note')).finalOutput).toBe('Noted.');
    });
  });

  it('the WebSocket transport works', async () => {
    // Node.js has one of its own from version 22 on.
    Object.assign(globalThis, { WebSocket });
    const provider = new OpenAIProvider({ apiKey: 'any', baseURL: openaiUrl(server), useResponsesWebSocket: true });
    const socketRunner = new Runner({ modelProvider: provider, tracingDisabled: true });
    const streamed = await socketRunner.run(helper({ tools: [lookup] }), 'two rounds', { stream: true });
    await read(streamed as never);
    expect(streamed.finalOutput).toBe(BOTH);
    const first = await socketRunner.run(helper(), 'My name is Alice.');
    const more = { previousResponseId: first.lastResponseId };
    expect((await socketRunner.run(helper(), 'What is my name?', more)).finalOutput).toBe('You are Alice.');
    const unknown = socketRunner.run(helper(), 'plain text', { previousResponseId: 'resp_none' });
    await expect(unknown).rejects.toThrow('error');
    await provider.close();
  });

  it('a failed response makes the run fail', async () => {
    const failure = 'unsuccessful terminal state "response.failed"';
    await expect(runner.run(helper(), 'server error')).rejects.toThrow(failure);
    const streamed = await runner.run(helper(), 'server error', { stream: true });
    await expect(read(streamed as never)).rejects.toThrow(failure);
  });
});

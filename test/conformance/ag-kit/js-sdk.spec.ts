import type { LLMock } from '@copilotkit/aimock';
import cloudbase from '@cloudbase/js-sdk';
import { type AgKitEvent } from '../../../src/protocol/ag-kit/ag-kit.types.js';
import { ask } from '../../examples/ag-kit.client.js';
import { behaviour, JournalingCodeAgent, say } from '../../support/code-agents.js';
import { describeOnDatabases } from '../../support/databases.js';
import { startServer, type TestServer } from '../../support/server.js';

/** What the SDK gives back for a streamed request. */
interface SdkStream {
  readonly dataStream: AsyncIterable<AgKitEvent>;
  readonly textStream: AsyncIterable<string>;
}

/** The part of the SDK's bot client that is used here. */
interface SdkBot {
  sendMessage(body: { readonly botId: string } & Record<string, unknown>): Promise<SdkStream>;
  list(query: object): Promise<{ readonly botList: readonly { readonly botId: string }[] }>;
  get(query: { readonly botId: string }): Promise<{ readonly botId: string; readonly introduction: string }>;
  getChatRecords(query: Record<string, string | number>): Promise<{
    readonly recordList: readonly { readonly role: string; readonly content: string }[];
    readonly total: number;
  }>;
  createConversation(body: {
    readonly botId: string;
    readonly title?: string;
    readonly conversationId?: string;
  }): Promise<{ conversationId: string }>;
  getConversation(query: {
    readonly botId: string;
    readonly pageSize?: number;
    readonly pageNumber?: number;
  }): Promise<{ readonly conversationList: readonly { conversationId: string; title: string }[]; total: number }>;
  deleteConversation(query: { readonly botId: string; readonly conversationId: string }): Promise<unknown>;
}

const TOOL = {
  name: 'set-bg',
  description: 'Sets the background.',
  parameters: JSON.stringify({ type: 'object', properties: { color: { type: 'string' } } }),
};

describeOnDatabases('the vendor SDK @cloudbase/js-sdk', (openDatabase) => {
  let server: TestServer;
  let bot: SdkBot;

  beforeAll(async () => {
    server = await startServer({ database: openDatabase, model: script, providers: [JournalingCodeAgent] });
    const app = cloudbase.init({ env: 'local', region: 'ap-shanghai', accessKey: 'k' }) as unknown as {
      ai(options: { readonly baseUrl: string }): { readonly bot: SdkBot };
    };
    bot = app.ai({ baseUrl: `${server.url}/v1` }).bot;
  });
  afterAll(() => server.close());

  async function send(conversationId: string, body: Record<string, unknown>, botId = 'worker'): Promise<AgKitEvent[]> {
    const events: AgKitEvent[] = [];
    const { dataStream } = await bot.sendMessage({ botId, conversationId, ...body });
    for await (const event of dataStream) events.push(event);
    return events;
  }

  const user = (content: string) => ({ messages: [{ role: 'user', content }] });

  it('the data stream holds the text in several events', async () => {
    const events = await send('c1', user('plain text'));
    expect(events.length).toBeGreaterThan(2);
    expect(events.every(({ type }) => type === 'text')).toBe(true);
    expect(textOf(events)).toBe('The sky is blue today.');
  });

  it('the text stream holds the text', async () => {
    const { textStream } = await bot.sendMessage({ botId: 'worker', conversationId: 'c1-text', ...user('plain text') });
    let text = '';
    for await (const piece of textStream) text += piece;
    expect(text).toBe('The sky is blue today.');
  });

  it('the example of the documentation works', async () => {
    expect(await ask(server.url, 'c1-page', 'plain text')).toBe('The sky is blue today.');
  });

  it('the server keeps the conversation when the client sends only the new message', async () => {
    await send('c2', user('plain text'));
    await send('c2', user('and again'));
    const { messages } = server.modelServer.getRequests().at(-1)?.body as {
      messages: { role: string; content: unknown }[];
    };
    expect(messages.filter(({ role }) => role !== 'system')).toMatchObject([
      { role: 'user', content: 'plain text' },
      { role: 'assistant', content: 'The sky is blue today.' },
      { role: 'user', content: 'and again' },
    ]);
  });

  it('the client runs its own tool and the answer uses its result', async () => {
    const events = await send('c3', { ...user('make it blue'), tools: [TOOL] });
    expect(events.at(0)).toEqual({ type: 'tool-call-start', toolCallId: 'k1', toolCallName: 'set-bg' });
    expect(argsOf(events, 'k1')).toBe('{"color":"blue"}');
    expect(events.at(-1)).toEqual({ type: 'tool-call-end', toolCallId: 'k1' });
    const result = { messages: [{ role: 'tool', toolCallId: 'k1', content: 'ok: blue' }], tools: [TOOL] };
    expect(textOf(await send('c3', result))).toBe('It is blue.');
    await expect(send('c3', result)).rejects.toThrow('TOOL_CALL_ALREADY_ANSWERED');
    await expect(send('c3', { messages: [{ role: 'tool', toolCallId: 'nobody', content: 'x' }] })).rejects.toThrow(
      'INVALID_ARGUMENT',
    );
  });

  it('parallel tools of the server arrive as all calls, then their results, then the text', async () => {
    const events = await send('c4', user('two tools'));
    const kinds = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    const call = ['tool-call-start', 'tool-call-args', 'tool-call-end'];
    expect(kinds).toEqual([...call, ...call, 'tool-result', 'text']);
    const results = events.flatMap((event) => (event.type === 'tool-result' ? [event] : []));
    expect(results.map(({ toolCallId }) => toolCallId).sort()).toEqual(['call_b', 'call_c']);
    for (const { result } of results) expect(typeof result).toBe('string');
    expect(textOf(events)).toBe('Both are fine.');
  });

  it('an interrupt is answered once, by an answer that fits its schema', async () => {
    behaviour.current = async function* (context) {
      const answer = await context.interrupt({
        reason: 'way',
        message: 'Which way?',
        responseSchema: { type: 'string' },
      });
      yield say(context, `We go ${JSON.stringify(answer)}.`);
    };
    const events = await send('c5', user('lead us'), 'code-journal');
    expect(events.map(({ type }) => type)).toEqual(['text', 'interrupt']);
    const asked = events[1] as Extract<AgKitEvent, { type: 'interrupt' }>;
    expect(asked).toMatchObject({
      reason: 'Which way?',
      payload: { type: 'input', responseSchema: { type: 'string' } },
    });

    const answer = (interruptId: string, payload: unknown) => ({ resume: { interruptId, payload }, tools: [] });
    await expect(send('c5', answer('nobody', '"left"'), 'code-journal')).rejects.toThrow('INTERRUPT_NOT_FOUND');
    await expect(send('c1', answer(asked.id, '"left"'), 'code-journal')).rejects.toThrow('INTERRUPT_NOT_FOUND');
    await expect(send('c5', answer(asked.id, '{"way":"left"}'), 'code-journal')).rejects.toThrow('INVALID_ARGUMENT');
    const resumed = await send('c5', answer(asked.id, JSON.stringify('left')), 'code-journal');
    expect(textOf(resumed)).toBe('We go "left".');
    await expect(send('c5', answer(asked.id, '"right"'), 'code-journal')).rejects.toThrow('INTERRUPT_ALREADY_RESOLVED');
  });

  it('an error of the model ends the stream with an error event, and the conversation stays usable', async () => {
    const events = await send('c6', user('server error'));
    expect(events).toEqual([{ type: 'error', error: expect.any(String) }]);
    expect(textOf(await send('c6', user('plain text')))).toBe('The sky is blue today.');
  });

  it('a refused tool result is named in the error, and nothing of its request is stored', async () => {
    const post = async (messages: readonly object[]): Promise<{ status: number; body: unknown }> => {
      const answer = await fetch(`${server.url}/send-message`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ conversationId: 'c9', messages, tools: [TOOL] }),
      });
      const text = await answer.text();
      return { status: answer.status, body: answer.ok ? text : (JSON.parse(text) as unknown) };
    };
    const output = (toolCallId: string) => ({ role: 'tool', toolCallId, content: 'ok' });
    const unknown = await post([{ role: 'user', content: 'hi' }, output('k1')]);
    const refused = {
      path: 'messages[1].toolCallId',
      message: 'No open tool call has the id k1',
      rule: 'unknown_call',
    };
    expect(unknown).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT', details: [refused] } });
    expect((await post([{ role: 'user', content: 'make it blue' }])).status).toBe(200);
    expect((await post([output('k1')])).status).toBe(200);
    const answered = await post([output('k1')]);
    expect(answered).toMatchObject({ status: 409, body: { details: [{ path: 'messages[0].toolCallId' }] } });
    expect((await post([{ role: 'user', content: 'make it blue' }, output('k1'), output('k1')])).body).toMatchObject({
      details: [{ path: 'messages[2].toolCallId' }],
    });
    const records = await bot.getChatRecords({ botId: 'worker', conversationId: 'c9', sort: 'asc' });
    expect(records.recordList.map(({ content }) => content)).toEqual(['make it blue', 'It is blue.']);
  });

  it('both health paths of the vendor answer 200', async () => {
    for (const path of ['/healthz', '/v1/aibot/bots/worker/healthz']) {
      const answer = await fetch(server.url + path);
      expect([answer.status, await answer.json()]).toMatchObject([200, { status: 'ok' }]);
    }
  });

  it('the client throws when a request is refused before the stream', async () => {
    await expect(send('c7', { messages: 'hi' })).rejects.toThrow('INVALID_ARGUMENT');
    await expect(send('c7', user('hi'), 'nobody')).rejects.toThrow('AGENT_NOT_FOUND');
  });

  it('a request without messages is answered with an empty stream', async () => {
    expect(await send('c8', { messages: [] })).toEqual([]);
  });

  it('the older bot dialect works', async () => {
    const { dataStream } = await bot.sendMessage({ botId: 'worker', msg: 'plain text', history: [] });
    const frames: { content: string; finish_reason: string }[] = [];
    for await (const frame of dataStream) frames.push(frame as unknown as (typeof frames)[number]);
    expect(frames.map(({ content }) => content).join('')).toBe('The sky is blue today.');
    expect(frames.map(({ finish_reason: reason }) => reason).filter((reason) => reason !== 'continue')).toEqual([
      'stop',
    ]);
  });

  it('the client lists and describes the agents', async () => {
    const { botList } = await bot.list({});
    expect(botList.map(({ botId }) => botId)).toContain('worker');
    expect(await bot.get({ botId: 'worker' })).toMatchObject({ botId: 'worker', introduction: expect.any(String) });
    await expect(bot.get({ botId: 'nobody' })).rejects.toThrow('AGENT_NOT_FOUND');
  });

  it('the client creates, lists, reads and removes conversations', async () => {
    const { conversationId } = await bot.createConversation({ botId: 'worker', title: 'Weather' });
    await send(conversationId, user('plain text'));
    const { conversationList, total } = await bot.getConversation({ botId: 'worker' });
    expect(conversationList[0]).toMatchObject({ conversationId, title: 'Weather' });
    expect(total).toBeGreaterThan(1);
    await expect(bot.createConversation({ botId: 'worker', conversationId })).rejects.toThrow('CONVERSATION_EXISTS');
    const second = await bot.getConversation({ botId: 'worker', pageSize: 1, pageNumber: 2 });
    expect(second.conversationList).toHaveLength(1);
    expect(second.conversationList[0]?.conversationId).not.toBe(conversationId);

    const query = { botId: 'worker', conversationId, pageNumber: 1, pageSize: 10 };
    const said = await bot.getChatRecords({ ...query, sort: 'asc' });
    expect(said).toMatchObject({
      total: 2,
      recordList: [
        { role: 'user', content: 'plain text' },
        { role: 'assistant', content: 'The sky is blue today.' },
      ],
    });
    const newest = await bot.getChatRecords({ ...query, sort: 'desc', pageSize: 1 });
    expect(newest.recordList).toMatchObject([{ role: 'assistant' }]);
    expect((await bot.getChatRecords({ botId: 'worker' })).total).toBe(2);

    await bot.deleteConversation({ botId: 'worker', conversationId });
    expect((await bot.getChatRecords(query)).total).toBe(0);
    await expect(bot.deleteConversation({ botId: 'worker', conversationId })).rejects.toThrow('CONVERSATION_NOT_FOUND');
  });
});

function textOf(events: readonly AgKitEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.content : '')).join('');
}

function argsOf(events: readonly AgKitEvent[], id: string): string {
  return events
    .map((event) => (event.type === 'tool-call-args' && event.toolCallId === id ? event.delta : ''))
    .join('');
}

function script(upstream: LLMock): void {
  const tools = (text: string, toolCalls: { name: string; arguments: string; id: string }[], answer: string): void => {
    upstream.on({ userMessage: text, hasToolResult: false }, { toolCalls });
    upstream.on({ userMessage: text, hasToolResult: true }, { content: answer });
  };
  upstream.onMessage('plain text', { content: 'The sky is blue today.' });
  upstream.onMessage('and again', { content: 'Still blue.' });
  upstream.onMessage('server error', { error: { message: 'secret', type: 'server_error' }, status: 500 });
  tools('make it blue', [{ name: 'set-bg', arguments: '{"color":"blue"}', id: 'k1' }], 'It is blue.');
  tools(
    'two tools',
    [
      { name: 'get_weather', arguments: '{"city":"Paris"}', id: 'call_b' },
      { name: 'get_weather', arguments: '{"city":"Rome"}', id: 'call_c' },
    ],
    'Both are fine.',
  );
}

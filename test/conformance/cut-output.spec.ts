import type { LLMock } from '@copilotkit/aimock';
import type OpenAI from 'openai';
import type { ConversationItem } from 'openai/resources/conversations/items';
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInput,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { Sessions } from '../../src/agent/session/index.js';
import { OWN_USER } from '../support/caller.js';
import { openaiClient, openaiUrl } from '../support/openai-client.js';
import { OpenResponsesConnection } from '../support/open-responses-client.js';
import { type Frame, ProcessClient } from '../support/process-client.js';
import { runInput, RunsClient } from '../support/runs-client.js';
import { startServer, type TestServer } from '../support/server.js';

const PARAMETERS = { type: 'object', properties: { id: { type: 'string' } } };
const LOOKUP = { type: 'function', name: 'lookup_order', parameters: PARAMETERS, strict: false } as const;
const AGENT_API_LOOKUP = { type: 'function', function: { name: 'lookup_order', parameters: PARAMETERS } };

const CUT_CALL = {
  type: 'function_call',
  call_id: 'c1',
  name: 'lookup_order',
  arguments: '{"id":"',
  status: 'incomplete',
} as const;
const answerTo = (callId: string) =>
  ({ type: 'function_call_output', call_id: callId, output: 'Not a whole call' }) as const;

function script(upstream: LLMock): void {
  upstream.onMessage('cut text', { content: 'So far', finishReason: 'length' });
  const call = { name: 'lookup_order', arguments: '{"id":"', id: 'c1' };
  upstream.onMessage('cut call', { toolCalls: [call], finishReason: 'length' });
  upstream.onMessage('filtered text', { content: 'So far', finishReason: 'content_filter' });
  upstream.on({ toolCallId: 'c1' }, { content: 'I see.' });
  upstream.onMessage('go on', { content: 'And so on.' });
}

/** What the user says, why the output is cut, and the type of the item and of the message that were cut. */
const CUTS = [
  ['cut text', 'max_output_tokens', 'message'],
  ['cut call', 'max_output_tokens', 'function_call'],
  ['filtered text', 'content_filter', 'message'],
] as const;

/** The arguments of the cut call as the model gets them. */
const WRAPPED = JSON.stringify({ invalid_json: '{"id":"' });

describe('output that a limit has cut', () => {
  let server: TestServer;
  let client: OpenAI;
  let agentApi: ProcessClient;

  beforeAll(async () => {
    server = await startServer({ model: script });
    client = openaiClient(server);
    agentApi = new ProcessClient(server.url);
  });
  afterAll(() => server.close());

  describe('on the Responses API', () => {
    const ask = (input: string | ResponseInput, more: Partial<ResponseCreateParamsNonStreaming> = {}) =>
      client.responses.create({ model: 'x', input, tools: [LOOKUP], ...more });

    it.each(CUTS)('the items of a conversation show it as incomplete: %s', async (input, _reason, type) => {
      const conversation = await client.conversations.create();
      const { output } = await ask(input, { conversation: conversation.id });
      const { data } = await client.conversations.items.list(conversation.id, { order: 'asc' });
      expect(data.map(statusOf)).toEqual([
        ['message', 'completed'],
        [type, 'incomplete'],
      ]);
      expect(data[1]).toEqual(output[0]);
      const id = data[1]?.id ?? '';
      const item = await client.conversations.items.retrieve(id, { conversation_id: conversation.id });
      expect(statusOf(item)).toEqual([type, 'incomplete']);
    });

    it.each(CUTS)('the events of a stored response show it as incomplete: %s', async (input, reason, type) => {
      const { id } = await ask(input, { background: true });
      const events: ResponseStreamEvent[] = [];
      for await (const event of await client.responses.retrieve(id, { stream: true })) events.push(event);
      const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []));
      expect(done.map(statusOf)).toEqual([[type, 'incomplete']]);
      const end = { status: 'incomplete', incomplete_details: { reason }, output: done };
      expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: end });
      expect(await client.responses.retrieve(id)).toMatchObject(end);
    });

    it.each(CUTS)('the WebSocket shows it as incomplete: %s', async (input, _reason, type) => {
      const connection = await OpenResponsesConnection.open(`${openaiUrl(server)}/responses`);
      const response = await connection.create({ input, tools: [LOOKUP] });
      connection.socket.close();
      expect(response).toMatchObject({ status: 'incomplete', output: [{ type, status: 'incomplete' }] });
    });

    it.each(CUTS)(
      'the input of a response that repeats it shows it as incomplete: %s',
      async (input, _reason, type) => {
        const first = await ask(input, { store: false });
        const repeated = [{ role: 'user', content: input }, ...first.output, { role: 'user', content: 'go on' }];
        const { id } = await ask(repeated as ResponseInput);
        const { data } = await client.responses.inputItems.list(id, { order: 'asc' });
        expect(data.map(statusOf)).toEqual([
          ['message', 'completed'],
          [type, 'incomplete'],
          ['message', 'completed'],
        ]);
      },
    );

    it('an item that a client adds to a conversation keeps its status', async () => {
      const { output } = await ask('cut text');
      const { id } = await client.conversations.create({ items: output as ResponseInput });
      const { data } = await client.conversations.items.list(id);
      expect(data.map(statusOf)).toEqual([['message', 'incomplete']]);
    });

    it('a message that was stored as completed is shown as it was stored', async () => {
      const { id } = await client.conversations.create({
        items: [{ type: 'message', role: 'assistant', content: 'So far' }],
      });
      const { data } = await client.conversations.items.list(id);
      expect(data.map(statusOf)).toEqual([['message', 'completed']]);
    });

    it.each([
      ['later', async (id: string) => ask([answerTo('c1')], { previous_response_id: id })],
      ['with the call', async () => ask([CUT_CALL, answerTo('c1')])],
    ])("the model gets the client's output of a cut call: %s", async (_when, answered) => {
      const { id } = await ask('cut call');
      server.modelServer.clearRequests();
      await answered(id);
      const { messages } = server.modelServer.getLastRequest()?.body as { messages: { role: string }[] };
      expect(messages.slice(-2)).toMatchObject([
        // What does not parse is wrapped (contract model-servers, section 4.1).
        { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'lookup_order', arguments: WRAPPED } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'Not a whole call' },
      ]);
    });

    it('the conversation goes on', async () => {
      const { id } = await ask('cut call');
      const next = await ask('go on', { previous_response_id: id });
      expect(next).toMatchObject({ status: 'completed', output_text: 'And so on.' });
    });
  });

  describe('on the Agent API', () => {
    const tools = [AGENT_API_LOOKUP];

    const statusesOf = ({ output }: Frame): unknown[] =>
      (output ?? []).map(({ type, status, content }) => [type, status, ...(content ?? []).map((one) => one.status)]);

    it.each(CUTS)('the stream, its replay and the response show it as incomplete: %s', async (input, reason, type) => {
      const { frames } = await agentApi.ask(input, { tools });
      const last = frames.at(-1);
      const id = last?.id ?? '';
      expect(last).toMatchObject({ status: 'incomplete', error: { code: reason } });
      expect(last && statusesOf(last)).toEqual([[type, 'incomplete', 'incomplete']]);
      const closing = frames.slice(-3, -1).map(({ object, status }) => [object, status]);
      expect(closing).toEqual([
        ['content', 'incomplete'],
        ['message', 'incomplete'],
      ]);
      const replay = await agentApi.resume(id, -1);
      expect((await replay.all()).frames).toEqual(frames);
      expect((await agentApi.read(id)).body.output).toEqual(last?.output);
    });

    it.each(CUTS)('one JSON body shows it as incomplete: %s', async (input, _reason, type) => {
      const body = { input: [{ role: 'user', content: [{ type: 'text', text: input }] }], tools, stream: false };
      const answer = await agentApi.json('POST', '/process', body);
      expect(statusesOf(answer.body)).toEqual([[type, 'incomplete', 'incomplete']]);
    });
  });

  it('a call of the server has no end on AG-Kit', async () => {
    const body = JSON.stringify({ conversationId: 'cut', messages: [{ role: 'user', content: 'cut call' }] });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}/send-message`, { method: 'POST', headers, body });
    const types = [...(await answer.text()).matchAll(/"type":"([^"]+)"/g)].map(([, type]) => type);
    expect([...new Set(types)]).toEqual(['tool-call-start', 'tool-call-args', 'error']);
  });

  it('the history of the Runs API has the text', async () => {
    const runs = new RunsClient(server.url);
    for (const words of ['cut text', 'filtered text']) {
      const input = runInput(words);
      const threadId = String(input['threadId']);
      await runs.stream(input).then((stream) => stream.all());
      const [, stored] = await server.get(Sessions).messages(OWN_USER, threadId, { limit: 10, order: 'asc' });
      expect(stored?.message.status).toBe('incomplete');
      const { body } = await runs.json<{ messages: unknown[] }>('GET', `/history?threadId=${threadId}`);
      expect(body.messages).toMatchObject([
        { role: 'user', content: words },
        { role: 'assistant', content: 'So far' },
      ]);
    }
  });
});

function statusOf(
  item: ConversationItem | OpenAI.Responses.ResponseItem | OpenAI.Responses.ResponseOutputItem,
): unknown[] {
  return [item.type, 'status' in item ? item.status : undefined];
}

import type { LLMock } from '@copilotkit/aimock';
import type OpenAI from 'openai';
import type { Response, ResponseInput, ResponseOutputItem } from 'openai/resources/responses/responses';
import { openaiClient, toolScript } from '../../support/openai-client.js';
import { SampleTools } from '../../support/sample-tools.js';
import { startServer, type TestServer } from '../../support/server.js';

const LOOKUP = {
  type: 'function',
  name: 'lookup_order',
  parameters: { type: 'object', properties: { id: { type: 'string' } } },
  strict: false,
} as const;

function script(upstream: LLMock): void {
  upstream.onMessage('plain text', { content: 'The sky is blue today.' });
  upstream.onMessage('cut text', { content: 'So far', finishReason: 'length' });
  const call = { name: 'lookup_order', arguments: '{"id":"', id: 'c1' };
  upstream.onMessage('cut call', { toolCalls: [call], finishReason: 'length' });
  upstream.onMessage('filtered text', { content: 'So far', finishReason: 'content_filter' });
  toolScript(upstream, 'server tool', [{ name: 'get_weather', arguments: '{"city":"Paris"}', id: 'c2' }], 'Fine.');
  const manyCalls = Array.from({ length: 210 }, (_, place) => ({ name: 'look', arguments: '{}', id: `many_${place}` }));
  toolScript(upstream, 'many calls', manyCalls, 'Fine.');
}

describe('openai with items', () => {
  let server: TestServer;
  let client: OpenAI;

  beforeAll(async () => {
    server = await startServer({ model: script, providers: [SampleTools] });
    client = openaiClient(server);
  });
  afterAll(() => server.close());

  const ask = (input: string | ResponseInput, more: object = {}): Promise<Response> =>
    client.responses.create({ model: 'x', input, ...more });

  /** What the model is told of calls that come back without their outputs. */
  const resultsOf = async (calls: readonly ResponseOutputItem.McpCall[]): Promise<unknown[]> => {
    const sent = calls.map(({ output: _output, ...call }) => call);
    const input = [{ role: 'user', content: 'server tool' }, ...sent, { role: 'user', content: 'plain text' }];
    await ask(input as ResponseInput);
    const { messages } = server.modelServer.getLastRequest()?.body as {
      messages: { role: string; content: unknown }[];
    };
    return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  };

  const message = { type: 'message', content: [{ type: 'output_text', text: 'So far' }] };

  it.each([
    ['cut text', 'max_output_tokens', message],
    ['cut call', 'max_output_tokens', { type: 'function_call', arguments: '{"id":"' }],
    ['filtered text', 'content_filter', message],
  ])(
    'the last item of cut output is incomplete in the stream, at its end and when it is retrieved: %s',
    async (input, reason, item) => {
      const output = [{ ...item, status: 'incomplete' }];
      const response = { status: 'incomplete', incomplete_details: { reason }, output };
      const stream = client.responses.stream({ model: 'x', input, tools: [LOOKUP] });
      const done: unknown[] = [];
      stream.on('response.output_item.done', (event) => done.push(event.item));
      const final = await stream.finalResponse();
      expect(done).toMatchObject(output);
      expect(final).toMatchObject(response);
      expect(await client.responses.retrieve(final.id)).toMatchObject(response);
      expect(await ask(input, { tools: [LOOKUP] })).toMatchObject(response);
    },
  );

  it('a call of the server without its output is looked up by its id, and is input as it is when the id is unknown', async () => {
    const [call] = (await ask('server tool')).output;
    if (call?.type !== 'mcp_call') throw new Error('There is no mcp_call');
    expect(await resultsOf([call])).toEqual([call.output]);
    expect(await resultsOf([{ ...call, id: 'mcp_unknown' }])).toEqual([
      'No result: the call was cancelled by the user.',
    ]);
  });

  it('the outputs of many calls of one answer are all looked up', async () => {
    const calls = (await ask('many calls')).output.filter((item) => item.type === 'mcp_call');
    expect(calls).toHaveLength(210);
    expect(await resultsOf(calls)).toEqual(calls.map(({ output }) => output));
  });
});

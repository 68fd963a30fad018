import { createAnthropic } from '@ai-sdk/anthropic';
import { anthropicAnswer } from '../../src/agent/adapters/testing/provider-streams.js';
import { rawUpstream, type RawUpstream, type Script } from '../../src/agent/adapters/testing/raw-upstream.js';
import { EchoModel } from '../examples/echo-model.js';
import { answerText, expectWhole, ProcessClient } from '../support/process-client.js';
import { startServer, type TestServer } from '../support/server.js';

const THINKING = { thinking: 'Let me see.', signature: 'c2lnbmVk' };
const LOOKUP = {
  type: 'function',
  function: { name: 'lookup_order', description: 'Looks an order up', parameters: { type: 'object' } },
};

const signed = (body: Record<string, unknown> | undefined): boolean =>
  JSON.stringify(body?.['messages']).includes('"signature":"c2lnbmVk"');

describe('an agent on a model of a provider package', () => {
  let upstream: RawUpstream;
  let server: TestServer;
  let client: ProcessClient;

  const start = async (...scripts: readonly Script[]): Promise<void> => {
    upstream = await rawUpstream(...scripts);
    const model = createAnthropic({ baseURL: upstream.url, apiKey: 'k' })('claude-sonnet-4-5');
    server = await startServer({ model });
    client = new ProcessClient(server.url);
  };
  afterEach(async () => {
    await server.close();
    await upstream.close();
  });

  it('a server tool is called and the signed reasoning sent back', async () => {
    const call = { tool: 'get_weather', id: 'toolu_1', input: ['{"city":', '"Paris"}'] };
    await start(anthropicAnswer([THINKING, call], 'tool_use'), anthropicAnswer([{ text: 'It is fine in Paris.' }]));
    const last = expectWhole((await client.ask('one tool')).frames);
    expect(last.output?.map(({ type }) => type)).toEqual(['reasoning', 'plugin_call', 'plugin_call_output', 'message']);
    expect(answerText(last)).toBe('It is fine in Paris.');
    expect(last.usage).toMatchObject({ input_tokens: 70, output_tokens: 30, cached_tokens: 20 });
    expect(signed(upstream.seen[1]?.body)).toBe(true);
    expect(JSON.stringify(last)).not.toContain(THINKING.signature);
  });

  it('the client runs its tool, and the next run sends the signed reasoning back', async () => {
    const call = { tool: 'lookup_order', id: 'toolu_1', input: ['{"id":7}'] };
    await start(anthropicAnswer([THINKING, call], 'tool_use'), anthropicAnswer([{ text: 'It is on its way.' }]));
    const session = { session_id: 'orders', tools: [LOOKUP] };
    const first = expectWhole((await client.ask('client tool', session)).frames);
    const callId = first.output?.at(-1)?.content?.[0]?.data?.['call_id'] ?? '';
    const data = { call_id: callId, output: 'shipped' };
    const output = { type: 'function_call_output', role: 'tool', content: [{ type: 'data', data }] };
    const second = await client.open({ ...session, input: [output] });
    await second.all();
    expect(answerText(expectWhole(second.frames))).toBe('It is on its way.');
    expect(signed(upstream.seen[1]?.body)).toBe(true);
  });
});

describe('an agent on a model client of the team', () => {
  it('answers with it', async () => {
    const server = await startServer({ model: new EchoModel() });
    const { frames } = await new ProcessClient(server.url).ask('Hello');
    expect(answerText(expectWhole(frames))).toBe('Hello');
    await server.close();
  });
});

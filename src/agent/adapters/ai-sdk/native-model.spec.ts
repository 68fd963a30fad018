import { readSettings } from '../../../config/index.js';
import { ModelSettings } from '../../model.settings.js';
import { createModelClient } from '../model-client.factory.js';
import { collect, request } from '../testing/collect.js';
import { anthropicAnswer, geminiAnswer } from '../testing/provider-streams.js';
import { rawUpstream, type RawUpstream, type Script } from '../testing/raw-upstream.js';
import { ChatCompletionsModelClient } from '../chat-completions/chat-completions-model-client.js';
import { AiSdkModelClient } from './ai-sdk-model-client.js';

// As if it were not installed.
jest.mock('@ai-sdk/xai', () => {
  throw new Error("Cannot find module '@ai-sdk/xai'");
});

const NO_ATTACHMENTS = { read: () => Promise.resolve(undefined) };

/** The answer of OpenAI's Responses API with one text. */
const responsesAnswer: Script = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, fields: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  };
  const made = { id: 'resp_1', created_at: 1, model: 'gpt-5.4-mini', service_tier: 'default' };
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
  send('response.created', { sequence_number: 0, response: { ...made, status: 'in_progress', output: [] } });
  send('response.output_item.added', { sequence_number: 1, output_index: 0, item });
  send('response.output_text.delta', {
    sequence_number: 2,
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta: 'Hello.',
    logprobs: [],
  });
  const done = { ...item, status: 'completed', content: [{ type: 'output_text', text: 'Hello.', annotations: [] }] };
  send('response.output_item.done', { sequence_number: 3, output_index: 0, item: done });
  const usage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
  send('response.completed', { sequence_number: 4, response: { ...made, status: 'completed', output: [done], usage } });
  response.end();
};

describe('a native provider that the environment names', () => {
  let upstream: RawUpstream;

  afterEach(() => upstream.close());

  it.each<[string, Script, object, string]>([
    ['anthropic', anthropicAnswer([{ text: 'Hello.' }]), { 'x-api-key': 'k' }, 'claude-sonnet-5'],
    ['google', geminiAnswer([{ text: 'Hello.' }]), { 'x-goog-api-key': 'k' }, 'gemini-flash-latest'],
    ['openai', responsesAnswer, { authorization: 'Bearer k' }, 'gpt-5.4-mini'],
  ])('%s is called through its own API with the settings', async (provider, script, headers, model) => {
    upstream = await rawUpstream(script);
    const settings = readSettings(ModelSettings, {
      LLM_PROVIDER: provider,
      LLM_BASE_URL: `${upstream.url}/v1`,
      LLM_API_KEY: 'k',
      LLM_HEADERS: '{"x-team":"orders"}',
    });
    const client = createModelClient(settings, NO_ATTACHMENTS);
    expect(client).toBeInstanceOf(AiSdkModelClient);
    expect(client.info.name).toBe(model);
    expect((await collect(client, request('hi'))).text).toBe('Hello.');
    expect(upstream.seen[0]?.headers).toMatchObject({ ...headers, 'x-team': 'orders' });
  });

  it('the options of LLM_PROVIDER_OPTIONS and of the code are sent', async () => {
    upstream = await rawUpstream(anthropicAnswer([{ thinking: 'Hm.', signature: 's' }, { text: 'Hello.' }]));
    const settings = readSettings(ModelSettings, {
      LLM_PROVIDER: 'anthropic',
      LLM_BASE_URL: `${upstream.url}/v1`,
      LLM_API_KEY: 'k',
      LLM_PROVIDER_OPTIONS: '{"anthropic":{"thinking":{"type":"enabled","budgetTokens":2048}}}',
    });
    await collect(createModelClient(settings, NO_ATTACHMENTS), request('hi'));
    const others = { anthropic: { thinking: { type: 'disabled' } } };
    await collect(createModelClient(settings, NO_ATTACHMENTS, undefined, others), request('hi'));
    expect(upstream.seen.map(({ body }) => body['thinking'])).toEqual([
      { type: 'enabled', budget_tokens: 2048 },
      { type: 'disabled' },
    ]);
  });
});

describe('a package that is not installed', () => {
  it('is named with the command that installs it', () => {
    const settings = readSettings(ModelSettings, { LLM_PROVIDER: 'xai', LLM_API_KEY: 'k' });
    expect(() => createModelClient(settings, NO_ATTACHMENTS)).toThrow(
      "LLM_PROVIDER=xai needs the package @ai-sdk/xai, which is not installed. Install it with: npm install '@ai-sdk/xai@^3.0.138'",
    );
  });

  it('is not needed for a provider that only has Chat Completions', () => {
    const settings = readSettings(ModelSettings, { LLM_PROVIDER: 'deepseek', LLM_API_KEY: 'k' });
    expect(createModelClient(settings, NO_ATTACHMENTS)).toBeInstanceOf(ChatCompletionsModelClient);
  });
});

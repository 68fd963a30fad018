import { createOpenAI } from '@ai-sdk/openai';
import {
  generateText,
  type LanguageModel,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  tool,
  type ToolSet,
} from 'ai';
import { z } from 'zod';
import { GoldenTools } from '../../support/golden-scripts.js';
import { png } from '../../support/images.js';
import { openaiClient, openaiUrl, toolScript } from '../../support/openai-client.js';
import { startServer, type TestServer } from '../../support/server.js';

const lookup = tool({
  description: 'Looks an order up',
  inputSchema: z.object({ id: z.string() }),
  execute: ({ id }) => Promise.resolve(`order ${id} is on its way`),
});
const user = (content: string): ModelMessage => ({ role: 'user', content });

/** What the AI SDK sends on the turns after the first: it refers to what the server stored. */
describe('@ai-sdk/openai, over several turns', () => {
  let server: TestServer;
  let model: LanguageModel;
  let mcp: ToolSet;

  beforeAll(async () => {
    // It tells that it leaves reasoning out of what is stored nowhere.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    server = await startServer({
      model: (upstream) => {
        upstream.onMessage('reasoned text', { content: 'So it is.', reasoning: 'Let me think.' });
        upstream.onMessage('an animal', { content: '{"name":"cat"}' });
        toolScript(upstream, 'client tool', [{ name: 'lookup', arguments: '{"id":"7"}', id: 'c2' }], 'On its way.');
        const read = [{ name: 'read_thermometer', arguments: '{"city":"Paris"}', id: 'c3' }];
        toolScript(upstream, 'server tool', read, 'Warm.');
        const open = [{ name: 'open_window', arguments: '{"room":"hall"}', id: 'c4' }];
        toolScript(upstream, 'open the window', open, 'As you say.');
        // The model repeats the first thing that was said to it, and how many results it was given.
        upstream.on({ userMessage: 'And before?' }, ({ messages }) => {
          const said = messages.filter(({ role }) => role === 'user')[0]?.content;
          const results = messages.filter(({ role }) => role === 'tool').length;
          return { content: `${JSON.stringify(said)} ${results}` };
        });
      },
      providers: [GoldenTools],
    });
    const openai = createOpenAI({ apiKey: 'any', baseURL: openaiUrl(server) });
    model = openai.responses('agent');
    const named = { serverLabel: 'plugin', serverUrl: 'https://example.org', requireApproval: 'always' as const };
    mcp = { mcp: openai.tools.mcp(named) } as unknown as ToolSet;
  });
  afterAll(() => server.close());

  const call = (messages: ModelMessage[], more: object = {}) => ({ model, maxRetries: 0, messages, ...more });

  it.each([
    ['reasoned text', true, 0],
    ['reasoned text', false, 0],
    ['client tool', true, 1],
    ['client tool', false, 1],
    ['server tool', true, 1],
  ])('a conversation continues after a %s (store: %s)', async (text, store, results) => {
    const providerOptions = { openai: { store, forceReasoning: true, reasoningSummary: 'auto' } };
    const more = { tools: { lookup }, stopWhen: stepCountIs(4), providerOptions };
    const first = await generateText(call([user(text)], more));
    const messages = [user(text), ...first.response.messages, user('And before?')];
    const whole = await generateText(call(messages, more));
    expect(whole.text).toContain(text);
    expect(whole.text).toMatch(new RegExp(`${results}$`));
    expect(await streamText(call(messages, more)).text).toBe(whole.text);
  });

  it('a conversation object keeps the turns', async () => {
    const { id } = await openaiClient(server).conversations.create();
    const providerOptions = { openai: { conversation: id } };
    await generateText(call([user('reasoned text')], { providerOptions }));
    const second = await generateText(call([user('And before?')], { providerOptions }));
    expect(second.text).toContain('reasoned text');
  });

  it('an object can be streamed', async () => {
    const output = Output.object({ schema: z.object({ name: z.string() }) });
    const result = streamText({ ...call([user('an animal')]), output });
    const parts: unknown[] = [];
    for await (const part of result.partialOutputStream) parts.push(part);
    expect(parts.at(-1)).toEqual({ name: 'cat' });
  });

  it.each([true, false])(
    'an approval request is streamed and the conversation continues after the answer (approved: %s)',
    async (approved) => {
      const asked = streamText(call([user('open the window')], { tools: mcp }));
      const request = (await asked.content).find((part) => part.type === 'tool-approval-request');
      const approvalId = request?.approvalId ?? '';
      const answer = { type: 'tool-approval-response' as const, approvalId, approved, providerExecuted: true };
      const { messages } = await asked.response;
      const history = [user('open the window'), ...messages, { role: 'tool' as const, content: [answer] }];
      const result = streamText(call(history, { tools: mcp }));
      expect(await result.text).toBe('As you say.');
      const made = (await result.content).filter((part) => part.type === 'tool-result');
      expect(made).toHaveLength(approved ? 1 : 0);
    },
  );

  it('a picture and a file reach the model', async () => {
    const content = [
      { type: 'text' as const, text: 'reasoned text' },
      { type: 'image' as const, image: png() },
      { type: 'file' as const, data: Buffer.from('%PDF-1.1'), mediaType: 'application/pdf', filename: 'title.pdf' },
    ];
    const result = await generateText(call([{ role: 'user', content }]));
    expect(result.text).toBe('So it is.');
  });
});

import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai';
import { APICallError, generateText, Output, stepCountIs, streamText, tool, type ToolSet } from 'ai';
import { z } from 'zod';
import { GoldenTools } from '../../support/golden-scripts.js';
import { openaiUrl, toolScript } from '../../support/openai-client.js';
import { startServer, type TestServer } from '../../support/server.js';

const SKY = 'The sky is blue today.';
const lookup = tool({
  description: 'Looks an order up',
  inputSchema: z.object({ id: z.string() }),
  execute: ({ id }) => Promise.resolve(`order ${id} is on its way`),
});

describe('@ai-sdk/openai', () => {
  let server: TestServer;
  let openai: OpenAIProvider;

  beforeAll(async () => {
    server = await startServer({
      model: (upstream) => {
        upstream.onMessage('plain text', { content: SKY });
        upstream.onMessage('reasoned text', { content: 'So it is.', reasoning: 'Let me think.' });
        upstream.onMessage('an animal', { content: '{"name":"cat"}' });
        upstream.onMessage('server error', { error: { message: 'secret', type: 'server_error' }, status: 500 });
        toolScript(upstream, 'client tool', [{ name: 'lookup', arguments: '{"id":"7"}', id: 'c2' }], 'On its way.');
        toolScript(
          upstream,
          'server tool',
          [{ name: 'read_thermometer', arguments: '{"city":"Paris"}', id: 'c3' }],
          'Warm.',
        );
        toolScript(
          upstream,
          'open the window',
          [{ name: 'open_window', arguments: '{"room":"hall"}', id: 'c4' }],
          'Open.',
        );
        upstream.on(
          { userMessage: 'What is my name?', predicate: ({ messages }) => JSON.stringify(messages).includes('Alice') },
          { content: 'You are Alice.' },
        );
        upstream.onMessage('What is my name?', { content: 'I do not know.' });
        upstream.onMessage('My name is Alice.', { content: 'Hello Alice.' });
      },
      providers: [GoldenTools],
    });
    openai = createOpenAI({ apiKey: 'any', baseURL: openaiUrl(server) });
  });
  afterAll(() => server.close());

  const options = { maxRetries: 0 };

  it('generateText returns the text', async () => {
    const result = await generateText({ ...options, model: openai.responses('agent'), prompt: 'plain text' });
    expect({ text: result.text, reason: result.finishReason }).toEqual({ text: SKY, reason: 'stop' });
    expect(result.usage.outputTokens).toBeGreaterThan(0);
  });

  it('streamText emits the parts of a text', async () => {
    const result = streamText({ ...options, model: openai.responses('agent'), prompt: 'plain text' });
    const parts: string[] = [];
    for await (const { type } of result.fullStream) if (parts.at(-1) !== type) parts.push(type);
    expect(parts).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish']);
    expect(await result.text).toBe(SKY);
  });

  it('the client runs its tools in two steps, whole and streamed', async () => {
    const call = {
      ...options,
      model: openai.responses('agent'),
      prompt: 'client tool',
      tools: { lookup },
      stopWhen: stepCountIs(4),
    };
    const whole = await generateText(call);
    expect({ text: whole.text, steps: whole.steps.length }).toEqual({ text: 'On its way.', steps: 2 });
    const streamed = streamText(call);
    expect(await streamed.text).toBe('On its way.');
    expect((await streamed.steps).length).toBe(2);
  });

  it('a tool call of the server arrives with its result', async () => {
    const whole = await generateText({ ...options, model: openai.responses('agent'), prompt: 'server tool' });
    expect(whole.text).toBe('Warm.');
    const streamed = streamText({ ...options, model: openai.responses('agent'), prompt: 'server tool' });
    expect(await streamed.text).toBe('Warm.');
  });

  it('reasoning arrives', async () => {
    const providerOptions = { openai: { forceReasoning: true, reasoningSummary: 'auto' } };
    const call = { ...options, model: openai.responses('agent'), prompt: 'reasoned text', providerOptions };
    expect((await generateText(call)).reasoningText).toBe('Let me think.');
    expect(await streamText(call).reasoningText).toBe('Let me think.');
  });

  it('structured output works', async () => {
    const output = Output.object({ schema: z.object({ name: z.string() }) });
    const result = await generateText({ ...options, model: openai.responses('agent'), prompt: 'an animal', output });
    expect(result.output).toEqual({ name: 'cat' });
  });

  it('a conversation continues by previous response', async () => {
    const first = await generateText({ ...options, model: openai.responses('agent'), prompt: 'My name is Alice.' });
    const previousResponseId = first.providerMetadata?.['openai']?.['responseId'] as string;
    const second = await generateText({
      ...options,
      model: openai.responses('agent'),
      prompt: 'What is my name?',
      providerOptions: { openai: { previousResponseId } },
    });
    expect(second.text).toBe('You are Alice.');
  });

  it.each([true, false])('a conversation continues with the messages of the client (store: %s)', async (store) => {
    const providerOptions = { openai: { store } };
    const asked = { role: 'user' as const, content: 'My name is Alice.' };
    const model = openai.responses('agent');
    const first = await generateText({ ...options, model, messages: [asked], providerOptions });
    const messages = [asked, ...first.response.messages, { role: 'user' as const, content: 'What is my name?' }];
    const second = await generateText({ ...options, model, messages, providerOptions });
    expect(second.text).toBe('You are Alice.');
  });

  it('an approval is requested, given and used', async () => {
    const mcp = openai.tools.mcp({
      serverLabel: 'plugin',
      serverUrl: 'https://example.org',
      requireApproval: 'always',
    });
    const tools = { mcp } as unknown as ToolSet;
    const model = openai.responses('agent');
    const asked = { role: 'user' as const, content: 'open the window' };
    const first = await generateText({ ...options, model, messages: [asked], tools });
    const types = first.content.map(({ type }) => type);
    expect(types).toEqual(['tool-call', 'tool-approval-request']);
    const request = first.content.find((part) => part.type === 'tool-approval-request');
    const approvalId = request?.approvalId ?? '';
    const approval = { type: 'tool-approval-response' as const, approvalId, approved: true, providerExecuted: true };
    const messages = [asked, ...first.response.messages, { role: 'tool' as const, content: [approval] }];
    const second = await generateText({ ...options, model, messages, tools });
    expect(second.text).toBe('Open.');
  });

  it('a failed stream holds one error with a message of this server', async () => {
    const errors: unknown[] = [];
    const result = streamText({
      ...options,
      model: openai.responses('agent'),
      prompt: 'server error',
      onError: ({ error }) => void errors.push(error),
    });
    await result.consumeStream();
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors[0], Object.getOwnPropertyNames(errors[0]))).toContain('model');
    const whole = generateText({ ...options, model: openai.responses('agent'), prompt: 'server error' });
    await expect(whole).rejects.toThrow('The model');
  });

  it('an invalid request is refused with an explanation', async () => {
    const providerOptions = { openai: { previousResponseId: 'resp_none' } };
    const call = generateText({ ...options, model: openai.responses('agent'), prompt: 'plain text', providerOptions });
    const error = await call.catch((thrown: unknown) => thrown);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode: 400, message: "Previous response with id 'resp_none' not found." });
  });
});

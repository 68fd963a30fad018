import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { ModelMessage, ModelPart } from '../../ports/model-client.js';
import { collect, failureOf, request, user } from '../testing/collect.js';
import { geminiAnswer } from '../testing/provider-streams.js';
import { rawUpstream, type RawUpstream, type Script } from '../testing/raw-upstream.js';
import { expectError, KEY } from '../testing/upstream-client.js';
import { AiSdkModelClient } from './ai-sdk-model-client.js';

const LOOK = {
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: { x: { type: 'number' } } },
};

let upstream: RawUpstream;
const start = async (...scripts: readonly Script[]): Promise<RawUpstream> => (upstream = await rawUpstream(...scripts));

function clientOf(): AiSdkModelClient {
  const google = createGoogleGenerativeAI({ baseURL: upstream.url, apiKey: KEY });
  const settings = { firstTokenTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxRetries: 0 };
  return new AiSdkModelClient(
    google('gemini-3-flash'),
    settings,
    { read: () => Promise.resolve(undefined) },
    { logFailure: () => undefined },
  );
}

afterEach(() => upstream.close());

describe('Google through the AI SDK interface', () => {
  it('thoughts and text are streamed with the usage', async () => {
    await start(geminiAnswer([{ text: 'Hm.', thought: true }, { text: 'It is ' }, { text: 'sunny.' }]));
    const made = await collect(clientOf(), request('Weather?'));
    expect([made.reasoning, made.text, made.finish?.reason]).toEqual(['Hm.', 'It is sunny.', 'stop']);
    expect(made.finish?.usage).toMatchObject({ input_tokens: 12, output_tokens: 8, reasoning_tokens: 3 });
    expect(made.finish?.replay).toBeUndefined();
  });

  it('the signatures of calls are sent back with their results', async () => {
    const { seen } = await start(
      geminiAnswer([
        { text: 'Hm.', thought: true },
        { functionCall: { name: 'look', args: { x: 1 } }, thoughtSignature: 'c2lnbmVk' },
        { functionCall: { name: 'look', args: { x: 2 } } },
      ]),
      geminiAnswer([{ text: 'Done.' }]),
    );
    const first = await collect(clientOf(), request('Look', [LOOK]));
    expect(first.finish?.reason).toBe('tool-calls');
    expect(first.calls.map(({ name, arguments: text }) => [name, text])).toEqual([
      ['look', '{"x":1}'],
      ['look', '{"x":2}'],
    ]);
    const { replay } = first.finish ?? {};
    const toolCalls = first.calls.map(({ id, ...call }, index) => ({ ...call, id: id ?? `c${index}` }));
    const results = toolCalls.map(({ id }): ModelMessage => ({
      role: 'tool',
      callId: id,
      name: 'look',
      content: 'ok',
    }));
    const answer: ModelMessage = { role: 'assistant', content: '', toolCalls, ...(replay && { replay }) };
    expect((await collect(clientOf(), request([user('Look'), answer, ...results], [LOOK]))).text).toBe('Done.');
    const contents = seen[1]?.body['contents'] as { role: string; parts: Record<string, unknown>[] }[];
    expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user']);
    const calls = contents[1]?.parts.filter((part) => part['functionCall']);
    expect(calls?.map((part) => part['thoughtSignature'])).toEqual(['c2lnbmVk', undefined]);
    expect(contents[2]?.parts).toHaveLength(2);
  });

  it('options, tools, files and one system prompt are sent', async () => {
    const { seen } = await start(geminiAnswer([{ text: '{}' }]));
    const schema = { type: 'object', properties: { n: { type: 'number' } } };
    const content: ModelPart[] = [
      { type: 'text', text: 'See' },
      { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'audio', data: 'UklGRg==', format: 'wav' },
    ];
    const options = {
      temperature: 0.2,
      maxTokens: 50,
      responseFormat: { type: 'json_schema', name: 'n', schema },
    } as const;
    await collect(
      clientOf(),
      request(
        [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content },
        ],
        [],
        options,
      ),
    );
    await collect(clientOf(), request('x', [LOOK], { toolChoice: 'required' }));
    expect(seen[0]?.body).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'See' },
            { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
            { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } },
          ],
        },
      ],
      generationConfig: { temperature: 0.2, maxOutputTokens: 50, responseMimeType: 'application/json' },
    });
    expect(seen[1]?.body).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'look', description: 'Looks' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    });
  });

  it('an address that the provider reads is sent, and another one is told', async () => {
    const { seen } = await start(geminiAnswer([{ text: 'Seen.' }]));
    const content: ModelPart[] = [
      { type: 'image', url: 'https://a.example/b.png' },
      { type: 'image', url: 'http://a.example/b.png' },
    ];
    expect((await collect(clientOf(), request([{ role: 'user', content }]))).text).toBe('Seen.');
    expect(seen[0]?.body['contents']).toMatchObject([
      {
        parts: [
          { fileData: { mimeType: 'image/png', fileUri: 'https://a.example/b.png' } },
          {
            text: '[The user sent the address of an image, http://a.example/b.png, which this model cannot open.]',
          },
        ],
      },
    ]);
  });

  it.each([
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
  ])('the finish reason %s becomes %s', async (finishReason, reason) => {
    await start(geminiAnswer([{ text: 'So' }], finishReason));
    expect((await collect(clientOf(), request('Hi'))).finish?.reason).toBe(reason);
  });

  it('a failure has an error code and no text of the provider', async () => {
    await start((response) => {
      const error = { code: 429, message: 'upstream words', status: 'RESOURCE_EXHAUSTED' };
      response.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    });
    expectError((await failureOf(clientOf(), request('Hi'))).error, 'MODEL_RATE_LIMIT_EXCEEDED');
  });
});

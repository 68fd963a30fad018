import type { ToolDeclaration } from '../../tools/index.js';
import type { ModelMessage, ModelOptions, ModelPart } from '../../ports/model-client.js';
import { collect, failureOf, request, user } from '../testing/collect.js';
import { NATIVE_DOUBLES } from '../testing/native-doubles.js';
import { type NativeBody, nativeServer, type NativeDoubleServer } from '../testing/native-server.js';
import { AiSdkModelClient } from './ai-sdk-model-client.js';

type Name = keyof typeof NATIVE_DOUBLES;

const LIMITS = { firstTokenTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxRetries: 0 };
const tool = (name: string): ToolDeclaration => ({
  name,
  description: 'Looks',
  parameters: { type: 'object', properties: { x: { type: 'string' } } },
});

let server: NativeDoubleServer;
const lines: string[] = [];
afterEach(() => server.close());
beforeEach(() => (lines.length = 0));

/** A client of a double with a further rule: the words of the refusal of a request that has a text of a pattern. */
async function clientOf(name: Name, refuses: RegExp, words: string, model?: string): Promise<AiSdkModelClient> {
  const rule = (body: NativeBody): string | undefined => (refuses.test(JSON.stringify(body)) ? words : undefined);
  server = await nativeServer(NATIVE_DOUBLES[name], rule);
  const quiet = { log: (line: string) => lines.push(line), logFailure: () => undefined };
  const source = NATIVE_DOUBLES[name].model(server.url, model);
  return new AiSdkModelClient(source, LIMITS, { read: () => Promise.resolve(undefined) }, quiet);
}

interface Case {
  readonly api: Name;
  readonly refuses: RegExp;
  readonly words: string;
  readonly model?: string;
  readonly options?: ModelOptions;
  readonly messages?: readonly ModelMessage[];
}

const IMAGE: readonly ModelPart[] = [
  { type: 'text', text: 'See' },
  { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
];
const ADDRESS: readonly ModelPart[] = [
  { type: 'text', text: 'See' },
  { type: 'image', url: 'https://a.example/b.png' },
];

/** Refusals in the words of the APIs, as their users report them. */
const CASES: Readonly<Record<string, Case>> = {
  'a sampling field of OpenAI': {
    api: 'openai',
    model: 'gpt-4o',
    refuses: /"temperature"/,
    words: "Unsupported parameter: 'temperature' is not supported with this model.",
    options: { temperature: 0.5, topP: 0.5 },
  },
  'the effort of Claude': {
    api: 'anthropic',
    model: 'claude-sonnet-5',
    refuses: /"output_config"/,
    words: 'This model does not support the effort parameter.',
    options: { reasoningEffort: 'high' },
  },
  'a limit': {
    api: 'openai',
    refuses: /"max_output_tokens"/,
    words: "Unsupported parameter: 'max_output_tokens' is not supported with this model.",
    options: { maxTokens: 50 },
  },
  'an effort that OpenAI does not know': {
    api: 'openai',
    model: 'gpt-5.4',
    refuses: /"effort":"xhigh"/,
    words:
      "Unsupported value: 'xhigh' is not supported with the 'gpt-5.4' model. Supported values are: 'none', 'low', 'medium', and 'high'.",
    options: { reasoningEffort: 'xhigh' },
  },
  'an effort on Groq': {
    api: 'groq',
    model: 'llama-3.3-70b-versatile',
    refuses: /"reasoning_effort"/,
    words: 'reasoning_effort is not supported with this model',
    options: { reasoningEffort: 'low' },
  },
  'the thinking of Gemini': {
    api: 'google',
    refuses: /"thinkingConfig"/,
    words: 'Invalid JSON payload received. Unknown name "thinkingConfig" at \'generation_config\': Cannot find field.',
    options: { reasoningEffort: 'low' },
  },
  'a schema of an answer': {
    api: 'groq',
    refuses: /"json_schema"/,
    words: 'This model does not support response format `json_schema`.',
    options: { responseFormat: { type: 'json_schema', name: 'a', schema: { type: 'object', properties: {} } } },
  },
  'JSON together with tools': {
    api: 'google',
    model: 'gemini-2.5-flash',
    refuses: /"responseMimeType"/,
    words: "Function calling with a response mime type: 'application/json' is unsupported",
    options: { responseFormat: { type: 'json_object' } },
  },
  'a forced call': {
    api: 'bedrock',
    refuses: /"any":\{\}/,
    words: 'This model does not support specifying a toolChoice of any.',
    options: { toolChoice: 'required' },
  },
  'one tool by its place': {
    api: 'google',
    refuses: /"odd","description":"Looks","parameters":\{"type":"object","properties"/,
    words: 'GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x]: schema is not valid',
  },
  'one tool by its name': {
    api: 'openai',
    refuses: /"name":"odd","description":"Looks","parameters":\{"type":"object","properties":\{"x"/,
    words: "Invalid schema for function 'odd': something is odd.",
  },
  'all tools': { api: 'mistral', refuses: /"tools"/, words: 'Function calling is not supported for this model.' },
  'an image': {
    api: 'groq',
    refuses: /image_url/,
    words: 'messages[0].content must be a string: this model does not support image input',
    messages: [{ role: 'user', content: IMAGE }],
  },
  'an image that cannot be fetched': {
    api: 'anthropic',
    refuses: /a\.example\/b\.png"\}/,
    words: 'Unable to download the file. Please verify the URL and try again.',
    messages: [{ role: 'user', content: ADDRESS }],
  },
  'the address of an image': {
    api: 'google',
    refuses: /fileUri/,
    words: 'Unsupported file URI type: https://a.example/b.png',
    messages: [{ role: 'user', content: ADDRESS }],
  },
};

describe('a refusal of a native API', () => {
  it.each(Object.entries(CASES))('of %s is repaired', async (_, { api, refuses, words, model, options, messages }) => {
    const client = await clientOf(api, refuses, words, model);
    const tools = [tool('look'), tool('odd')];
    const made = await collect(client, request(messages ?? 'Hi', tools, options));
    expect(made.text).toBe('ok');
    expect(server.refusals).toEqual(server.refusals.map(() => words));
    expect(server.refusals.length).toBeGreaterThan(0);
    expect(server.refusals.length).toBeLessThanOrEqual(4);
  });

  it('is not met a second time, is logged once, and is shown', async () => {
    const { refuses, words, options } = CASES['a sampling field of OpenAI'] as Case;
    const client = await clientOf('openai', refuses, words, 'gpt-4o');
    await collect(client, request('Hi', [], options));
    await collect(client, request('Hi', [], options));
    expect([server.seen.length, server.refusals.length]).toEqual([3, 1]);
    expect(lines).toEqual([expect.stringContaining('Requests are now sent without temperature')]);
    expect(client.info.profile).toMatchObject({
      name: 'openai.responses',
      repairs: [{ kind: 'without:sampling' }],
      overrides: { omit: expect.arrayContaining(['temperature']) },
    });
  });

  it('is not needed for what the package leaves out, which is logged once', async () => {
    const client = await clientOf('openai', /"seed"/, 'Unknown parameter: seed', 'gpt-4o');
    for (let calls = 0; calls < 2; calls += 1) await collect(client, request('Hi', [], { seed: 7, stop: ['END'] }));
    expect(server.refusals).toEqual([]);
    expect(lines).toEqual([
      'gpt-4o: The package of the provider leaves out seed.',
      'gpt-4o: The package of the provider leaves out stopSequences.',
    ]);
  });

  it.each<[Name, string]>([
    ['anthropic', 'messages.1.content.0: Invalid `signature` in `thinking` block'],
    ['openai', 'The encrypted content sign could not be verified. Reason: Encrypted content could not be decrypted.'],
    ['google', 'Corrupted thought signature.'],
  ])('of what an earlier answer of %s came with concerns that conversation only', async (name, words) => {
    const client = await clientOf(name, /"sign"/, words);
    server.answers.push([
      { thought: 'Hm.', signature: 'sign' },
      { text: 'Hello.', ...(name === 'google' && { signature: 'sign' }) },
    ]);
    const first = await collect(client, request('Hi'));
    const { replay } = first.finish ?? {};
    const answer: ModelMessage = { role: 'assistant', content: first.text, toolCalls: [], ...(replay && { replay }) };
    expect((await collect(client, request([user('Hi'), answer, user('And?')]))).text).toBe('ok');
    expect([server.refusals, client.info.profile?.repairs]).toEqual([[words], []]);
  });

  it('of thinking after an answer without thoughts switches it off for that conversation', async () => {
    const words =
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.';
    const client = await clientOf('anthropic', /"thinking":\{"type":"enabled".*tool_result/, words);
    const options = { anthropic: { thinking: { type: 'enabled', budgetTokens: 2048 } } } as const;
    const thinker = new AiSdkModelClient(
      NATIVE_DOUBLES.anthropic.model(server.url),
      { ...LIMITS, providerOptions: options },
      { read: () => Promise.resolve(undefined) },
      { log: (line) => lines.push(line), logFailure: () => undefined },
    );
    const messages: ModelMessage[] = [
      user('Look'),
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'look', arguments: '{}' }] },
      { role: 'tool', callId: 'a', name: 'look', content: 'sunny' },
    ];
    expect((await collect(thinker, request(messages, [tool('look')]))).text).toBe('ok');
    expect([server.refusals.length, thinker.info.profile?.repairs]).toEqual([1, []]);
    expect(client.info.profile?.name).toBe('anthropic.messages');
  });

  it('that nothing helps against is reported as the first one', async () => {
    const client = await clientOf('openai', /./, "Unsupported parameter: 'temperature'", 'gpt-4o');
    const { error } = await failureOf(client, request('Hi', [], { temperature: 0.5 }));
    expect(error).toMatchObject({ code: 'MODEL_EXECUTION_FAILED' });
    expect(server.seen).toHaveLength(2);
  });
});

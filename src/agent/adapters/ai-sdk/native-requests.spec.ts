import type { JsonObject } from '../../../common/index.js';
import type { ToolDeclaration } from '../../tools/index.js';
import type { ModelMessage, ModelOptions, ModelPart } from '../../ports/model-client.js';
import { type Collected, collect, request, user } from '../testing/collect.js';
import { NATIVE_DOUBLES, NATIVE_NAMES } from '../testing/native-doubles.js';
import { type NativeBody, nativeServer, type NativeDoubleServer } from '../testing/native-server.js';
import { AiSdkModelClient, type AiSdkSettings } from './ai-sdk-model-client.js';

type Name = keyof typeof NATIVE_DOUBLES;

const LIMITS = { firstTokenTimeoutMs: 5_000, idleTimeoutMs: 5_000, maxRetries: 0 };
const LOOK: ToolDeclaration = {
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: { x: { type: 'number' } } },
};
const SCHEMA: JsonObject = { type: 'object', properties: { n: { type: 'number' } } };
const PNG = 'data:image/png;base64,iVBORw0KGgo=';

let server: NativeDoubleServer;
const lines: string[] = [];

function clientOf(name: Name, model?: string, settings: Partial<AiSdkSettings> = {}): AiSdkModelClient {
  const source = NATIVE_DOUBLES[name].model(server.url, model);
  const quiet = { log: (line: string) => lines.push(line), logFailure: () => undefined };
  const attachments = { read: () => Promise.resolve(undefined) };
  return new AiSdkModelClient(source, { ...LIMITS, ...settings }, attachments, quiet);
}

async function ask(
  name: Name,
  said: string | readonly ModelMessage[],
  {
    tools = [],
    options = {},
    model,
  }: { tools?: readonly ToolDeclaration[]; options?: ModelOptions; model?: string } = {},
): Promise<Collected> {
  return collect(clientOf(name, model), request(said, tools, options));
}

const start = async (name: Name, more?: (body: NativeBody) => string | undefined): Promise<NativeDoubleServer> =>
  (server = await nativeServer(NATIVE_DOUBLES[name], more));

/** What the last request had at a place such as `text.format`. */
function sentAt(path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as NativeBody | undefined)?.[key], server.seen.at(-1));
}

/** A user's message, an answer with a call, and its result. */
function called(result = 'sunny', id = 'call_from_elsewhere_1'): ModelMessage[] {
  return [
    user('Look'),
    { role: 'assistant', content: '', toolCalls: [{ id, name: 'look', arguments: '{"x":1}' }] },
    { role: 'tool', callId: id, name: 'look', content: result },
  ];
}

beforeEach(() => (lines.length = 0));
afterEach(() => server.close());

describe.each(NATIVE_NAMES)('requests to %s', (name) => {
  beforeEach(() => start(name));

  it('with text, tools, results and all options are taken at once', async () => {
    const options: ModelOptions = {
      maxTokens: 50,
      stop: ['END'],
      seed: 7,
      frequencyPenalty: 0.1,
      presencePenalty: 0.1,
      parallelToolCalls: false,
      toolChoice: 'required',
    };
    server.answers.push([{ call: 'look', args: { x: 1 }, id: 'abcdefghi' }]);
    const made = await ask(name, 'Look', { tools: [LOOK], options });
    expect(made.calls.map((call) => [call.name, call.arguments])).toEqual([['look', '{"x":1}']]);
    expect((await ask(name, [...called(), user('And?')], { tools: [LOOK] })).text).toBe('ok');
    expect(server.refusals.filter((one) => !one.startsWith('Encrypted'))).toEqual([]);
  });

  it('with a small limit and with blank and many stops are taken', async () => {
    const stop = ['\n', 'a', 'b', 'c', 'd', 'e', 'f'];
    expect((await ask(name, 'Count', { options: { maxTokens: 5, stop } })).text).toBe('ok');
    expect(server.refusals.filter((one) => !one.startsWith('Encrypted'))).toEqual([]);
  });

  it('with calls in the history and no tools, or none to be called, keep the calls', async () => {
    await ask(name, called(), { tools: [LOOK], options: { toolChoice: 'none' } });
    expect(JSON.stringify(server.seen.at(-1))).toContain('sunny');
    await ask(name, called());
    expect(JSON.stringify(server.seen.at(-1))).toContain('sunny');
    expect(server.refusals.filter((one) => !one.startsWith('Encrypted'))).toEqual([]);
  });

  it('with a blank result are taken', async () => {
    expect((await ask(name, called(''), { tools: [LOOK] })).text).toBe('ok');
    expect(server.refusals).toEqual([]);
  });

  it('for any JSON object say so in words where that is needed', async () => {
    expect((await ask(name, 'Count', { options: { responseFormat: { type: 'json_object' } } })).text).toBe('ok');
    expect(JSON.stringify(server.seen.at(-1))).toContain('JSON');
    expect(server.refusals).toEqual([]);
  });

  it('for JSON of a loose schema are taken', async () => {
    const responseFormat = { type: 'json_schema', name: 'answer', schema: SCHEMA } as const;
    await ask(name, 'Count', { options: { responseFormat } });
    expect(server.refusals).toEqual([]);
  });

  it.each(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'])(
    'with the effort %s are taken',
    async (reasoningEffort) => {
      expect((await ask(name, 'Think', { options: { reasoningEffort } })).text).toBe('ok');
    },
  );

  it('with files and images of all kinds leave the session alive', async () => {
    const content: ModelPart[] = [
      { type: 'text', text: 'See' },
      { type: 'image', url: PNG },
      { type: 'image', url: 'data:image/svg+xml;base64,PHN2Zy8+' },
      { type: 'image', url: 'https://a.example/b' },
      { type: 'audio', data: 'UklGRg==', format: 'wav' },
      { type: 'file', url: null, data: 'JVBERi0x', filename: 'a_b  (1).pdf' },
      { type: 'file', url: 'https://a.example/c.docx', data: null, filename: null },
    ];
    const message: ModelMessage = { role: 'user', content };
    expect((await ask(name, [message])).text).toBe('ok');
    const broken: ModelMessage = { role: 'user', content: [{ type: 'image', url: 'ftp://a.example/b.png' }] };
    const answer: ModelMessage = { role: 'assistant', content: 'Seen.', toolCalls: [] };
    expect((await ask(name, [broken, answer, message, answer, user('Well?')])).text).toBe('ok');
    expect(server.refusals).toEqual([]);
  });
});

describe('a schema of an answer', () => {
  it.each<[Name, string]>([
    ['openai', 'text.format.strict'],
    ['azure', 'text.format.strict'],
    ['groq', 'response_format.json_schema.strict'],
    ['mistral', 'response_format.json_schema.strict'],
  ])('is strict for %s only if the request says so', async (name, path) => {
    await start(name);
    const closed: JsonObject = { ...SCHEMA, required: ['n'], additionalProperties: false };
    const format = { type: 'json_schema', name: 'answer', schema: closed } as const;
    await ask(name, 'Count', { options: { responseFormat: format } });
    expect(sentAt(path)).toBe(false);
    await ask(name, 'Count', { options: { responseFormat: { ...format, strict: true } } });
    expect(sentAt(path)).toBe(true);
  });
});

describe('the schemas that Gemini does not know', () => {
  const odd: JsonObject = {
    type: 'object',
    properties: {
      self: { $ref: '#' },
      node: { $ref: '#/$defs/node' },
      mixed: { enum: ['a', 1, null] },
      numbers: { type: 'integer', enum: [1, 2] },
      maybe: { enum: ['a', null] },
      nothing: { type: 'null' },
      either: { oneOf: [{ type: 'string' }, { type: 'object', properties: { a: { const: 1 } } }] },
      both: { allOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { required: ['a'] }] },
      several: { type: ['string', 'array', 'null'], items: { type: 'string' }, minLength: 2 },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    },
    required: ['self', 'missing'],
    $defs: {
      node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, at: { type: 'string', format: 'uri' } } },
    },
  };

  it('are written out for tools and for answers, and say what may be null', async () => {
    await start('google');
    const tool = { name: 'odd', description: 'Odd', parameters: odd };
    const made = await ask('google', 'Look', { tools: [tool, LOOK] });
    expect([made.text, server.refusals]).toEqual(['ok', []]);
    const [{ parameters }] = sentAt('tools.0.functionDeclarations') as [{ parameters: { properties: NativeBody } }];
    expect(parameters.properties['maybe']).toMatchObject({ type: 'string', enum: ['a'], nullable: true });
    expect(JSON.stringify(parameters.properties['mixed'])).toContain('One of:');
    const responseFormat = { type: 'json_schema', name: 'answer', schema: odd } as const;
    expect((await ask('google', 'Count', { options: { responseFormat } })).text).toBe('ok');
    const list = { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'null' }] } };
    await ask('google', 'Count', { options: { responseFormat: { ...responseFormat, schema: list } } });
    expect(sentAt('generationConfig.responseSchema')).toMatchObject({ type: 'array' });
    expect(server.refusals).toEqual([]);
  });
});

describe('the effort', () => {
  it.each<[Name, string, string, string, unknown]>([
    ['openai', 'gpt-5.4', 'minimal', 'reasoning.effort', 'low'],
    ['openai', 'gpt-5', 'none', 'reasoning.effort', 'minimal'],
    ['openai', 'o4-mini', 'xhigh', 'reasoning.effort', 'high'],
    ['mistral', 'mistral-medium-latest', 'medium', 'reasoning_effort', 'high'],
    ['mistral', 'magistral-medium-latest', 'medium', 'reasoning_effort', undefined],
    ['groq', 'qwen/qwen3-32b', 'high', 'reasoning_effort', 'default'],
    ['groq', 'openai/gpt-oss-120b', 'none', 'reasoning_effort', 'low'],
    ['xai', 'grok-4.5', 'max', 'reasoning_effort', 'high'],
    ['google', 'gemini-3-flash', 'xhigh', 'generationConfig.thinkingConfig.thinkingLevel', 'high'],
    ['google', 'gemini-2.5-flash', 'none', 'generationConfig.thinkingConfig.thinkingBudget', 0],
    ['anthropic', 'claude-sonnet-4-5', 'high', 'output_config', undefined],
    ['anthropic', 'claude-sonnet-5', 'minimal', 'output_config.effort', 'low'],
    ['bedrock', 'openai.gpt-oss-120b-1:0', 'xhigh', 'additionalModelRequestFields.reasoning_effort', 'high'],
  ])('%s %s gets the nearest word for %s', async (name, model, reasoningEffort, path, word) => {
    await start(name);
    expect((await ask(name, 'Think', { model, options: { reasoningEffort } })).text).toBe('ok');
    expect([sentAt(path), server.refusals]).toEqual([word, []]);
  });
});

describe('a deployment of Azure', () => {
  it('gets what its family takes if the profile names it', async () => {
    await start('azure');
    const options = { temperature: 0.5, reasoningEffort: 'low' };
    const thinker = clientOf('azure', 'team-thinker', { profile: 'azure+gpt-5' });
    expect((await collect(thinker, request('Hi', [], options))).text).toBe('ok');
    expect([sentAt('temperature'), sentAt('reasoning.effort'), server.seen.length]).toEqual([undefined, 'low', 1]);
    const talker = clientOf('azure', 'team-talker', { profile: 'gpt-4' });
    expect((await collect(talker, request('Hi', [], options))).text).toBe('ok');
    expect([sentAt('temperature'), sentAt('include'), server.seen.length]).toEqual([0.5, undefined, 2]);
    expect(talker.info.profile).toMatchObject({ name: 'azure.responses+gpt-4', repairs: [] });
  });

  it.each(['team-thinker', 'team-talker'])('with any name is served after repairs that are kept: %s', async (model) => {
    await start('azure');
    const client = clientOf('azure', model);
    for (const refused of [1, 1]) {
      expect((await collect(client, request('Hi', [], { temperature: 0.5 }))).text).toBe('ok');
      expect(server.refusals).toHaveLength(refused);
    }
    expect(lines).toHaveLength(1);
  });

  it('has no profile of another name', async () => {
    await start('azure');
    expect(() => clientOf('azure', 'x', { profile: 'gpt-99' })).toThrow('LLM_PROFILE must be generic');
  });
});

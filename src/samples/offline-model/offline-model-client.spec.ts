import type { ToolDeclaration } from '../../agent/tools/index.js';
import type { ModelMessage, ModelOptions } from '../../agent/index.js';
import { collect, type Collected, failureOf, request, user } from '../../agent/adapters/testing/collect.js';
import { OfflineModelClient } from './offline-model-client.js';
import { ALL } from './testing/sample-tools.js';

const NOW = Date.parse('2026-03-04T12:00:00Z');
const client = new OfflineModelClient({ clock: { now: () => NOW } });

const ask = (
  said: string | readonly ModelMessage[],
  tools: readonly ToolDeclaration[] = [],
  options: ModelOptions = {},
): Promise<Collected> => collect(client, request(said, tools, options));
const system = (content: string): ModelMessage => ({ role: 'system', content });
const assistant = (content: string): ModelMessage => ({ role: 'assistant', content, toolCalls: [] });

describe('the identity of the offline model', () => {
  it.each([
    'Who are you?',
    "What's your name?",
    'what model are you?',
    'Introduce yourself',
    '你是谁？',
    '你叫什么名字？',
  ])('"%s" is answered with the name of the demo model and how to configure another', async (text) => {
    const { text: said } = await ask(text);
    expect(said).toContain('Friday');
    expect(said).toContain('Parley');
    expect(said).toMatch(/offline demo model|离线演示模型/);
    expect(said).toContain('LLM_BASE_URL');
  });

  it.each([
    ['You are Friday, a helpful assistant.', 'Friday'],
    ['You are Marvin, a paranoid android.', 'Marvin'],
    ['Your name is Ada. Be brief.', 'Ada'],
    ['You are an assistant named Jarvis.', 'Jarvis'],
    ['You are a helpful assistant.', 'Friday'],
    ['你是小助手。你叫小明。', '小明'],
  ])('the persona of "%s" is used', async (prompt, name) => {
    expect((await ask([system(prompt), user('Who are you?')])).text).toContain(`I am ${name},`);
  });
});

describe('the user’s name', () => {
  it.each([
    ['My name is Alice.', 'What is my name?', 'Your name is Alice.'],
    ["Hi, I'm Bob Jones and I like tea", "what's my name?", 'Your name is Bob Jones.'],
    ['my name is alice and I am tired', 'Do you remember my name?', 'Your name is alice.'],
    ['Call me Zoë!', 'Who am I?', 'Your name is Zoë.'],
    ['我叫小红', '我叫什么？', '你的名字是 小红。'],
    ['我的名字是张伟，你好', '我的名字是什么？', '你的名字是 张伟。'],
    ['My name is Alice.', '我叫什么名字？', '你的名字是 Alice。'],
  ])('the name in "%s" is remembered', async (told, question, answer) => {
    const greeting = await ask(told, ALL);
    expect(greeting.calls).toHaveLength(0);
    expect((await ask([user(told), assistant(greeting.text), user(question)], ALL)).text).toBe(answer);
  });

  it('a name is greeted', async () => expect((await ask('My name is Alice.')).text).toContain('Hello, Alice!'));
  it('the last name is used', async () =>
    expect((await ask([user('My name is Alice.'), user('My name is Eve.'), user('What is my name?')])).text).toBe(
      'Your name is Eve.',
    ));
  it('no name is invented', async () => expect((await ask('What is my name?')).text).toContain('have not told me'));
});

describe('small talk', () => {
  it.each([
    ['What is the capital of France?', 'The capital of France is Paris.'],
    ['法国的首都是哪里？', '法国的首都是巴黎。'],
    ['What is 6 * 7?', '6 * 7 = 42'],
    ['count to 5', '1 2 3 4 5'],
    ['repeat 3 words', 'word1 word2 word3'],
    ['数到3', '1 2 3'],
  ])('"%s" is answered with "%s"', async (text, answer) => expect((await ask(text, ALL)).text).toBe(answer));

  it('other text is quoted with an explanation', async () => {
    const { text } = await ask('Write me a sonnet about "love"');
    expect(text).toContain('Write me a sonnet');
    expect(text).toContain('offline demo model');
  });

  it('a date is not a sum', async () => {
    expect((await ask('Write the report of 2026-11-25.')).text).not.toContain('=');
  });

  it('a name is found in a longer text', async () => {
    const said = 'user: My name is Alice.\nassistant: Hello!\nuser: What is my name?';
    expect((await ask([user(said), user('What is my name?')])).text).toBe('Your name is Alice.');
  });

  it('an image is answered with an explanation', async () => {
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', url: 'data:image/png;base64,AA==' },
      { type: 'image', url: 'https://a.example/b.png' },
    ] as const;
    const { text } = await ask([{ role: 'user', content: parts }]);
    expect(text).toMatch(/received 2 attachments.*cannot see them/);
  });

  it.each(['Think: who are you?', 'Who are you? Step by step.', '想一想，你是谁？'])(
    'reasoning comes first for "%s"',
    async (text) => {
      const made = await ask(text);
      const kinds = made.events.map((event) => event.type);
      expect(made.reasoning).not.toBe('');
      expect(kinds.lastIndexOf('reasoning-delta')).toBeLessThan(kinds.indexOf('text-delta'));
      expect(made.finish?.usage?.reasoning_tokens).toBeGreaterThan(0);
    },
  );

  it('reasoning comes before a tool call', async () => {
    const made = await ask('Think about it: what is the weather in Paris?', ALL);
    expect(made.events[0]?.type).toBe('reasoning-delta');
    expect(made.calls).toHaveLength(1);
  });

  it('an empty request is answered', async () => {
    expect((await ask([])).text).not.toBe('');
    expect((await ask([{ role: 'user', content: [] }])).text).not.toBe('');
  });
});

describe('the stream of the offline model', () => {
  it('an answer has several pieces, one finish and the usage', async () => {
    const made = await ask('Who are you?');
    expect(made.events.filter((event) => event.type === 'text-delta').length).toBeGreaterThan(10);
    expect(made.events.filter((event) => event.type === 'finish')).toHaveLength(1);
    expect(made.events.at(-1)?.type).toBe('finish');
    const { usage } = made.finish ?? {};
    expect(usage).toEqual({
      input_tokens: 3,
      output_tokens: Math.ceil(made.text.length / 4),
      total_tokens: 3 + Math.ceil(made.text.length / 4),
    });
  });

  it('arguments are streamed in pieces, with an index for parallel calls', async () => {
    const made = await ask('weather in Paris and Tokyo', ALL);
    const deltas = made.events.filter((event) => event.type === 'tool-call-delta');
    expect(deltas.length).toBeGreaterThan(5);
    expect(new Set(deltas.map((delta) => delta.index))).toEqual(new Set([0, 1]));
    expect(deltas.filter((delta) => delta.name !== undefined)).toHaveLength(2);
  });

  it('the same request gives the same stream', async () => {
    for (const text of [
      'Who are you?',
      'weather in Paris',
      'think: make the background red',
      'Schedule a call tomorrow at 9',
    ]) {
      expect((await ask(text, ALL)).events).toEqual((await ask(text, ALL)).events);
    }
  });

  it('maxTokens and stop are followed', async () => {
    const cut = await ask('count to 100', [], { maxTokens: 5 });
    expect([cut.text.trim(), cut.finish?.reason]).toEqual(['1 2 3 4 5', 'length']);
    const whole = await ask('count to 5', [], { maxTokens: 5 });
    expect([whole.text, whole.finish?.reason]).toEqual(['1 2 3 4 5', 'stop']);
    const stopped = await ask('count to 100', [], { stop: ['50', ' 7'] });
    expect([stopped.text, stopped.finish?.reason]).toEqual(['1 2 3 4 5 6', 'stop']);
  });

  it('at most 10,000 words are streamed', async () => {
    const made = await ask('repeat 20000 words');
    expect(made.text).toMatch(/word10000\n\nI stopped at 10000/);
    expect(made.text).not.toContain('word10001');
  });
});

describe('pace and abort of the offline model', () => {
  it('pieces are delayed if the text asks for it', async () => {
    const waits: number[] = [];
    const slow = new OfflineModelClient({ delay: async (ms) => void waits.push(ms) });
    await collect(slow, request('count to 10 slowly'));
    expect(waits).toEqual(Array(9).fill(30));
  });

  it('an abort ends a delay at once', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const slow = new OfflineModelClient({ paceMs: 60_000 });
    setImmediate(() => controller.abort(reason));
    const { error, events } = await failureOf(slow, request('count to 10'), controller.signal);
    expect(error).toBe(reason);
    expect(events).toHaveLength(1);
  });

  it('an abort ends a long answer without delays', async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort(new Error('stop')));
    const { events } = await failureOf(client, request('repeat 10000 words'), controller.signal);
    expect(events.length).toBeLessThan(1_000);
  });

  it('nothing is yielded after an abort', async () => {
    const controller = new AbortController();
    const stream = client.stream(request('count to 10'), controller.signal)[Symbol.asyncIterator]();
    await stream.next();
    controller.abort(new Error('now'));
    await expect(stream.next()).rejects.toThrow('now');
    await expect(collect(client, request('hi'), controller.signal)).rejects.toThrow('now');
  });
});

import type { ToolDeclaration } from '../../agent/tools/index.js';
import type { ModelMessage, ModelOptions } from '../../agent/index.js';
import { collect, type Collected, request, user } from '../../agent/adapters/testing/collect.js';
import { OfflineModelClient } from './offline-model-client.js';
import { ALL, tool } from './testing/sample-tools.js';

const NOW = Date.parse('2026-03-04T12:00:00Z');
const client = new OfflineModelClient({ clock: { now: () => NOW } });

const ask = (
  said: string | readonly ModelMessage[],
  tools: readonly ToolDeclaration[] = [],
  options: ModelOptions = {},
): Promise<Collected> => collect(client, request(said, tools, options));
const argumentsOf = (made: Collected): unknown[] => made.calls.map((call) => JSON.parse(call.arguments) as unknown);
const system = (content: string): ModelMessage => ({ role: 'system', content });
const assistant = (content: string): ModelMessage => ({ role: 'assistant', content, toolCalls: [] });

describe('calls of known tools', () => {
  it.each<[string, unknown[]]>([
    ["What's the weather in Paris?", [{ city: 'Paris' }]],
    ['weather in San Francisco today, please', [{ city: 'San Francisco' }]],
    [
      'What is the weather like in Paris, Tokyo and New York right now?',
      [{ city: 'Paris' }, { city: 'Tokyo' }, { city: 'New York' }],
    ],
    ['How is the weather in Oslo in fahrenheit', [{ city: 'Oslo', unit: 'fahrenheit' }]],
    ['Berlin weather', [{ city: 'Berlin' }]],
    ['北京和上海的天气怎么样？', [{ city: '北京' }, { city: '上海' }]],
    ['请问苏州今天的天气', [{ city: '苏州' }]],
  ])('"%s" calls the weather tool', async (text, expected) => {
    const made = await ask(text, ALL);
    expect(made.calls.every((call) => call.name === 'get_weather')).toBe(true);
    expect(argumentsOf(made)).toEqual(expected);
    expect(made.finish?.reason).toBe('tool-calls');
  });

  it.each<[string, unknown[]]>([
    ['What time is it?', [{}]],
    ['what is the current time in Tokyo', [{ timezone: 'Asia/Tokyo' }]],
    ['What time is it in America/New_York?', [{ timezone: 'America/New_York' }]],
    ['现在几点？', [{}]],
  ])('"%s" calls the time tool', async (text, expected) => {
    const made = await ask(text, ALL);
    expect(made.calls.every((call) => call.name === 'get_current_time')).toBe(true);
    expect(argumentsOf(made)).toEqual(expected);
  });

  it('weather and time are called in parallel', async () => {
    const made = await ask('What time is it in Tokyo and what is the weather in Tokyo?', ALL);
    expect(made.calls.map((call) => call.name)).toEqual(['get_weather', 'get_current_time']);
  });

  it('a missing city is asked for and the answer used', async () => {
    const question = await ask('What is the weather?', ALL);
    expect(question.calls).toHaveLength(0);
    const made = await ask([user('What is the weather?'), assistant(question.text), user('Madrid')], ALL);
    expect(argumentsOf(made)).toEqual([{ city: 'Madrid' }]);
  });

  it('tools that are not offered or not wanted are not called', async () => {
    expect((await ask('What is the weather in Paris?')).calls).toHaveLength(0);
    expect((await ask('What is the weather in Paris? Do not use tools.', ALL)).calls).toHaveLength(0);
  });
});

describe('calls of other tools', () => {
  it.each<[string, string, unknown]>([
    ['Make the background blue', 'change_background', { color: 'blue' }],
    ['change the background to #ff8800', 'change_background', { color: '#ff8800' }],
    ['Echo hello world', 'echo', { message: 'hello world' }],
    ['Use the echo tool with "good morning"', 'echo', { message: 'good morning' }],
    ['What is the sum of 3 and 4.5?', 'get-sum', { a: 3, b: 4.5 }],
    ['please use get-sum for 10 and -2', 'get-sum', { a: 10, b: -2 }],
    ['Turn the light on at level 400', 'set_light', { on: true, level: 100 }],
    ['turn off the light', 'set_light', { on: false }],
  ])('"%s" calls %s', async (text, name, expected) => {
    const made = await ask(text, ALL);
    expect(made.calls.map((call) => call.name)).toEqual([name]);
    expect(argumentsOf(made)).toEqual([expected]);
  });

  const ID = { type: 'string', pattern: '^[A-Z]-\\d{4}$' };
  const FIND = tool('find_order', 'Finds an order of the shop by its id.', { id: ID }, ['id']);

  it('a value that the text lacks is asked for', async () => {
    const made = await ask('Where is my order?', [FIND]);
    expect(made.calls).toEqual([]);
    expect(made.text).toBe('I would call find_order, but I found no value for "id" in your message. Please name it.');
    expect((await ask('我的 order 在哪里？', [FIND])).text).toContain('find_order');
  });

  it('a tool that the system prompt names is called if the text has what it needs', async () => {
    const prompt = system('Look everything up with find_order.');
    expect(argumentsOf(await ask([prompt, user('What about A-1001?')], [FIND]))).toEqual([{ id: 'A-1001' }]);
    expect((await ask([prompt, user('Tell me a joke')], [FIND])).calls).toEqual([]);
    expect((await ask([user('What about A-1001?')], [FIND])).calls).toEqual([]);
  });

  it('no tool is called if no name matches', async () => {
    for (const text of ['Tell me a story', 'Thanks!', 'I like trains', 'What is the capital of France?', '讲个故事']) {
      expect((await ask(text, ALL)).calls).toEqual([]);
    }
  });
});

describe('calls of the calendar tools', () => {
  it('a meeting is written', async () => {
    const made = await ask('Schedule a meeting tomorrow at 10 for 30 minutes called Standup', ALL);
    expect(made.calls.map((call) => call.name)).toEqual(['calendar_write']);
    expect(argumentsOf(made)).toEqual([
      { title: 'Standup', start: '2026-03-05T10:00:00', duration_minutes: 30, event_timezone: 'UTC' },
    ]);
  });

  it('zone and time come from the system prompt', async () => {
    const prompt = system('You are Friday. It is 2026-12-31T20:00:00Z; the user is in Asia/Tokyo.');
    const made = await ask([prompt, user('Book a review called "Year end" tomorrow at 3:30pm')], ALL);
    expect(argumentsOf(made)).toEqual([
      { title: 'Year end', start: '2027-01-02T15:30:00', event_timezone: 'Asia/Tokyo' },
    ]);
  });

  it('offsets and end times are written if the schema requires date-times', async () => {
    const zoned = tool(
      'calendar_write',
      'Add an event',
      {
        summary: { type: 'string' },
        start_time: { type: 'string', format: 'date-time' },
        end_time: { type: 'string', format: 'date-time' },
        event_timezone: { type: 'string' },
      },
      ['summary', 'start_time', 'end_time'],
    );
    const made = await ask('Schedule a meeting called Demo on 2026-07-01 at 9am for 1 hour in America/New_York', [
      zoned,
    ]);
    expect(argumentsOf(made)).toEqual([
      {
        summary: 'Demo',
        start_time: '2026-07-01T09:00:00-04:00',
        end_time: '2026-07-01T10:00:00-04:00',
        event_timezone: 'America/New_York',
      },
    ]);
  });

  it('a missing time is asked for, then the event is written', async () => {
    const first = user('Schedule a meeting called Retro');
    const question = await ask([first], ALL);
    expect(question.calls).toHaveLength(0);
    const made = await ask([first, assistant(question.text), user('tomorrow at 14:00')], ALL);
    expect(argumentsOf(made)).toEqual([{ title: 'Retro', start: '2026-03-05T14:00:00', event_timezone: 'UTC' }]);
  });

  it.each(['List my meetings', 'What is on my calendar?', '查看我的日程'])('"%s" lists the events', async (text) => {
    expect((await ask(text, ALL)).calls.map((call) => call.name)).toEqual(['calendar_list']);
  });
});

describe('after tool results', () => {
  const turn = (name: string, content: string, text = 'What is the weather in Paris?'): ModelMessage[] => [
    user(text),
    { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name, arguments: '{}' }] },
    { role: 'tool', callId: 'c1', name, content },
  ];

  it('the results are summarized and nothing is called', async () => {
    const made = await ask(
      turn('get_weather', '{"city":"Paris","condition":"sunny","temperature":21,"note":"Sample data."}'),
      ALL,
    );
    expect(made.calls).toEqual([]);
    expect(made.text).toBe('Weather for Paris: condition: sunny, temperature: 21, note: Sample data.');
    expect(made.finish?.reason).toBe('stop');
  });

  it.each([
    ['echo', 'hello', 'The tool echo answered: hello.'],
    ['echo', 'The tool failed: no.', 'The tool echo answered: The tool failed: no.'],
    ['calendar_list', '[]', 'The tool calendar_list answered: nothing.'],
    ['x', '{"error":"denied"}', 'The tool x did not succeed: error: denied.'],
    ['x', '', 'The tool x answered with nothing.'],
  ])('the result of %s is shown: %s', async (name, content, text) => {
    expect((await ask(turn(name, content), ALL)).text).toBe(text);
  });

  it('tools are called again in the next turn', async () => {
    const made = await ask(
      [...turn('get_weather', 'sunny'), assistant('Sunny.'), user('And the weather in Rome?')],
      ALL,
    );
    expect(argumentsOf(made)).toEqual([{ city: 'Rome' }]);
  });
});

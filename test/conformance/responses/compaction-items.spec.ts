import OpenAI6 from 'openai';
import type { Response, ResponseInput, ResponseStreamEvent } from 'openai/resources/responses/responses';
import OpenAI7 from 'openai7';
import type { ModelRequest } from '../../../src/agent/index.js';
import {
  call,
  finish,
  ScriptedModelClient,
  type ScriptStep,
  text,
} from '../../../src/agent/testing/scripted-model-client.js';
import { GoldenTools } from '../../support/golden-scripts.js';
import { openaiUrl } from '../../support/openai-client.js';
import { startServer, type TestServer } from '../../support/server.js';

/** About 600 tokens. */
const LONG = 'The grapes are in the cellar. '.repeat(80);

function answer({ messages }: ModelRequest): readonly ScriptStep[] {
  const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user'));
  const results = messages.filter(({ role }) => role === 'tool').length;
  if (asked.includes('measure') && results === 0) {
    return [text(LONG), call(0, 'read_thermometer', '{"city":"Paris"}', 'call_t'), finish('tool-calls')];
  }
  return [text('Noted.'), finish()];
}

describe.each([
  ['6', OpenAI6],
  ['7', OpenAI7 as unknown as typeof OpenAI6],
])('openai %s with items of the type compaction', (_version, OpenAI) => {
  let server: TestServer;
  let client: OpenAI6;
  const model = new ScriptedModelClient(answer);

  beforeAll(async () => {
    server = await startServer({ model, providers: [GoldenTools] });
    client = new OpenAI({ apiKey: 'any', baseURL: openaiUrl(server), maxRetries: 0 });
  });
  afterAll(() => server.close());

  const compacting = { context_management: [{ type: 'compaction', compact_threshold: 1000 }] };
  const ask = (input: unknown, more: object = {}): Promise<Response> =>
    client.responses.create({ model: 'x', input: input as ResponseInput, ...more });
  const typesOf = ({ output }: Response): string[] => output.map(({ type }) => type);
  const textOf = ({ output }: Response): string =>
    output
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .map((part) => (part.type === 'output_text' ? part.text : ''))
      .join('');
  /** What the model was last asked, as JSON. */
  const sent = (): string => JSON.stringify(model.requests.at(-1)?.messages);

  /** The events of a stream and its final response. The helper of version 6 knows no event of a compaction. */
  async function streamed(input: unknown, more: object = {}): Promise<[ResponseStreamEvent[], Response]> {
    const body = { model: 'x', input: input as ResponseInput, ...more };
    const events: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create({ ...body, stream: true })) events.push(event);
    const last = events.at(-1);
    if (last?.type !== 'response.completed') throw new Error(`The stream ended with ${last?.type}`);
    if (OpenAI === OpenAI6) return [events, Object.assign(last.response, { output_text: textOf(last.response) })];
    const final = await client.responses.stream(body).finalResponse();
    expect(final.output.map(({ type }) => type)).toEqual(typesOf(last.response));
    return [events, Object.assign(last.response, { output_text: textOf(last.response) })];
  }

  it('a trigger is answered with a compaction alone, which takes the place of what precedes it', async () => {
    const first = await ask('The code word is quince.');
    const before = model.requests.length;
    const [events, compacted] = await streamed([{ type: 'compaction_trigger' }], { previous_response_id: first.id });
    expect(model.requests.length).toBe(before);
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.compaction.compacting',
      'response.output_item.done',
      'response.completed',
    ]);
    const [item] = compacted.output;
    expect(item).toMatchObject({ type: 'compaction', id: expect.stringMatching(/^cmp_/) as string });
    expect(events[3]).toMatchObject({ item_id: item?.id, output_index: 0 });
    expect(await client.responses.retrieve(compacted.id)).toMatchObject({ status: 'completed', output: [item] });
    await ask('Go on.', { previous_response_id: compacted.id });
    expect(sent()).toContain('- user: The code word is quince.');
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('a client continues with the item alone, or names it', async () => {
    const first = await ask([{ role: 'user', content: 'The code word is quince.' }, { type: 'compaction_trigger' }]);
    const next = { role: 'user', content: 'Go on.' };
    await ask([{ role: 'user', content: 'Forgotten.' }, ...first.output, next], { store: false });
    expect(sent()).toContain('quince');
    expect(sent()).not.toContain('Forgotten');
    await ask([{ type: 'item_reference', id: first.output[0]?.id }, next]);
    expect(sent()).toContain('quince');
  });

  it('a conversation above the threshold is compacted before it is answered', async () => {
    const first = await ask(`${LONG} The code word is quince.`);
    const second = await ask(`${LONG} And?`, { previous_response_id: first.id });
    const [events, third] = await streamed('Go on.', { previous_response_id: second.id, ...compacting });
    expect(typesOf(third)).toEqual(['compaction', 'message']);
    expect(events.map(({ type }) => type)).toContain('response.compaction.compacting');
    expect(third.output_text).toBe('Noted.');
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
    expect(sent()).toContain('Summary of the whole conversation');
    const fourth = await ask('Go on.', { previous_response_id: third.id, ...compacting });
    expect(typesOf(fourth)).toEqual(['message']);
    expect(sent()).toContain('Summary of the whole conversation');
  });

  it('a conversation that the request brings is compacted as well, and a short one is not', async () => {
    const input = ['One.', 'Two.', 'Three.'].map((word) => ({ role: 'user', content: LONG + word }));
    expect(typesOf(await ask(input, compacting))).toEqual(['compaction', 'message']);
    expect(typesOf(await ask(LONG + LONG, compacting))).toEqual(['compaction', 'message']);
    expect(typesOf(await ask('Hello.', compacting))).toEqual(['message']);
  });

  it('a run that passes the threshold while it calls tools is compacted between its steps', async () => {
    const first = await ask(LONG);
    const second = await ask('measure it', {
      previous_response_id: first.id,
      context_management: [{ type: 'compaction', compact_threshold: 900 }],
    });
    expect(typesOf(second)).toEqual(['message', 'mcp_call', 'compaction', 'message']);
    const { messages = [] } = model.requests.at(-1) ?? {};
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  });

  it.each<[string, object, string, string]>([
    [
      'a trigger that is not the last item',
      { input: [{ type: 'compaction_trigger' }, { role: 'user', content: 'x' }] },
      'input[0].type',
      'unsupported_value',
    ],
    [
      'additional tools',
      { input: [{ type: 'additional_tools', role: 'developer', tools: [] }] },
      'input[0].type',
      'unsupported_value',
    ],
    [
      'an update of the configuration',
      { input: [{ type: 'configuration_update', reasoning: { effort: 'low' } }] },
      'input[0].type',
      'unsupported_value',
    ],
    [
      'another kind of context management',
      { input: 'x', context_management: [{ type: 'forget' }] },
      'context_management[0].type',
      'invalid_value',
    ],
    [
      'a threshold of 0',
      { input: 'x', context_management: [{ type: 'compaction', compact_threshold: 0 }] },
      'context_management[0].compact_threshold',
      'invalid_value',
    ],
  ])('%s is refused by name', async (_name, body, param, code) => {
    const refused = client.responses.create({ model: 'x', ...body } as never);
    await expect(refused).rejects.toMatchObject({ status: 400, param, code });
  });
});

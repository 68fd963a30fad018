import type { LLMock } from '@copilotkit/aimock';
import OpenAI, { APIError, BadRequestError, NotFoundError } from 'openai';
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { z } from 'zod';
import { openaiClient, openaiUrl, toolScript } from '../../support/openai-client.js';
import { startServer, type TestServer } from '../../support/server.js';

const SKY = 'The sky is blue today.';
const LONG = 'One two three four five six seven eight nine ten eleven twelve thirteen fourteen.';
const LOOKUP = zodResponsesFunction({
  name: 'lookup_order',
  description: 'Looks an order up',
  parameters: z.object({ id: z.string() }),
});
const Animal = z.object({ name: z.string(), legs: z.number() });

async function read(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function deltas(events: readonly ResponseStreamEvent[]): string {
  return events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
}

/** What the model answers. */
function script(upstream: LLMock): void {
  upstream.onMessage('plain text', { content: SKY });
  upstream.onMessage('long text', { content: LONG });
  upstream.onMessage('reasoned text', { content: 'So it is.', reasoning: 'Let me think.' });
  upstream.onMessage('an animal', { content: '{"name":"cat","legs":4}' });
  upstream.onMessage('server error', { error: { message: 'secret', type: 'server_error' }, status: 500 });
  upstream.onMessage('slow text', { content: LONG }, { latency: 50 });
  upstream.onMessage('endless text', { content: LONG }, { latency: 5000 });
  upstream.onMessage('cut text', { content: 'So far', finishReason: 'length' });
  toolScript(upstream, 'server tool', [{ name: 'get_weather', arguments: '{"city":"Paris"}', id: 'c1' }], 'Fine.');
  toolScript(upstream, 'client tool', [{ name: 'lookup_order', arguments: '{"id":"7"}', id: 'c2' }], 'On its way.');
  upstream.on(
    { userMessage: 'What is my name?', predicate: ({ messages }) => JSON.stringify(messages).includes('Alice') },
    { content: 'You are Alice.' },
  );
  upstream.onMessage('What is my name?', { content: 'I do not know.' });
  upstream.onMessage('My name is Alice.', { content: 'Hello Alice.' });
}

describe('openai', () => {
  let server: TestServer;
  let client: OpenAI;

  beforeAll(async () => {
    server = await startServer({ model: script });
    client = openaiClient(server);
  });
  afterAll(() => server.close());

  const ask = (input: string, more: object = {}): Promise<Response> =>
    client.responses.create({ model: 'any_name', input, ...more });

  it('a response is returned whatever model the request names', async () => {
    const response = await ask('plain text');
    expect(response).toMatchObject({ output_text: SKY, status: 'completed', model: 'any_name', object: 'response' });
    expect((response as { _request_id?: string })._request_id).toBeTruthy();
    expect(response.usage?.output_tokens).toBeGreaterThan(0);
  });

  it('the response is repeated under `response` on the compatible path only', async () => {
    const mirrored = (await ask('plain text')) as Response & { response: Response };
    expect(mirrored.response.output[0]).toMatchObject({ content: [{ text: SKY }] });
    const plain = new OpenAI({ apiKey: 'any', baseURL: `${server.url}/v1`, maxRetries: 0 });
    expect(await plain.responses.create({ input: 'plain text' })).not.toHaveProperty('response');
  });

  it('raw events arrive in the order of the contract', async () => {
    const events = await read(await client.responses.create({ model: 'x', input: 'plain text', stream: true }));
    const types = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(deltas(events)).toBe(SKY);
  });

  it('the streaming helper accumulates the text', async () => {
    const stream = client.responses.stream({ model: 'x', input: 'plain text' });
    let snapshot = '';
    stream.on('response.output_text.delta', (event) => (snapshot = event.snapshot));
    const final = await stream.finalResponse();
    expect({ snapshot, text: final.output_text, status: final.status }).toEqual({
      snapshot: SKY,
      text: SKY,
      status: 'completed',
    });
  });

  it('structured output is parsed, whole and streamed, and the model gets the schema', async () => {
    const format = zodTextFormat(Animal, 'animal');
    const parsed = await client.responses.parse({ model: 'x', input: 'an animal', text: { format } });
    expect(parsed.output_parsed).toEqual({ name: 'cat', legs: 4 });
    expect(parsed.text?.format).toMatchObject({ type: 'json_schema', name: 'animal', strict: true });
    const streamed = await client.responses
      .stream({ model: 'x', input: 'an animal', text: { format } })
      .finalResponse();
    expect(streamed.output_parsed).toEqual({ name: 'cat', legs: 4 });
    const sent = server.modelServer.getRequests().at(-1)?.body as { response_format?: { type: string } } | undefined;
    expect(sent?.response_format).toMatchObject({ type: 'json_schema', json_schema: { name: 'animal' } });
  });

  it('the client runs its tools by previous response', async () => {
    const first = await client.responses.parse({ model: 'x', input: 'client tool', tools: [LOOKUP] });
    const call = first.output.find((item) => item.type === 'function_call');
    expect(call).toMatchObject({ name: 'lookup_order', parsed_arguments: { id: '7' }, status: 'completed' });
    const second = await client.responses.create({
      model: 'x',
      previous_response_id: first.id,
      tools: [LOOKUP],
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: 'order 7 is on its way' }],
    });
    expect(second.output_text).toBe('On its way.');
  });

  it('the client runs its tools with nothing stored', async () => {
    const input = [{ role: 'user' as const, content: 'client tool' }];
    const first = await client.responses.create({ model: 'x', input, tools: [LOOKUP], store: false });
    const call = first.output.find((item) => item.type === 'function_call');
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'on its way' };
    const again = [...input, ...first.output, output] as OpenAI.Responses.ResponseInput;
    const second = await client.responses.create({ model: 'x', input: again, tools: [LOOKUP], store: false });
    expect(second.output_text).toBe('On its way.');
    await expect(client.responses.retrieve(first.id)).rejects.toThrow(NotFoundError);
    const goesOn = client.responses.create({ model: 'x', input: 'plain text', previous_response_id: first.id });
    await expect(goesOn).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
  });

  it('the arguments of a tool call are streamed', async () => {
    const stream = client.responses.stream({ model: 'x', input: 'client tool', tools: [LOOKUP] });
    let snapshot = '';
    stream.on('response.function_call_arguments.delta', (event) => (snapshot = event.snapshot));
    const final = await stream.finalResponse();
    expect(snapshot).toBe('{"id":"7"}');
    expect(final.output[0]).toMatchObject({ type: 'function_call', parsed_arguments: { id: '7' } });
  });

  it('a tool call of the server arrives as mcp_call, and reasoning as a summary', async () => {
    const tool = await client.responses.stream({ model: 'x', input: 'server tool' }).finalResponse();
    expect(tool.output.map(({ type }) => type)).toEqual(['mcp_call', 'message']);
    expect(tool.output[0]).toMatchObject({ name: 'get_weather', server_label: 'plugin', error: null });
    const reasoned = await client.responses.stream({ model: 'x', input: 'reasoned text' }).finalResponse();
    expect(reasoned.output[0]).toMatchObject({ type: 'reasoning', summary: [{ text: 'Let me think.' }] });
    expect(reasoned.output_text).toBe('So it is.');
  });

  it('a background response can be polled to its end and cancelled twice', async () => {
    let response = await ask('long text', { background: true });
    expect(['queued', 'in_progress']).toContain(response.status);
    while (response.status === 'queued' || response.status === 'in_progress') {
      response = await client.responses.retrieve(response.id);
    }
    expect(response).toMatchObject({ status: 'completed', output_text: LONG });
    const endless = await ask('endless text', { background: true });
    expect((await client.responses.cancel(endless.id)).status).toBe('cancelled');
    expect((await client.responses.cancel(endless.id)).status).toBe('cancelled');
    const sync = await ask('plain text');
    await expect(client.responses.cancel(sync.id)).rejects.toThrow(BadRequestError);
  });

  it('a background stream can be resumed from its last event', async () => {
    const stream = await client.responses.create({ model: 'x', input: 'slow text', background: true, stream: true });
    const seen: ResponseStreamEvent[] = [];
    for await (const event of stream) {
      seen.push(event);
      if (event.sequence_number > 8) break;
    }
    const id = seen[0]?.type === 'response.created' ? seen[0].response.id : '';
    const last = seen.at(-1)?.sequence_number ?? 0;
    const rest = await read(await client.responses.retrieve(id, { stream: true, starting_after: last }));
    expect(rest[0]?.sequence_number).toBe(last + 1);
    expect(deltas([...seen, ...rest])).toBe(LONG);
    expect(rest.at(-1)?.type).toBe('response.completed');
    const emitted: number[] = [];
    const helper = client.responses.stream({ response_id: id, starting_after: 6 });
    helper.on('event', (event) => emitted.push(event.sequence_number));
    expect((await helper.finalResponse()).output_text).toBe(LONG);
    expect(emitted[0]).toBe(7);
  });

  it('a response can be deleted', async () => {
    const { id } = await ask('plain text');
    await client.responses.delete(id);
    await expect(client.responses.retrieve(id)).rejects.toThrow(NotFoundError);
    const goesOn = client.responses.create({ model: 'x', input: 'plain text', previous_response_id: id });
    await expect(goesOn).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
  });

  it('the input items are returned in pages', async () => {
    const { id } = await client.responses.create({
      model: 'x',
      input: [
        { role: 'user', content: 'first' },
        { role: 'assistant', content: 'second' },
        { role: 'user', content: 'plain text' },
      ],
    });
    const texts: unknown[] = [];
    for await (const item of client.responses.inputItems.list(id, { limit: 1, order: 'asc' })) {
      texts.push((item as { content: { text: string }[] }).content[0]?.text);
    }
    expect(texts).toEqual(['first', 'second', 'plain text']);
  });

  it('the items of a conversation can be read, added and removed', async () => {
    const { id } = await client.conversations.create({
      metadata: { topic: 'names' },
      items: [{ type: 'message', role: 'user', content: 'My name is Alice.' }],
    });
    expect((await ask('What is my name?', { conversation: id })).output_text).toBe('You are Alice.');
    const items = await client.conversations.items.list(id, { order: 'asc' });
    expect(items.data.map(({ type }) => type)).toEqual(['message', 'message', 'message']);
    const added = await client.conversations.items.create(id, {
      items: [{ type: 'message', role: 'user', content: 'I like cats.' }],
    });
    const itemId = added.data[0]?.id ?? '';
    expect(await client.conversations.items.retrieve(itemId, { conversation_id: id })).toMatchObject({ role: 'user' });
    expect(await client.conversations.items.delete(itemId, { conversation_id: id })).toMatchObject({ id });
    await expect(client.conversations.items.retrieve(itemId, { conversation_id: id })).rejects.toThrow(NotFoundError);
    expect(await client.conversations.update(id, { metadata: { topic: 'cats' } })).toMatchObject({
      id,
      metadata: { topic: 'cats' },
    });
    expect(await client.conversations.retrieve(id)).toMatchObject({ object: 'conversation' });
    expect(await client.conversations.delete(id)).toMatchObject({ id, deleted: true });
    await expect(ask('plain text', { conversation: id })).rejects.toThrow(NotFoundError);
  });

  it('previous responses form a conversation that can branch', async () => {
    const first = await ask('My name is Alice.');
    const second = await ask('What is my name?', { previous_response_id: first.id });
    expect(second).toMatchObject({ output_text: 'You are Alice.', previous_response_id: first.id });
    const branch = await ask('What is my name?', { previous_response_id: first.id });
    expect(branch.output_text).toBe('You are Alice.');
    expect((await ask('What is my name?')).output_text).toBe('I do not know.');
  });

  it('an unknown previous response is refused', async () => {
    const error = await ask('plain text', { previous_response_id: 'resp_none' }).catch((e: unknown) => e as APIError);
    expect(error).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
      type: 'invalid_request_error',
    });
  });

  it('failures and limits are statuses, with no text of the model server', async () => {
    const failed = await ask('server error');
    expect(failed).toMatchObject({ status: 'failed', error: { type: 'server_error', code: 'server_error' } });
    expect(JSON.stringify(failed)).not.toContain('secret');
    const streamed = await client.responses.stream({ model: 'x', input: 'server error' }).finalResponse();
    expect(streamed.status).toBe('failed');
    const cut = await ask('cut text');
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  });

  it('tokens are counted, conversations compacted and models listed', async () => {
    const count = await client.responses.inputTokens.count({ model: 'x', input: 'How many tokens are these?' });
    expect(count).toMatchObject({ object: 'response.input_tokens' });
    expect(count.input_tokens).toBeGreaterThan(4);
    const first = await ask('My name is Alice.');
    const compacted = await client.responses.compact({ model: 'x', previous_response_id: first.id });
    expect(compacted.output.map(({ type }) => type)).toEqual(['message', 'compaction']);
    const input = [
      ...compacted.output,
      { role: 'user', content: 'What is my name?' },
    ] as OpenAI.Responses.ResponseInput;
    expect((await client.responses.create({ model: 'x', input })).output_text).toBe('You are Alice.');
    const models: string[] = [];
    for await (const model of client.models.list()) models.push(model.id);
    expect(models).toContain('worker');
    expect(await client.models.retrieve('worker')).toMatchObject({ id: 'worker', object: 'model' });
    await expect(client.models.retrieve('nobody')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('a repeated request returns the same response', async () => {
    const options = { headers: { 'idempotency-key': 'key-1' } };
    const first = await client.responses.create({ model: 'x', input: 'plain text' }, options);
    const again = await client.responses.create({ model: 'x', input: 'plain text' }, options);
    expect(again).toMatchObject({ id: first.id, output_text: SKY, created_at: first.created_at });
    const other = client.responses.create({ model: 'x', input: 'long text' }, options);
    await expect(other).rejects.toMatchObject({ status: 400, code: 'idempotency_key_reused' });
  });

  it.each([
    ['{', 'invalid_json', null],
    ['[]', 'invalid_type', null],
    [
      '{"input":[{"role":"user","content":[{"type":"input_text"}]}]}',
      'missing_required_parameter',
      'input[0].content[0].text',
    ],
    ['{"input":[{"role":"user","content":7}]}', 'invalid_type', 'input[0].content'],
    ['{"input":"x","background":true,"store":false}', 'invalid_value', 'background'],
    ['{"input":"x","conversation":"c","previous_response_id":"r"}', 'invalid_value', 'previous_response_id'],
    ['{"input":[{"type":"function_call_output","call_id":"none","output":"x"}]}', 'invalid_value', 'input'],
    ['{"input":"x","tool_choice":{"type":"function","name":"none"}}', 'invalid_value', 'tool_choice.name'],
    [
      '{"input":"x","tools":[{"type":"mcp","server_label":"far","server_url":"http://10.0.0.1"}]}',
      'invalid_value',
      'tools[0].server_url',
    ],
    ['{"input":[{"type":"item_reference","id":"msg_none"}]}', 'not_found', 'input[0]'],
  ])('an invalid request is refused with the parameter at fault: %s', async (body, code, param) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${openaiUrl(server)}/responses`, { method: 'POST', headers, body });
    expect(answer.status).toBe(code === 'not_found' ? 404 : 400);
    expect(await answer.json()).toEqual({
      error: { message: expect.any(String) as string, type: 'invalid_request_error', param, code },
    });
  });
});

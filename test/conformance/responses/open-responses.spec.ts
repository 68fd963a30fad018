import { once } from 'node:events';
import { WebSocket } from 'ws';
import { parseResponseFrames, ResponsesReader, type WireEvent } from '../../support/responses-reader.js';
import { bootResponses, type ResponsesServer } from '../../support/responses-server.js';

const KEYS = [
  ...['id', 'object', 'created_at', 'completed_at', 'status', 'background', 'error', 'incomplete_details'],
  ...['instructions', 'max_output_tokens', 'max_tool_calls', 'model', 'output', 'parallel_tool_calls'],
  ...['previous_response_id', 'prompt_cache_key', 'reasoning', 'safety_identifier', 'service_tier', 'store'],
  ...['temperature', 'text', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'presence_penalty'],
  ...['frequency_penalty', 'truncation', 'usage', 'metadata', 'user'],
];
const PIXEL = `data:image/png;base64,${Buffer.from('no picture').toString('base64')}`;
const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather at a place',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};

/** The object that the specification wants: every key, numbers where numbers belong. */
function expectResource(response: Record<string, unknown>, status = 'completed'): void {
  expect(Object.keys(response)).toEqual(expect.arrayContaining(KEYS));
  expect(Object.values(response)).not.toContain(undefined);
  expect(response).toMatchObject({ object: 'response', status, service_tier: 'default', truncation: 'disabled' });
  for (const key of ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'top_logprobs', 'created_at']) {
    expect(typeof response[key]).toBe('number');
  }
  for (const tool of response['tools'] as object[]) {
    expect(Object.keys(tool)).toEqual(expect.arrayContaining(['description', 'parameters', 'strict']));
  }
  for (const item of response['output'] as object[]) {
    expect(item).toMatchObject({ id: expect.any(String) as string, type: expect.any(String) as string });
    expect(Object.values(item)).not.toContain(undefined);
  }
}

/** A connection whose messages are read one after the other. */
class Connection {
  private readonly messages: string[] = [];
  private wake = (): void => undefined;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.messages.push(data.toString());
      this.wake();
    });
    socket.on('close', () => this.wake());
  }

  static async open(url: string): Promise<Connection> {
    const socket = new WebSocket(url.replace('http', 'ws'));
    const connection = new Connection(socket);
    await once(socket, 'open');
    return connection;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  async next(): Promise<WireEvent & { status?: number; error?: { code: string; message: string } }> {
    while (this.messages.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    return JSON.parse(this.messages.shift() ?? '') as WireEvent;
  }

  /** Sends a request and reads its events to the end. */
  async create(body: object): Promise<Record<string, unknown> & { id: string }> {
    this.send({ type: 'response.create', model: 'any_name', ...body });
    const reader = new ResponsesReader();
    while (!reader.ended) reader.read(await this.next());
    return reader.ended as unknown as Record<string, unknown> & { id: string };
  }

  /** Sends a request that is refused. */
  async refusal(body: object): Promise<{ type: string; status?: number; error?: { code: string } }> {
    this.send({ type: 'response.create', ...body });
    return this.next();
  }
}

const user = (content: unknown): object => ({ type: 'message', role: 'user', content });

describe('Open Responses', () => {
  let server: ResponsesServer;
  let url: string;
  const connections: Connection[] = [];

  beforeAll(async () => {
    server = await bootResponses((upstream) => {
      const call = { toolCalls: [{ name: 'get_weather', arguments: '{"location":"San Francisco"}', id: 'c1' }] };
      upstream.on({ userMessage: 'the weather', hasToolResult: false }, call);
      upstream.on({ userMessage: 'the weather', hasToolResult: true }, { content: 'Foggy.' });
      upstream.on(
        { predicate: ({ messages }) => /Alice.*What is my name/s.test(JSON.stringify(messages)) },
        { content: 'Alice.' },
      );
      upstream.onMessage('What is my name', { content: 'Unknown.' });
      upstream.on({}, { content: 'Hello to you.' });
    });
    url = `${server.app.url}/v1/responses`;
  });
  afterAll(async () => {
    for (const { socket } of connections) socket.terminate();
    await server.close();
  });

  async function post(body: object): Promise<Record<string, unknown>> {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
      body: JSON.stringify({ model: 'any_name', ...body }),
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Record<string, unknown>;
  }

  async function stream(body: object): Promise<ResponsesReader> {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'any_name', stream: true, ...body }),
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const { events, done } = parseResponseFrames(await answer.text());
    expect(done).toBe(true);
    const reader = new ResponsesReader();
    for (const event of events) reader.read(event);
    return reader;
  }

  async function connect(): Promise<Connection> {
    const connection = await Connection.open(url);
    connections.push(connection);
    return connection;
  }

  it('1: a text', async () => expectResource(await post({ input: [user('Say hello.')] })));

  it('2: a streamed text', async () => {
    const { ended } = await stream({ input: [user('Count.')] });
    expectResource(ended as unknown as Record<string, unknown>);
  });

  it('3: a system message', async () => {
    const system = { type: 'message', role: 'system', content: 'You are a pirate.' };
    expectResource(await post({ input: [system, user('Say hello.')] }));
  });

  it("4: a call of the client's tool, which hides one of the server", async () => {
    const response = await post({ input: [user('How is the weather?')], tools: [WEATHER] });
    expectResource(response);
    expect(response['output']).toMatchObject([{ type: 'function_call', name: 'get_weather', status: 'completed' }]);
  });

  it('5: a streamed call', async () => {
    const reader = await stream({ input: [user('How is the weather?')], tools: [WEATHER] });
    expect(reader.types).toEqual(
      expect.arrayContaining([
        'response.output_item.added',
        'response.function_call_arguments.delta',
        'response.function_call_arguments.done',
        'response.output_item.done',
      ]),
    );
  });

  it('6: a picture', async () => {
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: PIXEL },
    ];
    expectResource(await post({ input: [user(content)] }));
  });

  it('7: several turns', async () => {
    const said = { type: 'message', role: 'assistant', content: 'Hello Alice.' };
    const response = await post({ input: [user('My name is Alice.'), said, user('What is my name?')] });
    expectResource(response);
    expect(response['output']).toMatchObject([{ content: [{ text: 'Alice.' }] }]);
  });

  it('8: assistant messages with a phase', async () => {
    const said = { type: 'message', role: 'assistant', content: 'Let me see.', phase: 'commentary' };
    expectResource(await post({ input: [user('Hello.'), said, user('Go on.')] }));
  });

  it('9: compaction, and its item as input', async () => {
    const answer = await fetch(`${url}/compact`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'any_name', input: [user('My name is Alice.'), user('Hello.')] }),
    });
    const compacted = (await answer.json()) as {
      object: string;
      output: { type: string; encrypted_content?: string }[];
    };
    expect(compacted).toMatchObject({
      object: 'response.compaction',
      usage: { total_tokens: expect.any(Number) as number },
    });
    expect(compacted.output.at(-1)).toMatchObject({
      type: 'compaction',
      encrypted_content: expect.any(String) as string,
    });
    expectResource(await post({ input: [...compacted.output, user('What is my name?')] }));
  });

  it('10: compaction needs a model', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/compact`, { method: 'POST', headers, body: '{"input":"x"}' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'missing_required_parameter', param: 'model' } });
  });

  it('11: a response over a WebSocket, the events of a stream', async () => {
    expectResource(await (await connect()).create({ input: [user('Hello.')] }));
  });

  it('12: several responses over one connection, one after the other', async () => {
    const connection = await connect();
    const [first, second] = [
      await connection.create({ input: 'Hello.' }),
      await connection.create({ input: 'Again.' }),
    ];
    expect(first.id).not.toBe(second.id);
  });

  it('13: a conversation goes on by the previous response', async () => {
    const connection = await connect();
    const first = await connection.create({ input: 'My name is Alice.' });
    const second = await connection.create({ previous_response_id: first.id, input: 'What is my name?' });
    expect(second['output']).toMatchObject([{ content: [{ text: 'Alice.' }] }]);
  });

  it('14: what is stored nowhere goes on over its own connection only', async () => {
    const connection = await connect();
    const first = await connection.create({ store: false, input: 'My name is Alice.' });
    const second = await connection.create({ store: false, previous_response_id: first.id, input: 'And so on.' });
    const third = await connection.create({ previous_response_id: second.id, input: 'What is my name?' });
    expect(third['output']).toMatchObject([{ content: [{ text: 'Alice.' }] }]);
    const other = await (await connect()).refusal({ previous_response_id: first.id, input: 'Hello.' });
    expect(other).toMatchObject({ type: 'error', status: 400, error: { code: 'previous_response_not_found' } });
  });

  it('15: an unknown predecessor', async () => {
    const refused = await (await connect()).refusal({ previous_response_id: 'resp_none', input: 'Hello.' });
    expect(refused).toMatchObject({ type: 'error', status: 400, error: { code: 'previous_response_not_found' } });
  });

  it('16: a failed continuation makes the connection forget', async () => {
    const connection = await connect();
    const first = await connection.create({ store: false, input: 'How is the weather?', tools: [WEATHER] });
    const output = { type: 'function_call_output', call_id: 'call_none', output: 'x' };
    const failed = await connection.refusal({ previous_response_id: first.id, store: false, input: [output] });
    expect(failed).toMatchObject({ type: 'error', status: 400 });
    const again = await connection.refusal({ previous_response_id: first.id, store: false, input: 'Hello.' });
    expect(again.error?.code).toBe('previous_response_not_found');
  });

  it('17: a tool loop over one connection', async () => {
    const connection = await connect();
    const first = await connection.create({ store: false, input: 'How is the weather?', tools: [WEATHER] });
    const [call] = first['output'] as { call_id: string }[];
    const output = { type: 'function_call_output', call_id: call?.call_id, output: 'fog' };
    const more = { previous_response_id: first.id, store: false, tools: [WEATHER] };
    const second = await connection.create({ ...more, input: [output] });
    expect(second['output']).toMatchObject([{ content: [{ text: 'Foggy.' }] }]);
  });

  it('stores nothing in a conversation of a user, whichever field names the user', async () => {
    const said = { role: 'user', content: [{ type: 'text', text: 'My name is Alice.' }] };
    const answer = await fetch(`${server.app.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: 'alices', user_id: 'alice', input: [said] }),
    });
    await answer.text();
    const named = { conversation: 'alices', safety_identifier: 'alice', store: false };
    const third = await (await connect()).create({ ...named, input: 'What is my name?' });
    expect(third['output']).toMatchObject([{ content: [{ text: 'Alice.' }] }]);
  });

  it('answers messages in their order and says what is wrong with others', async () => {
    const connection = await connect();
    connection.send('{');
    connection.send({ type: 'response.cancel' });
    connection.send({ type: 'response.create', input: 'Hello.' });
    expect(await connection.next()).toMatchObject({ type: 'error', status: 400, error: { code: 'invalid_json' } });
    expect(await connection.next()).toMatchObject({ type: 'error', error: { param: 'type' } });
    expect(await connection.next()).toMatchObject({ type: 'response.created' });
  });

  it('serves sockets on the two places only', async () => {
    const socket = new WebSocket(`${server.app.url.replace('http', 'ws')}/v1/elsewhere`);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('404');
  });
});

import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type OpenResponsesConnection, OpenResponsesClient } from '../../support/open-responses-client.js';
import { startServer, type TestServer } from '../../support/server.js';

const WEATHER = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};
const NOT_FOUND = { status: 400, error: { code: 'previous_response_not_found' } };

const user = (content: unknown): object => ({ type: 'message', role: 'user', content });
const output = (id: string): object => ({ type: 'function_call_output', call_id: id, output: 'fog' });

/** The checks that the public suite makes over WebSocket, in words of our own. */
function itConforms(client: () => OpenResponsesClient): void {
  it('a message is answered with the events of a stream', async () => {
    const response = await (await client().connect()).create({ input: [user('Hello.')] });
    expect(response).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
  });

  it('several messages on one connection are answered one after the other', async () => {
    const connection = await client().connect();
    const first = await connection.create({ store: false, input: 'Hello.' });
    const second = await connection.create({ store: false, input: 'Again.' });
    expect([first.status, second.status, first.id === second.id]).toEqual(['completed', 'completed', false]);
  });

  it('a response continues from a stored one, and on its own connection also from one that is not stored', async () => {
    const connection = await client().connect();
    for (const store of [true, false]) {
      const first = await connection.create({ store, input: 'My name is Alice.' });
      const second = await connection.create({ store, previous_response_id: first.id, input: 'And so on.' });
      const third = await connection.create({ previous_response_id: second.id, input: 'What is my name?' });
      expect(JSON.stringify(third.output)).toContain('Alice');
    }
  });

  it('a connection does not know a response that another one did not store, and stays usable', async () => {
    const { id } = await (await client().connect()).create({ store: false, input: 'My name is Alice.' });
    const other = await client().connect();
    expect(await other.refusal({ store: false, previous_response_id: id, input: 'Hello.' })).toMatchObject(NOT_FOUND);
    expect((await other.create({ store: false, input: [user('Hello.')] })).status).toBe('completed');
  });

  it('an unknown previous response is refused', async () => {
    const connection = await client().connect();
    const refused = await connection.refusal({ previous_response_id: 'resp_none', input: 'Hello.' });
    expect(refused).toMatchObject(NOT_FOUND);
  });

  it('a failed continuation removes its unstored predecessor', async () => {
    const connection = await client().connect();
    const { id } = await connection.create({ store: false, input: 'Hello.' });
    const more = { store: false, previous_response_id: id };
    expect(await connection.refusal({ ...more, input: [output('call_none')] })).toMatchObject({ status: 400 });
    expect(await connection.refusal({ ...more, input: 'Hello.' })).toMatchObject(NOT_FOUND);
  });

  it('a compacted conversation can be continued', async () => {
    const input = [
      user([{ type: 'input_text', text: 'My name is Alice.' }]),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] },
      user([{ type: 'input_text', text: 'Make it short.' }]),
    ];
    const compacted = await client().compact({ input });
    const again = [...compacted.output, user('What is my name?')];
    const response = await (await client().connect()).create({ store: false, input: again, tools: [] });
    expect(JSON.stringify(response.output)).toContain('Alice');
  });

  it('the client runs its own tool on one connection', async () => {
    const connection = await client().connect();
    const asked = { store: false, input: 'How is the weather in Rome?', tools: [WEATHER] };
    const { id, output: items } = await connection.create(asked);
    const [call] = items;
    expect(call).toMatchObject({ type: 'function_call', name: 'get_weather' });
    const input = [output(call?.type === 'function_call' ? call.call_id : '')];
    const second = await connection.create({ previous_response_id: id, store: false, tools: [WEATHER], input });
    expect(second).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
  });
}

describe('Open Responses over WebSocket with the offline model', () => {
  let close: () => Promise<void>;
  let client: OpenResponsesClient;

  beforeAll(async () => {
    const app = await startServer();
    close = () => app.close();
    client = new OpenResponsesClient(`${app.url}/v1/responses`);
  });
  afterAll(async () => {
    client.close();
    await close();
  });

  itConforms(() => client);
});

describe('Open Responses over WebSocket with a model server', () => {
  let server: TestServer;
  let client: OpenResponsesClient;

  beforeAll(async () => {
    server = await startServer({
      model: (upstream) => {
        const call = { toolCalls: [{ name: 'get_weather', arguments: '{"location":"Rome"}', id: 'c1' }] };
        upstream.on({ userMessage: 'the weather', hasToolResult: false }, call);
        upstream.on({ userMessage: 'the weather', hasToolResult: true }, { content: 'Foggy.' });
        const knows = /Alice.*What is my name/s;
        upstream.on({ predicate: ({ messages }) => knows.test(JSON.stringify(messages)) }, { content: 'Alice.' });
        upstream.on({}, { content: 'Hello to you.' });
      },
    });
    client = new OpenResponsesClient(`${server.url}/v1/responses`);
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  itConforms(() => client);

  it('an unstored response adds nothing to the conversation of a user, whichever field names the user', async () => {
    const said = { role: 'user', content: [{ type: 'text', text: 'My name is Alice.' }] };
    const answer = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: 'alices', user_id: 'alice', input: [said] }),
    });
    await answer.text();
    const named = { conversation: 'alices', safety_identifier: 'alice', store: false };
    const response = await (await client.connect()).create({ ...named, input: 'What is my name?' });
    expect(response.output).toMatchObject([{ content: [{ text: 'Alice.' }] }]);
  });

  it('messages are answered in order, and invalid ones with an error', async () => {
    const connection: OpenResponsesConnection = await client.connect();
    connection.send('{');
    connection.send({ type: 'response.cancel' });
    connection.send({ type: 'response.create', input: 'Hello.' });
    expect(await connection.next()).toMatchObject({ type: 'error', status: 400, error: { code: 'invalid_json' } });
    expect(await connection.next()).toMatchObject({ type: 'error', error: { param: 'type' } });
    expect(await connection.next()).toMatchObject({ type: 'response.created' });
  });

  it('a response without generation is stored and can be continued', async () => {
    const connection = await client.connect();
    const asked = server.modelServer.getRequests().length;
    const first = await connection.create({ generate: false, input: 'My name is Alice.', tools: [WEATHER] });
    expect(first).toMatchObject({ status: 'completed', store: false, output: [], usage: { total_tokens: 0 } });
    const more = { generate: false, previous_response_id: first.id };
    const second = await connection.create({ ...more, input: [user('Well.')] });
    expect(server.modelServer.getRequests()).toHaveLength(asked);
    const third = await connection.create({ previous_response_id: second.id, input: 'What is my name?' });
    expect(third.output).toMatchObject([{ content: [{ text: 'Alice.' }] }]);
    const fourth = await (await client.connect()).create({ previous_response_id: third.id, input: 'What is my name?' });
    expect(fourth.output).toMatchObject([{ content: [{ text: 'Alice.' }] }]);
    expect(await connection.refusal({ ...more, previous_response_id: 'resp_none' })).toMatchObject(NOT_FOUND);
    expect(await connection.refusal({ ...more, input: [{ type: 'message' }] })).toMatchObject({ status: 400 });
    expect(await connection.refusal({ ...more, input: 'Hello.' })).toMatchObject(NOT_FOUND);
  });

  it('every event repeats the stream_id of its request', async () => {
    const connection = await client.connect();
    connection.send({ type: 'response.create', stream_id: 'left "1"', input: 'Hello.' });
    connection.send({ type: 'response.create', stream_id: 'right', previous_response_id: 'resp_none', input: 'Hi.' });
    connection.send({ type: 'response.create', generate: false, input: 'Hi.' });
    const lanes: unknown[] = [];
    const types: string[] = [];
    while (types.filter((type) => type === 'response.completed').length < 2) {
      const { type, stream_id: lane } = await connection.next();
      types.push(type);
      if (lane !== lanes.at(-1) || lanes.length === 0) lanes.push(lane);
    }
    expect(lanes).toEqual(['left "1"', 'right', undefined]);
    expect(types).toContain('error');
  });

  it('WebSocket connections are accepted on two paths only', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/elsewhere`);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('404');
  });
});

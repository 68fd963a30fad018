import type OpenAI from 'openai';
import { GoldenTools } from '../../support/golden-scripts.js';
import { openaiClient, toolScript } from '../../support/openai-client.js';
import { startServer, type TestServer } from '../../support/server.js';

describe('approvals on the Responses API', () => {
  let server: TestServer;
  let client: OpenAI;

  beforeAll(async () => {
    server = await startServer({
      model: (upstream) => {
        const open = [{ name: 'open_window', arguments: '{"room":"kitchen"}', id: 'c1' }];
        toolScript(upstream, 'open the window', open, 'As you say.');
        upstream.on(
          { userMessage: 'Is it open?', predicate: ({ messages }) => JSON.stringify(messages).includes('is open.') },
          { content: 'It is.' },
        );
        upstream.onMessage('Is it open?', { content: 'I do not know.' });
      },
      providers: [GoldenTools],
    });
    client = openaiClient(server);
  });
  afterAll(() => server.close());

  async function asked(): Promise<{ id: string; requestId: string }> {
    const response = await client.responses.create({ model: 'x', input: 'open the window' });
    expect(response.status).toBe('completed');
    expect(response.output.map(({ type }) => type)).toEqual(['mcp_approval_request']);
    return { id: response.id, requestId: response.output[0]?.id ?? '' };
  }

  const answer = (id: string, requestId: string, approve: boolean): Promise<OpenAI.Responses.Response> =>
    client.responses.create({
      model: 'x',
      previous_response_id: id,
      input: [{ type: 'mcp_approval_response', approval_request_id: requestId, approve }],
    });

  it('an approved call is made and shown with its request', async () => {
    const { id, requestId } = await asked();
    const response = await answer(id, requestId, true);
    expect(response.output).toMatchObject([
      {
        type: 'mcp_call',
        approval_request_id: requestId,
        name: 'open_window',
        arguments: '{"room":"kitchen"}',
        output: 'The window of the kitchen is open.',
      },
      { type: 'message' },
    ]);
    expect(response.output_text).toBe('As you say.');
    await expect(answer(id, requestId, true)).rejects.toMatchObject({ status: 400 });
  });

  it('an approved call is streamed and keeps its id', async () => {
    const { id } = await client.conversations.create();
    const { output } = await client.responses.create({ model: 'x', conversation: id, input: 'open the window' });
    const requestId = output[0]?.id ?? '';
    const stream = await client.responses.create({
      model: 'x',
      conversation: id,
      input: [{ type: 'mcp_approval_response', approval_request_id: requestId, approve: true }],
      stream: true,
    });
    const types: string[] = [];
    let callId = '';
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.output_item.added' && event.item.type === 'mcp_call') callId = event.item.id ?? '';
      if (event.type === 'response.completed') expect(event.response.output[0]?.id).toBe(callId);
    }
    expect(types.slice(2, 8)).toEqual([
      'response.output_item.added',
      'response.mcp_call.in_progress',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.done',
      'response.mcp_call.completed',
      'response.output_item.done',
    ]);
    const within = { conversation_id: id };
    expect(await client.conversations.items.retrieve(callId, within)).toMatchObject({
      type: 'mcp_call',
      approval_request_id: requestId,
      output: 'The window of the kitchen is open.',
    });
    await client.conversations.items.delete(callId, within);
    await expect(client.conversations.items.retrieve(callId, within)).rejects.toMatchObject({ status: 404 });
    expect((await client.conversations.items.retrieve(requestId, within)).type).toBe('mcp_approval_request');
  });

  it('a denied call appears only as the answer of the model', async () => {
    const { id, requestId } = await asked();
    const response = await answer(id, requestId, false);
    expect(response.output.map(({ type }) => type)).toEqual(['message']);
  });

  it.each(['items', 'references'])(
    'an answer is accepted in a conversation that the client sends again: %s',
    async (form) => {
      const { id, requestId } = await asked();
      const [request] = (await client.responses.retrieve(id)).output;
      const response = await answer(id, requestId, true);
      const [call, said] = response.output;
      const again = [
        request,
        { type: 'mcp_approval_response', approval_request_id: requestId, approve: true },
        call,
        said,
      ];
      const later = await client.responses.create({
        model: 'x',
        input: [
          { role: 'user', content: 'open the window' },
          ...again.map((item) =>
            form === 'references' && item && 'id' in item ? { type: 'item_reference', id: item.id } : item,
          ),
          { role: 'user', content: 'Is it open?' },
        ] as OpenAI.Responses.ResponseInput,
      });
      expect(later.output_text).toBe('It is.');
    },
  );

  it('an answer to the request of another conversation is refused', async () => {
    const [{ id }, { requestId }] = [await asked(), await asked()];
    await expect(answer(id, requestId, true)).rejects.toMatchObject({ status: 404, param: 'input' });
  });

  it('an approval request can be removed from its conversation', async () => {
    const { id } = await client.conversations.create();
    const { output } = await client.responses.create({ model: 'x', conversation: id, input: 'open the window' });
    await client.conversations.items.delete(output[0]?.id ?? '', { conversation_id: id });
    const items = await client.conversations.items.list(id);
    expect(items.data.map(({ type }) => type)).not.toContain('mcp_approval_request');
  });

  it('an answer to an unknown request is refused', async () => {
    const { id } = await asked();
    await expect(answer(id, 'apr_none', true)).rejects.toMatchObject({ status: 404, param: 'input' });
  });
});

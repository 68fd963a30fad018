import type OpenAI from 'openai';
import { itWithoutAuthentication } from '../../support/caller.js';
import { describeOnDatabases } from '../../support/databases.js';
import { GoldenTools } from '../../support/golden-scripts.js';
import { openaiClient, toolScript } from '../../support/openai-client.js';
import { startServer, type TestServer } from '../../support/server.js';

const USER = 'alice';

describeOnDatabases('a conversation that was created without a user and is used with one', (open) => {
  let server: TestServer;
  let client: OpenAI;

  beforeAll(async () => {
    server = await startServer({
      database: open,
      model: (upstream) => {
        const call = [{ name: 'open_window', arguments: '{"room":"kitchen"}', id: 'c1' }];
        toolScript(upstream, 'open the window', call, 'As you say.');
        upstream.onMessage('hello', { content: 'Hi.' });
      },
      providers: [GoldenTools],
    });
    client = openaiClient(server);
  });
  afterAll(() => server.close());

  const approval = (id: string, approve = true) => ({
    type: 'mcp_approval_response' as const,
    approval_request_id: id,
    approve,
  });

  /** A conversation with an open approval request, all of it in the name of the user. */
  async function asked(): Promise<{ conversation: string; response: string; request: string }> {
    const { id: conversation } = await client.conversations.create();
    const body = { model: 'x', conversation, user: USER, input: 'open the window', background: true };
    let response = await client.responses.create(body);
    while (response.status === 'queued' || response.status === 'in_progress') {
      response = await client.responses.retrieve(response.id);
    }
    const request = response.output[0]?.id ?? '';
    expect(response.output[0]?.type).toBe('mcp_approval_request');
    return { conversation, response: response.id, request };
  }

  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'x-user-id': USER, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };

  itWithoutAuthentication.each([true, false])('an approval request is answered: %s', async (approve) => {
    const { conversation, request } = await asked();
    const input = [approval(request, approve)];
    const response = await client.responses.create({ model: 'x', conversation, user: USER, input });
    const types = response.output.map(({ type }) => type);
    expect(types).toEqual(approve ? ['mcp_call', 'message'] : ['message']);
  });

  itWithoutAuthentication('an approval request is answered after its response, or without naming either', async () => {
    const first = await asked();
    const after = { previous_response_id: first.response, user: USER, input: [approval(first.request)] };
    expect((await client.responses.create({ model: 'x', ...after })).output_text).toBe('As you say.');
    const second = await asked();
    const alone = { user: USER, input: [approval(second.request)] };
    expect((await client.responses.create({ model: 'x', ...alone })).output_text).toBe('As you say.');
  });

  itWithoutAuthentication('it is continued, and forked, by its responses', async () => {
    const { id: conversation } = await client.conversations.create();
    const body = { model: 'x', user: USER, input: 'hello' };
    const first = await client.responses.create({ ...body, conversation });
    const second = await client.responses.create({ ...body, previous_response_id: first.id });
    const fork = await client.responses.create({ ...body, previous_response_id: first.id });
    const more = await client.responses.create({ ...body, previous_response_id: fork.id });
    expect([second, fork, more].map(({ output_text: text }) => text)).toEqual(['Hi.', 'Hi.', 'Hi.']);
    const { data } = await client.conversations.items.list(conversation);
    expect(data).toHaveLength(4);
    const referred = [{ type: 'item_reference' as const, id: data.at(-1)?.id ?? '' }];
    const again = { ...body, conversation, input: [...referred, { role: 'user' as const, content: 'hello' }] };
    expect((await client.responses.create(again)).output_text).toBe('Hi.');
    expect((await client.responses.inputTokens.count({ ...again, input: referred })).input_tokens).toBeGreaterThan(0);
  });

  itWithoutAuthentication('a repeated request with an idempotency key gets its response', async () => {
    const { id: conversation } = await client.conversations.create();
    const body = { model: 'x', conversation, user: USER, input: 'hello' };
    const options = { headers: { 'idempotency-key': `key-${conversation}` } };
    const { id } = await client.responses.create(body, options);
    expect((await client.responses.create(body, options)).id).toBe(id);
  });

  itWithoutAuthentication(
    'its responses are read, watched, cancelled and removed in the name of the user',
    async () => {
      const { response, request } = await asked();
      for (const path of [`/v1/responses/${response}`, `/v1/responses/${response}/input_items`]) {
        expect(await call('GET', path)).toMatchObject({ status: 200 });
      }
      // Whoever watches names nobody: a run is shown only to its user if the request names one.
      const watched = await fetch(`${server.url}/runs/${response}/events?protocol=ag-ui`);
      expect(await watched.text()).toContain('RUN_FINISHED');
      expect(await call('GET', `/approvals/${request}?user_id=${USER}`)).toMatchObject({ status: 200 });
      expect(await call('POST', `/approvals/${request}?user_id=${USER}`, { approve: true })).toMatchObject({
        status: 200,
      });
      expect(await call('POST', `/v1/responses/${response}/cancel`)).toMatchObject({ status: 200 });
      expect(await call('DELETE', `/v1/responses/${response}`)).toMatchObject({ status: 200 });
    },
  );

  itWithoutAuthentication('what belongs to another user is not found', async () => {
    const body = { model: 'x', user: 'bob', input: 'hello' };
    const { id } = await client.responses.create(body);
    expect(await call('GET', `/v1/responses/${id}`)).toMatchObject({ status: 404 });
    expect(await call('GET', `/runs/${id}/events`)).toMatchObject({ status: 404 });
    await expect(client.responses.create({ ...body, user: USER, previous_response_id: id })).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
    });
  });
});

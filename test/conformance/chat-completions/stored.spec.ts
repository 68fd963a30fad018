import OpenAI from 'openai';
import { type ModelRequest } from '../../../src/agent/index.js';
import { call, finish, ScriptedModelClient, text } from '../../../src/agent/testing/scripted-model-client.js';
import { GOLDEN_CLIENT_TOOL } from '../../support/golden.js';
import { startServer, type TestServer } from '../../support/server.js';

const MAP = { type: 'function' as const, function: { ...GOLDEN_CLIENT_TOOL } };

function answer({ messages }: ModelRequest) {
  const last = JSON.stringify(messages.at(-1));
  if (last.includes('map')) return [call(0, 'show_map', '{"place":"Paris"}', 'call_m'), finish('tool-calls')];
  if (last.includes('fail')) return [{ type: 'throw' as const, error: new Error('gone') }];
  return [text('Hello.'), finish()];
}

/** Completions that requests ask to store (contract chat-completions, sections A1 and B4). */
describe('stored completions', () => {
  let server: TestServer;
  let client: OpenAI;

  beforeAll(async () => {
    server = await startServer({ model: new ScriptedModelClient(answer) });
    client = new OpenAI({ apiKey: 'any', baseURL: `${server.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => server.close());

  const make = (content: string, fields: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
    client.chat.completions.create({ model: 'worker', messages: [{ role: 'user', content }], ...fields });
  const idsOf = async (query: OpenAI.Chat.Completions.ChatCompletionListParams) => {
    const ids: string[] = [];
    for await (const { id } of client.chat.completions.list(query)) ids.push(id);
    return ids;
  };

  it('only those with store: true are listed, retrieved and changed', async () => {
    const [absent, not, stored] = [
      await make('one'),
      await make('two', { store: false }),
      await make('three', { store: true, metadata: { topic: 'first' } }),
    ];
    expect(stored).toMatchObject({ metadata: { topic: 'first' } });
    for (const { id } of [absent, not]) {
      await expect(client.chat.completions.retrieve(id)).rejects.toMatchObject({ status: 404 });
      await expect(client.chat.completions.update(id, { metadata: {} })).rejects.toMatchObject({ status: 404 });
      await expect(client.chat.completions.delete(id)).rejects.toMatchObject({ status: 404 });
    }
    expect(await client.chat.completions.retrieve(stored.id)).toEqual(stored);
    expect(await idsOf({})).toEqual([stored.id]);
  });

  it('lists are paged, oldest first, and filtered by model and metadata', async () => {
    const made: string[] = [];
    for (const [index, quote] of ['a"b', 'a_b', 'a%b', 'ä\n'].entries()) {
      const metadata = { quote, parity: index % 2 === 0 ? 'even' : 'odd' };
      made.push((await make('x', { model: 'gpt-9', store: true, metadata })).id);
    }
    expect(await idsOf({ model: 'gpt-9' })).toEqual(made);
    expect(await idsOf({ model: 'gpt-9', limit: 1 })).toEqual(made);
    expect(await idsOf({ model: 'gpt-9', order: 'desc' })).toEqual(made.toReversed());
    expect(await idsOf({ metadata: { quote: 'a"b' } })).toEqual(made.slice(0, 1));
    expect(await idsOf({ metadata: { quote: 'a_b' } })).toEqual(made.slice(1, 2));
    expect(await idsOf({ metadata: { quote: 'ä\n' } })).toEqual(made.slice(3));
    expect(await idsOf({ metadata: { quote: 'b' } })).toEqual([]);
    expect(await idsOf({ metadata: { parity: 'odd', quote: 'a_b' } })).toEqual(made.slice(1, 2));
    const page = await (await fetch(`${server.url}/v1/chat/completions?model=gpt-9&limit=3`)).json();
    expect(page).toMatchObject({ object: 'list', has_more: true, first_id: made[0], last_id: made[2] });
    await expect(client.chat.completions.list({ after: 'chatcmpl-none' })).rejects.toMatchObject({
      status: 400,
      param: 'after',
      code: 'invalid_value',
    });
    for (const query of ['limit=0', 'limit=101', 'order=up', 'metadata[a]=1&metadata[a]=2']) {
      const { status } = await fetch(`${server.url}/compatible-mode/v1/chat/completions?${query}`);
      expect([query, status]).toEqual([query, 400]);
    }
  });

  it('metadata can be replaced', async () => {
    const { id } = await make('x', { store: true, metadata: { version: 'old', kept: 'no' } });
    const changed = await client.chat.completions.update(id, { metadata: { version: 'new' } });
    expect(changed).toMatchObject({ id, metadata: { version: 'new' } });
    expect(await idsOf({ metadata: { version: 'new' } })).toEqual([id]);
    expect(await idsOf({ metadata: { version: 'old' } })).toEqual([]);
    for (const metadata of [5, { a: 1 }, undefined]) {
      const update = client.chat.completions.update(id, { metadata } as never);
      await expect(update).rejects.toMatchObject({ status: 400 });
    }
  });

  it('the messages are those of the request', async () => {
    const { id } = await client.chat.completions.create({
      model: 'worker',
      store: true,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'Where?', name: 'Ana' },
        {
          role: 'assistant',
          name: 'Guide',
          content: 'Let me see.',
          tool_calls: ['c0', 'c1'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Paris' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
      ],
    });
    const { data } = await client.chat.completions.messages.list(id);
    expect(data).toMatchObject([
      { role: 'system', content: 'Be brief.', content_parts: null },
      { role: 'system', content: 'Be kind.', name: null },
      { role: 'user', content: 'Where?', name: 'Ana' },
      { role: 'assistant', name: 'Guide', content: 'Let me see.', tool_calls: [{ id: 'c0' }, { id: 'c1' }] },
      { role: 'tool', content: 'Paris', tool_call_id: 'c1' },
      { role: 'user', content: 'And this?', content_parts: [{ type: 'text' }, { type: 'image_url' }] },
    ]);
    expect(new Set(data.map((one) => one.id)).size).toBe(6);
    const [second] = (await client.chat.completions.messages.list(id, { limit: 1, after: data[0]?.id ?? '' })).data;
    expect(second).toEqual(data[1]);
    const [newest] = (await client.chat.completions.messages.list(id, { limit: 1, order: 'desc' })).data;
    expect(newest).toEqual(data[5]);
  });

  it('a completion that asks for calls has them when it is read again', async () => {
    const asked = await make('map', { store: true, tools: [MAP] });
    expect(asked.choices[0]?.message.tool_calls).toHaveLength(1);
    expect(await client.chat.completions.retrieve(asked.id)).toEqual(asked);
  });

  it('a failed completion is not stored', async () => {
    await expect(make('fail', { store: true, metadata: { outcome: 'failed' } })).rejects.toMatchObject({ status: 400 });
    expect(await idsOf({ metadata: { outcome: 'failed' } })).toEqual([]);
  });

  it('a deleted completion is gone, and so is its run', async () => {
    const { id } = await make('x', { store: true });
    expect(await client.chat.completions.delete(id)).toEqual({ id, object: 'chat.completion.deleted', deleted: true });
    await expect(client.chat.completions.retrieve(id)).rejects.toMatchObject({
      status: 404,
      code: 'completion_not_found',
    });
    expect((await fetch(`${server.url}/runs/${id}/events`)).status).toBe(404);
  });

  it('stateless conversations are in no list of sessions, and named ones are', async () => {
    await make('x', { store: true });
    await client.chat.completions.create(
      { model: 'worker', messages: [{ role: 'user', content: 'x' }] },
      { headers: { 'X-Session-Id': 'listed-one' } },
    );
    const listed = await fetch(`${server.url}/api/v1/sessions`);
    const sessions = (await listed.json()) as { data: { id: string }[] };
    expect(sessions.data.map(({ id }) => id)).toEqual(['listed-one']);
  });
});

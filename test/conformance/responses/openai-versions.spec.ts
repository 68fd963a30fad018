import { Injectable } from '@nestjs/common';
import OpenAI6 from 'openai';
import type { ResponseInput, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { ResponsesWS as ResponsesWS6 } from 'openai/resources/responses/ws';
import OpenAI7 from 'openai7';
import { ResponsesWS as ResponsesWS7 } from 'openai7/resources/responses/ws';
import { AgentTool, type ToolContext } from '../../../src/agent/tools/index.js';
import { GoldenTools } from '../../support/golden-scripts.js';
import { openaiUrl, toolScript } from '../../support/openai-client.js';
import { startServer, type TestServer } from '../../support/server.js';

const SKY = 'The sky is blue today.';
const LOOKUP = {
  type: 'function' as const,
  name: 'lookup',
  parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
  strict: true,
};

/** A tool whose calls last until their run is cancelled. */
@Injectable()
class Holding {
  @AgentTool({ description: 'Holds on', effects: 'none', parameters: { type: 'object' } })
  async hold(_args: object, { signal }: ToolContext): Promise<string> {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return 'let go';
  }
}

describe.each([
  ['6', OpenAI6, ResponsesWS6],
  ['7', OpenAI7 as unknown as typeof OpenAI6, ResponsesWS7 as unknown as typeof ResponsesWS6],
])('openai %s', (_, OpenAI, ResponsesWS) => {
  let server: TestServer;
  let client: OpenAI6;

  beforeAll(async () => {
    server = await startServer({
      model: (upstream) => {
        upstream.onMessage('plain text', { content: SKY });
        upstream.onMessage('reasoned text', { content: 'So it is.', reasoning: 'Let me think.' });
        upstream.onMessage('cut text', { content: 'So far', finishReason: 'length' });
        upstream.onMessage('refused text', { content: '', finishReason: 'content_filter' });
        upstream.onMessage('server error', { error: { message: 'secret', type: 'server_error' }, status: 500 });
        const lookups = ['7', '8'].map((id) => ({ name: 'lookup', arguments: `{"id":"${id}"}`, id: `call_${id}` }));
        toolScript(upstream, 'client tools', lookups, 'Both.');
        const read = [{ name: 'read_thermometer', arguments: '{"city":"Paris"}', id: 'c3' }];
        toolScript(upstream, 'server tool', read, 'Warm.');
        toolScript(upstream, 'hold on', [{ name: 'hold', arguments: '{}', id: 'c5' }], 'Let go.');
        const open = [{ name: 'open_window', arguments: '{"room":"hall"}', id: 'c4' }];
        toolScript(upstream, 'open the window', open, 'Open.');
      },
      providers: [GoldenTools, Holding],
    });
    client = new OpenAI({ apiKey: 'any', baseURL: openaiUrl(server), maxRetries: 0 });
  });
  afterAll(() => server.close());

  it.each([
    ['plain text', 'completed', ['message']],
    ['reasoned text', 'completed', ['reasoning', 'message']],
    ['client tools', 'completed', ['function_call', 'function_call']],
    ['server tool', 'completed', ['mcp_call', 'message']],
    ['open the window', 'completed', ['mcp_approval_request']],
    ['cut text', 'incomplete', ['message']],
    ['refused text', 'incomplete', ['message']],
    ['server error', 'failed', []],
  ])('the client accumulates a stream to the stored response: %s', async (input, status, types) => {
    const stream = client.responses.stream({ model: 'x', input, tools: [LOOKUP] });
    const final = await stream.finalResponse();
    expect({ status: final.status, types: final.output.map(({ type }) => type) }).toEqual({ status, types });
    const stored = await client.responses.retrieve(final.id);
    expect(JSON.parse(JSON.stringify(stored.output))).toMatchObject(final.output.map(({ id, type }) => ({ id, type })));
    expect(stored.output_text).toBe(final.output_text);
  });

  it('a refusal arrives as such', async () => {
    const stream = client.responses.stream({ model: 'x', input: 'refused text' });
    let refusal = '';
    stream.on('response.refusal.delta', ({ delta }) => (refusal += delta));
    const final = await stream.finalResponse();
    expect(refusal).not.toBe('');
    expect(final).toMatchObject({
      incomplete_details: { reason: 'content_filter' },
      output: [{ content: [{ type: 'refusal', refusal }] }],
    });
    expect((await client.responses.create({ model: 'x', input: 'refused text' })).output[0]).toMatchObject({
      content: [{ type: 'refusal', refusal }],
    });
  });

  it('a stream that another request cancels ends as cancelled', async () => {
    const stream = client.responses.stream({ model: 'x', input: 'hold on', background: true });
    const created = new Promise<string>((resolve) =>
      stream.on('response.created', ({ response }) => resolve(response.id)),
    );
    await client.responses.cancel(await created);
    const final = await stream.finalResponse();
    expect(final.status).toBe('cancelled');
    expect((await client.responses.retrieve(final.id)).status).toBe('cancelled');
  });

  it('a second response of a busy conversation is refused', async () => {
    const { id } = await client.conversations.create();
    const body = { model: 'x', conversation: id };
    const slow = await client.responses.create({ ...body, input: 'hold on', background: true });
    const second = client.responses.create({ ...body, input: 'plain text' });
    await expect(second).rejects.toMatchObject({ status: 400, code: 'conversation_locked', param: 'conversation' });
    await client.responses.cancel(slow.id);
    expect((await client.responses.create({ ...body, input: 'plain text' })).output_text).toBe(SKY);
  });

  it('texts have their phases', async () => {
    const { output } = await client.responses.create({ model: 'x', input: 'plain text' });
    expect(output).toMatchObject([{ type: 'message', phase: 'final_answer' }]);
    const input = [{ role: 'user', content: 'plain text' }, ...output, { role: 'user', content: 'go' }];
    const repeated = await client.responses.create({ model: 'x', input: input as ResponseInput });
    const listed = await client.responses.inputItems.list(repeated.id, { order: 'asc' });
    expect(listed.data.slice(0, 2)).toMatchObject([{ role: 'user' }, { role: 'assistant', phase: 'final_answer' }]);
    expect(listed.data[0]).not.toHaveProperty('phase');
  });

  it('the WebSocket transport works', async () => {
    const socket = new ResponsesWS(client);
    const events: ResponseStreamEvent[] = [];
    const over = new Promise<void>((resolve) => socket.on('response.completed', () => resolve()));
    socket.on('event', (event) => events.push(event));
    socket.send({ type: 'response.create', model: 'x', input: 'plain text' });
    await over;
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_event, index) => index));
    const failed = new Promise<Error>((resolve) => socket.on('error', resolve));
    socket.send({ type: 'response.create', model: 'x', input: 'plain text', previous_response_id: 'resp_none' });
    expect((await failed).message).toContain('resp_none');
    socket.close();
  });
});

/** A model server that does what a trial asks for, so that pictures show a model that works. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * The part of a request that an answer depends on.
 *
 * @typedef {{
 *   model: string, tools?: readonly unknown[], response_format?: unknown,
 *   messages: readonly { role: string, content?: unknown }[],
 * }} ChatRequest
 */

/** Starts it on loopback. @returns its base URL, and what ends it */
export async function sampleModel() {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    void text(request).then((body) => {
      /** @type {ChatRequest} */
      const asked = JSON.parse(body);
      const { model } = asked;
      const { delta, reason } = answerTo(asked);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const usage = { prompt_tokens: 64, completion_tokens: 12, total_tokens: 76 };
      const choices = [{ index: 0, delta, finish_reason: reason }];
      response.end(`data: ${JSON.stringify({ model: `${model}-2026-11`, choices, usage })}\n\ndata: [DONE]\n\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/v1`, close };
}

/** @param {ChatRequest} asked */
function answerTo({ messages, tools, response_format: format }) {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { delta: { content: 'It is 21 degrees.' }, reason: 'stop' };
  if (tools?.length) {
    const call = { name: 'get_temperature', arguments: '{"city":"Paris"}' };
    return {
      delta: { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] },
      reason: 'tool_calls',
    };
  }
  if (format) return { delta: { content: '{"answer":5}' }, reason: 'stop' };
  const question = JSON.stringify(last?.content ?? '');
  if (question.includes('image_url')) return { delta: { content: 'Red' }, reason: 'stop' };
  return question.includes('Count')
    ? { delta: { content: '1\n2\n3\n4' }, reason: 'length' }
    : { delta: { content: 'ready' }, reason: 'stop' };
}

import { randomUUID } from 'node:crypto';
import { begin, end, rawUpstream, type RawUpstream } from '../../src/agent/adapters/testing/raw-upstream.js';
import { startServer, type TestServer } from '../support/server.js';
import { RUNS_USER, type WireRequest, WIRES } from '../support/wires.js';

const IMAGE = 'https://images.example/drawn.png';
const SOURCE = { url: 'https://sources.example/page', title: 'A page', start_index: 0, end_index: 5 };

describe('an answer with an image and a source', () => {
  let upstream: RawUpstream;
  let server: TestServer;

  beforeAll(async () => {
    upstream = await rawUpstream((response) => {
      begin(
        response,
        { role: 'assistant', content: 'Here:' },
        { content: '', images: [{ type: 'image_url', image_url: { url: IMAGE } }] },
        { annotations: [{ type: 'url_citation', url_citation: SOURCE }] },
      );
      end(response);
    });
    server = await startServer({ env: { LLM_BASE_URL: upstream.url, LLM_MODEL: 'demo', LLM_START_CHECK: 'false' } });
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  async function stream({ path, body, headers = [] }: WireRequest): Promise<string> {
    const further = headers.map((line) => line.split(': ') as [string, string]);
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...Object.fromEntries(further) },
      body: JSON.stringify(body),
    });
    return answer.text();
  }

  it.each(WIRES.map((wire) => [wire.name, wire] as const))('reaches the client over %s', async (name, wire) => {
    const sessionId = randomUUID();
    await stream({
      path: '/v1/aibot/bots/worker/conversation',
      body: { conversationId: sessionId },
      headers: [`x-user-id: ${RUNS_USER}`],
    });
    const say = (words: string, turn: number): Promise<string> =>
      stream(wire.say({ sessionId, words, turn, user: RUNS_USER }));
    const answer = await say('Draw', 1);
    // AG-Kit has frames for text only.
    if (name !== 'ag-kit') expect(answer).toContain(IMAGE);
    if (['agent-api', 'responses', 'chat-completions', 'ai-sdk'].includes(name)) expect(answer).toContain(SOURCE.url);
    await say('Blue, please', 2);
    const { messages } = upstream.seen.at(-1)?.body as { messages: { role: string; content: unknown }[] };
    const [first, drawn, ...rest] = messages.filter(({ role }) => role !== 'system');
    expect([first?.role, drawn]).toEqual(['user', { role: 'assistant', content: 'Here:\n[image 1 of 1]' }]);
    expect(rest).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: '[The image of your answer:]' },
          { type: 'image_url', image_url: { url: IMAGE } },
          { type: 'text', text: 'Blue, please' },
        ],
      },
    ]);
  });
});

import fc from 'fast-check';
import { Database } from '../../../src/database/index.js';
import { describeOnDatabases } from '../../support/databases.js';
import { brokenBodies, noBodies, oddBodies, type Place } from '../../support/odd-json.js';
import { startServer, type TestServer } from '../../support/server.js';

const BODIES = { sqlite: 2000, postgres: 300 };
const JSON_TYPE = { 'content-type': 'application/json' };

/** The places of a good body in which something odd is put. */
const PLACES: readonly Place[] = [
  ...['id', 'messages', 'message', 'trigger', 'messageId', 'tools', 'system', 'agentId', 'answers', 'clientTime'],
  ...['locale', 'state', 'metadata', '__proto__', 'constructor'],
]
  .map((name): Place => [name])
  .concat([
    ['messages', 0],
    ['messages', 0, 'parts'],
    ['messages', 1, 'parts', 0, 'type'],
    ['messages', 1, 'parts', 0, 'output'],
    ['messages', 2],
    ['messages', 2, 'id'],
    ['messages', 2, 'role'],
    ['messages', 2, 'content'],
    ['messages', 2, 'metadata'],
    ['messages', 2, 'parts'],
    ['messages', 2, 'parts', 0],
    ['messages', 2, 'parts', 0, 'type'],
    ['messages', 2, 'parts', 0, 'text'],
    ['messages', 2, 'parts', 1, 'url'],
    ['messages', 2, 'parts', 1, 'mediaType'],
    ['messages', 2, 'parts', 1, 'filename'],
    ['messages', 2, 'parts', 2, 'data'],
    ['messages', 2, 'parts', 2, 'type'],
    ['tools', 0],
    ['tools', 0, 'name'],
    ['tools', 0, 'inputSchema'],
    ['answers', 0],
    ['answers', 0, 'interruptId'],
    ['clientTime', 'client_epoch_ms'],
  ]);

function goodBody(): Record<string, unknown> {
  return {
    id: 'malformed',
    trigger: 'submit-message',
    messages: [
      { id: 'a', role: 'user', parts: [{ type: 'text', text: 'hello' }] },
      {
        id: 'b',
        role: 'assistant',
        parts: [{ type: 'tool-x', toolCallId: 'k', state: 'output-available', input: {}, output: 1 }],
      },
      {
        id: 'c',
        role: 'user',
        metadata: { a: 1 },
        parts: [
          { type: 'text', text: 'hello' },
          { type: 'file', url: 'data:image/png;base64,AAAA', mediaType: 'image/png' },
          { type: 'data-x', data: {} },
        ],
      },
    ],
    tools: [{ name: 'f', inputSchema: { type: 'object', properties: {} } }],
    metadata: { topic: 'x' },
  };
}

/** The same with an answer of the page as its last message. */
function answeringBody(): Record<string, unknown> {
  const approval = { id: 'apr_1', approved: true };
  const part = { type: 'dynamic-tool', toolName: 'f', toolCallId: 'k', state: 'approval-responded', approval };
  return { id: 'malformed', messages: [{}, {}, { id: 'c', role: 'assistant', parts: [part, { ...part }, {}] }] };
}

const mutated = oddBodies([goodBody, answeringBody], PLACES);
const broken = brokenBodies(mutated);

const anything = fc.oneof(
  { weight: 6, arbitrary: mutated },
  { weight: 2, arbitrary: broken },
  { weight: 2, arbitrary: noBodies },
);

/** What is not understood is refused by name (contract ui-message-stream, section A6). */
describeOnDatabases('malformed bodies on the AI SDK', (open) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ database: open });
  });
  afterAll(() => server.close());

  it('never cause a 5xx, and what is refused is the common error', async () => {
    let refused = 0;
    let count = 0;
    await fc.assert(
      fc.asyncProperty(anything, fc.constantFrom('/ai-sdk', '/ai-sdk/agents/worker'), async (payload, url) => {
        // Each in a chat of its own, unless the id is what is odd.
        const own =
          typeof payload === 'string' ? payload.replace('"id":"malformed"', `"id":"chat-${(count += 1)}"`) : payload;
        const answer = await server.app.inject({ method: 'POST', url, headers: JSON_TYPE, payload: own });
        expect([200, 400, 404, 409, 413]).toContain(answer.statusCode);
        if (answer.statusCode === 200) return;
        refused += 1;
        expect(answer.json()).toMatchObject({
          code: expect.stringMatching(/^[A-Z_]+$/) as string,
          message: expect.stringMatching(/./) as string,
        });
      }),
      { numRuns: BODIES[server.get(Database).dialect], endOnFailure: true },
    );
    expect(refused).toBeGreaterThan(BODIES[server.get(Database).dialect] / 4);
  }, 600_000);
});

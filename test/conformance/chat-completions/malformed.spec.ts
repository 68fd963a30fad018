import fc from 'fast-check';
import { Database } from '../../../src/database/index.js';
import { describeOnDatabases } from '../../support/databases.js';
import { brokenBodies, noBodies, oddBodies, type Place } from '../../support/odd-json.js';
import { startServer, type TestServer } from '../../support/server.js';

const BODIES = { sqlite: 3000, postgres: 300 };
const JSON_TYPE = { 'content-type': 'application/json' };

/** The places of a good body in which something odd is put. */
const PLACES: readonly Place[] = [
  ...['model', 'messages', 'stream', 'stream_options', 'temperature', 'top_p', 'presence_penalty', 'seed', 'stop'],
  ...['max_tokens', 'max_completion_tokens', 'reasoning_effort', 'response_format', 'tools', 'tool_choice', 'n'],
  ...['parallel_tool_calls', 'logprobs', 'top_logprobs', 'logit_bias', 'modalities', 'audio', 'functions', 'user'],
  ...['function_call', 'safety_identifier', 'store', 'metadata', 'prediction', '__proto__', 'constructor'],
]
  .map((name): Place => [name])
  .concat([
    ['stop', 0],
    ['messages', 0],
    ['messages', 0, 'role'],
    ['messages', 0, 'content'],
    ['messages', 1, 'content', 0],
    ['messages', 1, 'content', 0, 'type'],
    ['messages', 1, 'content', 0, 'text'],
    ['messages', 1, 'content', 1, 'image_url'],
    ['messages', 1, 'content', 1, 'image_url', 'url'],
    ['messages', 1, 'content', 2, 'input_audio', 'data'],
    ['messages', 1, 'content', 3, 'file'],
    ['messages', 1, 'content', 3, 'file', 'file_id'],
    ['messages', 1, 'content', 3, 'file', 'file_data'],
    ['messages', 2, 'content'],
    ['messages', 2, 'refusal'],
    ['messages', 2, 'tool_calls'],
    ['messages', 2, 'tool_calls', 0, 'id'],
    ['messages', 2, 'tool_calls', 0, 'function'],
    ['messages', 2, 'tool_calls', 0, 'function', 'arguments'],
    ['messages', 3, 'tool_call_id'],
    ['messages', 3, 'content'],
    ['tools', 0],
    ['tools', 0, 'type'],
    ['tools', 0, 'function', 'name'],
    ['tools', 0, 'function', 'parameters'],
    ['tools', 0, 'function', 'parameters', 'properties'],
    ['tool_choice', 'function', 'name'],
    ['response_format', 'json_schema', 'schema'],
    ['metadata', 'session_id'],
    ['metadata', 'topic'],
  ]);

function goodBody(): Record<string, unknown> {
  return {
    model: 'worker',
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hello' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          { type: 'file', file: { file_data: 'AAAA', filename: 'a.txt' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
    tool_choice: { type: 'function', function: { name: 'f' } },
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    stop: ['x'],
    metadata: { topic: 'x' },
  };
}

const mutated = oddBodies([goodBody], PLACES);
const broken = brokenBodies(mutated);

const nested = fc.integer({ min: 70, max: 3000 }).map((depth) => {
  const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  return JSON.stringify(goodBody()).replace('"metadata"', `"prediction":${deep},"metadata"`);
});

const anything = fc.oneof(
  { weight: 6, arbitrary: mutated },
  { weight: 3, arbitrary: broken },
  { weight: 1, arbitrary: nested },
  { weight: 2, arbitrary: noBodies },
);

/** What is not understood is refused by name (contract chat-completions, section A10). */
describeOnDatabases('malformed bodies on Chat Completions', (open) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ database: open });
  });
  afterAll(() => server.close());

  it('never cause a 5xx, and what is refused is an error of this protocol', async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(anything, fc.constantFrom('/v1', '/compatible-mode/v1'), async (payload, prefix) => {
        const answer = await server.app.inject({
          method: 'POST',
          url: `${prefix}/chat/completions`,
          headers: JSON_TYPE,
          payload,
        });
        expect([200, 400, 413]).toContain(answer.statusCode);
        if (answer.statusCode === 200) return;
        refused += 1;
        const { error } = answer.json<{ error: Record<string, unknown> }>();
        expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
        expect(error).toMatchObject({
          message: expect.stringMatching(/./) as string,
          type: 'invalid_request_error',
          code: expect.stringMatching(/^[a-z_]+$/) as string,
        });
      }),
      { numRuns: BODIES[server.get(Database).dialect], endOnFailure: true },
    );
    expect(refused).toBeGreaterThan(BODIES[server.get(Database).dialect] / 4);
  }, 300_000);
});

import fc from 'fast-check';
import { Database } from '../../../src/database/index.js';
import { describeOnDatabases } from '../../support/databases.js';
import { runInput } from '../../support/runs-client.js';
import { brokenBodies, noBodies, odd, oddBodies, type Place, put } from '../../support/odd-json.js';
import { startServer, type TestServer } from '../../support/server.js';

/** Refused bodies never reach the database: the second one needs fewer. */
const BODIES = { sqlite: 5000, postgres: 500 };
const JSON_TYPE = { 'content-type': 'application/json' };
const THREAD = '550e8400-e29b-41d4-a716-446655440000';

/** The places of a good body in which something odd is put. */
const PLACES: readonly Place[] = [
  ['threadId'],
  ['runId'],
  ['parentRunId'],
  ['state'],
  ['messages'],
  ['messages', 0],
  ['messages', 1],
  ['messages', 0, 'id'],
  ['messages', 0, 'role'],
  ['messages', 0, 'name'],
  ['messages', 0, 'content'],
  ['messages', 0, 'content', 0],
  ['messages', 0, 'content', 0, 'type'],
  ['messages', 0, 'content', 0, 'mimeType'],
  ['messages', 0, 'content', 0, 'url'],
  ['messages', 0, 'content', 0, 'source'],
  ['messages', 1, 'toolCalls'],
  ['messages', 1, 'toolCalls', 0, 'function'],
  ['tools'],
  ['tools', 0],
  ['tools', 0, 'parameters'],
  ['context'],
  ['context', 0, 'value'],
  ['forwardedProps'],
  ['forwardedProps', 'agent_type'],
  ['forwardedProps', 'client_time'],
  ['forwardedProps', 'client_time', 'device_timezone'],
  ['forwardedProps', 'client_time', 'client_now_iso'],
  ['forwardedProps', 'client_time', 'client_epoch_ms'],
  ['__proto__'],
  ['constructor'],
  ['run_id'],
];

function goodBody(): Record<string, unknown> {
  return runInput('hello', {
    threadId: THREAD,
    messages: [
      {
        id: 'u',
        role: 'user',
        content: [{ type: 'image', mimeType: 'image/png', url: 'x', source: { type: 'url', value: 'x' } }],
      },
      {
        id: 'a',
        role: 'assistant',
        toolCalls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }],
      },
    ],
    tools: [{ name: 'f', description: '', parameters: {} }],
    context: [{ description: 'd', value: 'v' }],
    forwardedProps: {
      agent_type: 'nobody',
      client_time: { device_timezone: 'UTC', client_now_iso: '2026-03-16T09:12:33Z', client_epoch_ms: 1 },
    },
  });
}

const mutated = oddBodies([goodBody], PLACES);
const broken = brokenBodies(mutated);

/** JSON text that says a key twice. */
const doubled = fc
  .tuple(fc.constantFrom('threadId', 'runId', 'messages', 'forwardedProps', 'state'), odd)
  .map(([key, value]) =>
    JSON.stringify(goodBody()).replace(/^\{/, `{${JSON.stringify(key)}:${JSON.stringify(value)},`),
  );

const nested = fc.tuple(fc.integer({ min: 70, max: 3000 }), fc.boolean()).map(([depth, isList]) => {
  const state = isList ? `${'['.repeat(depth)}${']'.repeat(depth)}` : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  return JSON.stringify(goodBody()).replace('"messages"', `"state":${state},"messages"`);
});

const hugeNumber = fc
  .constantFrom('1e999', '-1e999', '9'.repeat(400), '0.1e-999', '1E400')
  .map((number) => JSON.stringify(goodBody()).replace('"client_epoch_ms":1', `"client_epoch_ms":${number}`));

const anything = fc.oneof(
  { weight: 5, arbitrary: mutated },
  { weight: 3, arbitrary: broken },
  { weight: 1, arbitrary: doubled },
  { weight: 1, arbitrary: nested },
  { weight: 1, arbitrary: hugeNumber },
  { weight: 2, arbitrary: noBodies },
);

describeOnDatabases('malformed bodies on the Runs API', (open) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ database: open });
  });
  afterAll(() => server.close());

  it('thousands of invalid bodies are refused with a clear error and store nothing', async () => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(anything, async (payload) => {
        const answer = await server.app.inject({
          method: 'POST',
          url: '/api/v1/agent/runs',
          headers: JSON_TYPE,
          payload,
        });
        statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
        expect([400, 413, 422]).toContain(answer.statusCode);
        const body: unknown = answer.json();
        expect(body).toEqual({
          code: expect.stringMatching(/^[a-z_]+$/),
          message: expect.stringMatching(/./),
          details: expect.any(Array),
          requestId: expect.any(String),
        });
      }),
      { numRuns: BODIES[server.get(Database).dialect], endOnFailure: true },
    );
    expect([...statuses.keys()].sort()).toEqual([400, 422]);
    const rows = await server
      .get(Database)
      .read.all<{ n: number }>(
        'SELECT (SELECT COUNT(*) FROM sessions) + (SELECT COUNT(*) FROM runs) + (SELECT COUNT(*) FROM messages) AS n',
      );
    expect(Number(rows[0]?.n)).toBe(0);
  }, 300_000);

  it('unusual but valid bodies never cause a 5xx', async () => {
    const places = PLACES.filter(([key]) => key !== 'threadId' && key !== 'runId' && key !== 'forwardedProps');
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        odd,
        fc.string({ unit: 'binary', minLength: 1 }),
        async (place, value, runId) => {
          const body = runInput('hello', { runId: `${(number += 1)} ${runId}` });
          put(body, place, value);
          const send = async () =>
            server.app.inject({
              method: 'POST',
              url: '/api/v1/agent/runs',
              payload: JSON.stringify(body),
              headers: JSON_TYPE,
            });
          const first = await send();
          expect([202, 400, 422]).toContain(first.statusCode);
          const again = await send();
          expect(again.statusCode).toBe(first.statusCode);
          if (first.statusCode === 202) expect(again.json()).toEqual(first.json());
        },
      ),
      { numRuns: 100, endOnFailure: true },
    );
  });
});

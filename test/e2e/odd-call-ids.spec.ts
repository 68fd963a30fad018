import { begin, end, rawUpstream, type RawUpstream } from '../../src/agent/adapters/testing/raw-upstream.js';
import { describeOnDatabases } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';
import { jsonFrames } from '../support/sse.js';

/** A message of a request to the model. */
interface ModelMessage {
  readonly role: string;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

describeOnDatabases('ids of calls that a database cannot store', (open) => {
  let given: string;
  let upstream: RawUpstream;
  let server: TestServer;

  beforeEach(async () => {
    upstream = await rawUpstream(
      (response) => {
        begin(response, {
          tool_calls: [{ index: 0, id: given, function: { name: 'calendar_list', arguments: '{}' } }],
        });
        end(response, 'tool_calls');
      },
      (response) => {
        begin(response, { content: 'Nothing today.' });
        end(response);
      },
    );
    const env = { LLM_BASE_URL: upstream.url, LLM_API_KEY: 'k', LLM_MODEL: 'm' };
    server = await startServer({ database: open, env });
  });
  afterEach(async () => {
    await server.close();
    await upstream.close();
  });

  it.each([
    ['300 characters', 'c'.repeat(300)],
    ['a NUL', 'call\0one'],
    ['half of a surrogate pair', 'call\ud800'],
  ])('a call whose id is or has %s gets another one, and the model is called once more', async (_, id) => {
    given = id;
    const answer = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: [{ role: 'user', content: [{ type: 'text', text: 'What is on today?' }] }] }),
    });
    expect(jsonFrames(await answer.text()).at(-1)).toMatchObject({ object: 'response', status: 'completed' });
    expect(upstream.seen).toHaveLength(2);
    const messages = upstream.seen[1]?.body['messages'] as readonly ModelMessage[];
    const called = messages.flatMap((message) => message.tool_calls ?? []).map((call) => call.id);
    expect(called).toEqual([expect.stringMatching(/^call_\w{8}_0_0$/)]);
    expect(messages.flatMap((message) => message.tool_call_id ?? [])).toEqual(called);
  });
});

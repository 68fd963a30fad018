import { randomUUID } from 'node:crypto';
import { ProbedServer } from '../support/loop-delay.js';

jest.setTimeout(300_000);

/** The longest that others may wait, in milliseconds. */
const MOST_MS = 200;
/** Attempts of each case: what only happens in one is the machine's doing. */
const ATTEMPTS = 8;
/** A little less than JSON_VALUES_LIMIT, REQUEST_FIELD_LIMIT_BYTES and BODY_LIMIT_BYTES, with room for the rest of a body. */
const VALUES = 49_900;
const FIELD_BYTES = 260_000;
const BODY_BYTES = 8_300_000;

type Body = Readonly<Record<string, unknown>>;

const flat = (members: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: members }, (_, n) => [`k${n}`, n % 10]));
/** As many members as the largest field may have. */
const FIELD = flat(24_600);
const NESTED = { list: Array.from({ length: 9000 }, (_, n) => ({ n: n % 10, s: 'x', v: null })) };
const TEXT = 'word '.repeat(BODY_BYTES / 5);

const agUi = (more: Body): Body => ({
  threadId: randomUUID(),
  runId: randomUUID(),
  messages: [{ id: randomUUID(), role: 'user', content: 'hello' }],
  ...more,
});
const agent = (more: Body): Body => ({
  input: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
  ...more,
});
const response = (more: Body): Body => ({ model: 'worker', input: 'hello', ...more });
const agKit = (more: Body): Body => ({
  conversationId: randomUUID(),
  messages: [{ role: 'user', content: 'hello' }],
  ...more,
});
const runsApi = (more: Body): Body => ({ ...agUi(more), forwardedProps: { agent_type: 'worker' } });
const messages = (count: number): Body[] =>
  Array.from({ length: count }, (_, n) => ({ id: `m${n}`, role: n % 2 === 0 ? 'user' : 'assistant', content: 'hi' }));
const schema = { type: 'object', properties: FIELD };
const copilot = (more: Body): Body => ({ method: 'agent/run', params: { agentId: 'worker' }, body: agUi(more) });

/** The largest bodies of each kind. The status is that of the answer. */
const LARGEST: readonly [string, string, () => Body, number][] = [
  ['a state of many members', '/ag-ui', () => agUi({ state: FIELD }), 200],
  ['a state of many objects', '/ag-ui', () => agUi({ state: NESTED }), 200],
  ['a state of one text', '/ag-ui', () => agUi({ state: { text: 'x'.repeat(FIELD_BYTES) } }), 200],
  ['forwarded properties', '/ag-ui', () => agUi({ forwardedProps: FIELD }), 200],
  ['an unknown field', '/ag-ui', () => agUi({ unknown: flat(VALUES) }), 200],
  [
    'many messages',
    '/ag-ui',
    () => agUi({ messages: [...messages(9800), { id: 'm', role: 'user', content: 'hello' }] }),
    200,
  ],
  ['a tool', '/ag-ui', () => agUi({ tools: [{ name: 't', description: '', parameters: schema }] }), 200],
  ['a long text', '/ag-ui', () => agUi({ messages: [{ id: 'm', role: 'user', content: TEXT }] }), 200],
  ['forwarded properties', '/process', () => agent({ forwarded_props: FIELD }), 200],
  ['an unknown field', '/process', () => agent({ unknown: FIELD }), 200],
  [
    'data',
    '/process',
    () => agent({ input: [{ role: 'user', content: [{ type: 'data', data: flat(VALUES) }] }] }),
    200,
  ],
  [
    'a tool',
    '/process',
    () => agent({ tools: [{ type: 'function', function: { name: 't', parameters: schema } }] }),
    200,
  ],
  ['a long text', '/process', () => agent({ input: [{ role: 'user', content: [{ type: 'text', text: TEXT }] }] }), 200],
  ['a format', '/v1/responses', () => response({ text: { format: { type: 'json_schema', name: 'x', schema } } }), 200],
  ['a tool', '/v1/responses', () => response({ tools: [{ type: 'function', name: 't', parameters: schema }] }), 200],
  ['an unknown field', '/v1/responses', () => response({ unknown: flat(VALUES) }), 200],
  ['metadata', '/v1/responses', () => response({ metadata: flat(VALUES) }), 400],
  [
    'many items',
    '/v1/responses',
    () => response({ input: messages(9900).map(({ role, content }) => ({ role, content })) }),
    200,
  ],
  [
    'many items',
    '/v1/responses/input_tokens',
    () => response({ input: messages(9900).map(({ role, content }) => ({ role, content })) }),
    200,
  ],
  ['a long text', '/v1/responses', () => response({ input: TEXT }), 200],
  ['a state', '/copilotkit', () => copilot({ state: FIELD }), 200],
  ['forwarded properties', '/copilotkit', () => copilot({ forwardedProps: FIELD }), 200],
  ['a state', '/send-message', () => agKit({ state: FIELD }), 200],
  ['an unknown field', '/send-message', () => agKit({ unknown: FIELD }), 200],
  ['a state', '/api/v1/agent/runs?prefer=stream', () => runsApi({ state: flat(24_400) }), 200],
  ['a payload', '/interrupts/int_x', () => ({ payload: flat(VALUES) }), 404],
  ['arguments', '/approvals/apr_x', () => ({ approve: true, edited_arguments: flat(VALUES) }), 404],
  ['arguments', '/api/v1/tools/get_weather/policy', () => ({ arguments: flat(VALUES) }), 200],
  ['members', '/nowhere', () => flat(VALUES), 404],
];

/** What is refused, on every wire. */
const TOO_LARGE: readonly [string, string, Body, number, RegExp][] = [
  ['450,000 members', '/ag-ui', agUi({ state: flat(450_000) }), 400, /more than 50000 values/],
  ['450,000 members', '/process', agent({ forwarded_props: flat(450_000) }), 400, /more than 50000 values/],
  ['450,000 members', '/v1/responses', response({ metadata: flat(450_000) }), 400, /more than 50000 values/],
  ['450,000 members', '/copilotkit', copilot({ state: flat(450_000) }), 400, /more than 50000 values/],
  ['450,000 members', '/send-message', agKit({ state: flat(450_000) }), 400, /more than 50000 values/],
  ['450,000 members', '/nowhere', flat(450_000), 400, /more than 50000 values/],
  ['450,000 members', '/api/v1/agent/runs', runsApi({ state: flat(450_000) }), 413, /size limit/],
  ['a large state', '/ag-ui', agUi({ state: flat(VALUES) }), 413, /shared state must not have more than 262144 bytes/],
  ['large properties', '/ag-ui', agUi({ forwardedProps: { a: 'x'.repeat(263_000) } }), 413, /forwarded properties/],
  ['a large field', '/process', agent({ unknown: flat(VALUES) }), 413, /forwarded properties/],
  [
    'a large format',
    '/v1/responses',
    response({
      text: { format: { type: 'json_schema', name: 'x', schema: { type: 'object', properties: flat(VALUES) } } },
    }),
    413,
    /schema of the answer/,
  ],
  ['a large state', '/copilotkit', copilot({ state: flat(VALUES) }), 413, /shared state/],
  ['a large state', '/send-message', agKit({ state: flat(VALUES) }), 413, /262144 bytes/],
];

describe('large bodies', () => {
  let server: ProbedServer;
  beforeAll(async () => (server = await ProbedServer.start()));
  afterAll(() => server.stop());

  async function send(path: string, body: string): Promise<{ status: number; text: string }> {
    const headers = { 'content-type': 'application/json', 'x-user-id': 'alice' };
    const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text() };
  }

  /** The shortest delay of some attempts. */
  async function delayOf(path: string, bodyOf: () => Body, status: number): Promise<number> {
    let least = Infinity;
    for (let attempt = 0; attempt < ATTEMPTS && least >= MOST_MS; attempt += 1) {
      const body = JSON.stringify(bodyOf());
      const delay = await server.delayDuring(async () => {
        const answer = await send(path, body);
        expect([answer.status, answer.status === status ? '' : answer.text.slice(0, 300)]).toEqual([status, '']);
      });
      least = Math.min(least, delay);
    }
    return least;
  }

  it.each(LARGEST)('%s to %s: others wait for less than 200 ms', async (_what, path, bodyOf, status) => {
    expect(await delayOf(path, bodyOf, status)).toBeLessThan(MOST_MS);
  });

  it.each(TOO_LARGE)(
    '%s to %s: refused, and others wait for less than 200 ms',
    async (_what, path, body, status, why) => {
      expect((await send(path, JSON.stringify(body))).text).toMatch(why);
      expect(await delayOf(path, () => body, status)).toBeLessThan(MOST_MS);
    },
  );
});

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { textOf } from '../../../events/index.js';
import { TestRun } from '../../testing/test-run.js';
import { remoteAgentFor } from '../testing/remote-runs.js';
import {
  type Answer,
  framed,
  openStream,
  responseEvents,
  stream,
  UpstreamDouble,
} from '../testing/responses-double.js';

const JSON_HEAD = { 'content-type': 'application/json' };
const WORLD = 'world.';
const WHOLE = `Hello ${WORLD}`;

/** A stream of one kind in parts, which together are one message. */
interface Dialect {
  readonly type: string;
  /** Further keys of the entry. */
  readonly entry?: object;
  /** True if a lost connection is made again. */
  readonly continues: boolean;
  readonly begin: readonly object[];
  piece(text: string): object;
  readonly end: readonly object[];
  /** The end of an exchange that has used so many tokens; undefined if the kind has no word for it. */
  counted?(count: unknown): readonly object[];
  /** The requests of the kind: those before and after its stream are answered as they should be. */
  serve?(answer: Answer): Answer;
  /** What is shown where the second piece has other ids. */
  readonly renamed: string;
  /** True if an answer may be JSON in place of a stream. */
  readonly takesJson?: boolean;
  /** True if the status of a request is not that of its stream. */
  readonly isDetached?: boolean;
}

const RUN = { threadId: 't', runId: 'r' };
const TASK = { taskId: 'id-1', contextId: 'c' };
const REPLY = { reply_id: 'reply', block_id: 'id-1' };
const rpc = (result: object): object => ({ jsonrpc: '2.0', id: 1, result });
const json = (response: ServerResponse, value: object): void =>
  void response.writeHead(200, JSON_HEAD).end(JSON.stringify(value));
const [created = {}, , added = {}] = responseEvents('id-1', [[WHOLE]]);
const [done = {}, completed = {}] = responseEvents('id-1', [[WHOLE]]).slice(-2);
/** What a response has that names its own place. */
const unnumbered = (event: object): object => ({ ...event, sequence_number: undefined });

const DIALECTS: readonly Dialect[] = [
  {
    type: 'ag-ui',
    continues: false,
    begin: [
      { type: 'RUN_STARTED', ...RUN },
      { type: 'TEXT_MESSAGE_START', messageId: 'id-1', role: 'assistant' },
    ],
    piece: (delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'id-1', delta }),
    end: [
      { type: 'TEXT_MESSAGE_END', messageId: 'id-1' },
      { type: 'RUN_FINISHED', ...RUN },
    ],
    counted: (count) => [
      { type: 'RUN_FINISHED', ...RUN, usage: [{ inputTokens: count, outputTokens: count, totalTokens: count }] },
    ],
    renamed: WHOLE,
  },
  {
    type: 'agent-api',
    continues: false,
    begin: [
      { object: 'response', id: 'r', status: 'created' },
      { object: 'message', id: 'id-1', type: 'message', role: 'assistant', status: 'in_progress' },
    ],
    piece: (text) => ({ object: 'content', msg_id: 'id-1', type: 'text', delta: true, text }),
    end: [
      { object: 'message', id: 'id-1', type: 'message', role: 'assistant', status: 'completed' },
      { object: 'response', id: 'r', status: 'completed', output: [] },
    ],
    counted: (count) => [
      { object: 'response', id: 'r', status: 'completed', usage: { input_tokens: count, output_tokens: count } },
    ],
    renamed: WHOLE,
  },
  {
    type: 'responses',
    entry: { background: false },
    continues: false,
    begin: [created, added].map(unnumbered),
    piece: (delta) => ({ type: 'response.output_text.delta', output_index: 0, item_id: 'id-1', delta }),
    end: [done, completed].map(unnumbered),
    counted: (count) => {
      const usage = { input_tokens: count, output_tokens: count, total_tokens: count };
      return [{ type: 'response.completed', response: { id: 'r', status: 'completed', output: [], usage } }];
    },
    renamed: WHOLE,
  },
  {
    type: 'a2a',
    entry: { reattachForMs: 0 },
    continues: true,
    begin: [rpc({ task: { id: 'id-1', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } })],
    piece: (text) =>
      rpc({ artifactUpdate: { ...TASK, artifact: { artifactId: 'a', parts: [{ text }] }, append: true } }),
    end: [rpc({ statusUpdate: { ...TASK, status: { state: 'TASK_STATE_COMPLETED' } } })],
    serve: (answer) => (response, request) => {
      // A connection that is made again breaks, too.
      if (request.body['method'] === 'SubscribeToTask') return void response.destroy();
      if (request.method === 'POST') return answer(response, request);
      const url = `http://${String(request.headers.host)}/`;
      const capabilities = { streaming: true };
      json(response, {
        capabilities,
        supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      });
    },
    // A frame of another task is not ours.
    renamed: 'Hello ',
    takesJson: true,
  },
  {
    type: 'agentscope-2',
    entry: { agentId: 'friend', reattachForMs: 0 },
    continues: true,
    begin: [{ type: 'REPLY_START', ...REPLY, role: 'assistant' }],
    piece: (delta) => ({ type: 'TEXT_BLOCK_DELTA', ...REPLY, delta }),
    end: [
      { type: 'TEXT_BLOCK_END', ...REPLY },
      { type: 'REPLY_END', ...REPLY },
    ],
    counted: (count) => [
      { type: 'MODEL_CALL_END', ...REPLY, input_tokens: count, output_tokens: count },
      { type: 'TEXT_BLOCK_END', ...REPLY },
      { type: 'REPLY_END', ...REPLY },
    ],
    serve: (answer) => {
      let said: readonly object[] = [];
      let open: (() => void) | undefined;
      return (response, request) => {
        const { method, path, body } = request;
        if (path.startsWith('/sessions/?') || path === '/sessions/') return json(response, { session_id: 's' });
        if (path === '/chat/') {
          said = body['input'] as object[];
          json(response, { status: 'started', session_id: 's' });
          return open?.();
        }
        if (method === 'POST') return json(response, {});
        if (path.includes('/stream')) {
          open = () => answer(response, request);
          if (said.length > 0) open();
          else response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
          return;
        }
        const content = [{ type: 'text', id: 'id-1', text: WHOLE }];
        json(response, { is_running: false, messages: [...said, { id: 'reply', role: 'assistant', content }] });
      };
    },
    // What is stored decides.
    renamed: WHOLE + WHOLE,
    isDetached: true,
  },
];

/** What a run ends with: all of its texts, or the code of its error. */
type Ending = string;
type ByKind = (dialect: Dialect) => Ending;

const PROTOCOL: Ending = 'UPSTREAM_PROTOCOL_ERROR';
/** A lost connection is made again where that is possible, here without success; or what is stored decides. */
const lost =
  (otherwise: Ending): ByKind =>
  ({ continues, isDetached }) =>
    isDetached === true ? WHOLE : continues ? 'UPSTREAM_LOST' : otherwise;
const CUT = lost('UPSTREAM_LOST');
const ENDED = lost(PROTOCOL);
/** What is stored decides where it is looked at meanwhile. */
const LATE: ByKind = ({ isDetached }) => (isDetached === true ? WHOLE : 'UPSTREAM_TIMEOUT');

/** Writes text or bytes, then does what follows. */
function after(response: ServerResponse, bytes: string | Buffer, then: () => void = () => response.end()): void {
  if (!response.headersSent) openStream(response);
  response.write(bytes, () => setImmediate(then));
}

/** Writes the same again and again until the connection is closed. */
function endless(response: ServerResponse, bytes: string): void {
  if (!response.destroyed) after(response, bytes, () => setTimeout(() => endless(response, bytes), 1));
}

const whole = ({ begin, piece, end }: Dialect): object[] => [...begin, piece('Hello '), piece(WORLD), ...end];
const half = ({ begin, piece }: Dialect): string => framed([...begin, piece('Hello ')]);
const events =
  (make: (dialect: Dialect) => readonly object[]) =>
  (dialect: Dialect): Answer => {
    return (response) => after(response, framed(make(dialect)));
  };
const bytes =
  (make: (dialect: Dialect) => string | Buffer) =>
  (dialect: Dialect): Answer => {
    return (response) => after(response, make(dialect));
  };
const headed = (status: number, headers: Record<string, string>, body: string | Buffer) => (): Answer => {
  return (response) => void response.writeHead(status, headers).end(body);
};
const nested = '['.repeat(50_000) + ']'.repeat(50_000);

interface Case {
  readonly name: string;
  readonly answer: (dialect: Dialect) => Answer;
  readonly ends: Ending | ByKind;
  readonly entry?: object;
}

const STREAMS: readonly Case[] = [
  { name: 'events as they should be', answer: events(whole), ends: WHOLE },
  { name: 'no events', answer: events(() => []), ends: ({ isDetached }) => (isDetached === true ? WHOLE : PROTOCOL) },
  { name: 'no terminal event', answer: events(({ begin, piece }) => [...begin, piece('Hello ')]), ends: ENDED },
  { name: 'an event that is no JSON', answer: bytes((one) => `${half(one)}data: {"type":\n\n`), ends: PROTOCOL },
  { name: 'a list', answer: bytes(() => 'data: []\n\n'), ends: PROTOCOL },
  { name: 'a number', answer: bytes(() => 'data: 7\n\n'), ends: PROTOCOL },
  {
    name: 'an event that is nested too deeply',
    answer: bytes((one) => `${half(one)}data: {"type":"NEW","object":"new","value":${nested}}\n\n`),
    ends: PROTOCOL,
  },
  {
    name: 'a line that never ends',
    answer: () => (response) => after(response, 'data: ', () => endless(response, 'x'.repeat(1000))),
    ends: PROTOCOL,
    entry: { maxEventBytes: 4096 },
  },
  {
    name: 'an event of 10 MiB',
    answer: events(({ begin, piece, end }) => [...begin, piece('x'.repeat(10 * 1024 * 1024)), ...end]),
    ends: PROTOCOL,
  },
  {
    name: 'an error in place of an event',
    answer: events(({ begin }) => [...begin, { error: { message: 'Out of luck', code: 'x' } }]),
    ends: 'UPSTREAM_FAILED',
  },
  {
    name: 'a connection that breaks between events',
    answer: (one) => (response) => after(response, half(one), () => response.destroy()),
    ends: CUT,
  },
  {
    name: 'a connection that breaks within an event',
    answer: (one) => (response) => after(response, `${half(one)}data: {"ty`, () => response.destroy()),
    ends: CUT,
  },
  {
    name: 'a connection that breaks within a character',
    answer: (one) => (response) => {
      const cut = Buffer.concat([Buffer.from(`${half(one)}data: {"x":"`), Buffer.from('é').subarray(0, 1)]);
      after(response, cut, () => response.destroy());
    },
    ends: CUT,
  },
  { name: 'an end within an event', answer: bytes((one) => `${half(one)}data: {"ty`), ends: ENDED },
  {
    name: 'silence before the first event',
    answer: () => () => undefined,
    ends: LATE,
    entry: { firstEventMs: 50, idleMs: 50 },
  },
  {
    name: 'silence after some events',
    answer: (one) => (response) => after(response, half(one), () => undefined),
    ends: lost('UPSTREAM_TIMEOUT'),
    entry: { idleMs: 50 },
  },
  {
    name: 'an event that comes byte by byte and never ends',
    answer: (one) => (response) => after(response, `${half(one)}data: {"type":"`, () => endless(response, 'x')),
    ends: 'UPSTREAM_TIMEOUT',
    entry: { maxMs: 150 },
  },
  {
    name: 'comments for ever',
    answer: (one) => (response) => after(response, half(one), () => endless(response, ': still here\n\n')),
    ends: LATE,
    entry: { maxMs: 150, idleMs: 60 },
  },
  {
    name: 'pieces for ever, more than their number may be',
    answer: (one) => (response) =>
      after(response, half(one), () => endless(response, framed(Array.from({ length: 100 }, () => one.piece('a'))))),
    ends: PROTOCOL,
    entry: { maxEvents: 1000 },
  },
  {
    name: 'pieces for ever, larger than all together may be',
    answer: (one) => (response) =>
      after(response, half(one), () => endless(response, framed(Array.from({ length: 100 }, () => one.piece('a'))))),
    ends: PROTOCOL,
    entry: { maxBytes: 50_000 },
  },
  {
    name: 'events after the end, and another end',
    answer: events((one) => [...whole(one), one.piece('more'), ...one.end, ...whole(one)]),
    ends: WHOLE,
  },
  {
    name: 'a beginning that comes twice',
    answer: events((one) => [...one.begin, ...one.begin.slice(1), ...whole(one).slice(one.begin.length)]),
    ends: WHOLE,
  },
  {
    name: 'other ids in the middle',
    answer: bytes((one) => {
      const [first, ...rest] = [one.piece('Hello '), one.piece(WORLD)].map((piece) => framed([piece]));
      return framed(one.begin) + (first ?? '') + rest.join('').replaceAll('id-1', 'id-2') + framed(one.end);
    }),
    ends: ({ renamed }) => renamed,
  },
  {
    name: 'events of types that nobody knows',
    answer: events((one) =>
      whole(one).flatMap((event, index) => [
        ...(index === 0 ? [] : [{ type: 'SOMETHING_NEW', object: 'new', jsonrpc: '2.0', result: { x: index } }]),
        event,
      ]),
    ),
    ends: WHOLE,
  },
  {
    name: 'keys that change prototypes',
    answer: bytes((one) => {
      const evil = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},';
      return framed(whole(one)).replaceAll('data: {', `data: ${evil}`);
    }),
    ends: WHOLE,
  },
  {
    name: 'half of a surrogate pair in a text',
    answer: bytes((one) => framed(whole(one)).replace('Hello ', 'Hello \\ud83d')),
    ends: (one) => (one.isDetached === true ? `Hello \ufffd${WORLD}${WHOLE}` : `Hello \ufffd${WORLD}`),
  },
  {
    name: 'another character set in its head',
    answer: (one) => (response) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream; charset=iso-8859-1' });
      response.end(framed(whole(one)));
    },
    ends: WHOLE,
  },
];

/** Answers to the request itself, where that is the one whose answer is the stream. */
const HEADS: readonly Case[] = [
  { name: 'a page of HTML', answer: headed(200, { 'content-type': 'text/html' }, '<html></html>'), ends: PROTOCOL },
  { name: 'text', answer: headed(200, { 'content-type': 'text/plain' }, 'data: {}\n\n'), ends: PROTOCOL },
  { name: 'no content type', answer: headed(200, {}, 'data: {}\n\n'), ends: PROTOCOL },
  {
    name: 'an error in JSON with status 200',
    answer: headed(200, JSON_HEAD, '{"error":{"message":"no","code":"x"}}'),
    ends: ({ takesJson }) => (takesJson === true ? 'UPSTREAM_FAILED' : PROTOCOL),
  },
  {
    name: 'compressed events',
    answer: (one) =>
      headed(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }, gzipSync(framed(whole(one))))(),
    ends: PROTOCOL,
  },
  ...[301, 302, 303, 307, 308].map((status): Case => {
    const answer = headed(status, { location: 'http://127.0.0.1:9/' }, '');
    return { name: `a redirect with status ${status}`, answer, ends: 'UPSTREAM_FAILED' };
  }),
  ...(
    [
      [400, 'UPSTREAM_FAILED'],
      [401, 'UPSTREAM_UNAUTHORIZED'],
      [403, 'UPSTREAM_UNAUTHORIZED'],
      [404, 'UPSTREAM_FAILED'],
      [422, 'UPSTREAM_FAILED'],
      [500, 'UPSTREAM_UNAVAILABLE'],
      [502, 'UPSTREAM_UNAVAILABLE'],
      [504, 'UPSTREAM_UNAVAILABLE'],
    ] as const
  ).map(([status, ends]): Case => {
    return { name: `status ${status}`, answer: headed(status, JSON_HEAD, '{"error":{"message":"no"}}'), ends };
  }),
];

describe.each(DIALECTS)('a remote agent of $type that misbehaves', (dialect) => {
  const { type, begin, piece, end, serve = (answer: Answer) => answer } = dialect;
  let upstream: UpstreamDouble;
  let run: TestRun;

  /** How a run ends with an upstream that answers so. */
  async function outcome(answer: Answer, entry: object = {}): Promise<Ending> {
    upstream = await UpstreamDouble.start(serve(answer));
    const agent = remoteAgentFor({ type, url: upstream.url, ...dialect.entry, ...entry });
    run = new TestRun();
    try {
      const ended = await run.drive(agent);
      run.expectLegalStream();
      return ended.kind === 'completed' ? run.messages.map(textOf).join('') : ended.kind;
    } catch (error) {
      return (error as { readonly code?: string }).code ?? String(error);
    } finally {
      await agent.close();
      await upstream.close();
    }
  }
  const expected = (ends: Case['ends']): Ending => (typeof ends === 'string' ? ends : ends(dialect));

  it.each(STREAMS)('$name', async ({ answer, ends, entry }) => {
    expect(await outcome(answer(dialect), entry)).toBe(expected(ends));
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });

  if (dialect.isDetached !== true) {
    it.each(HEADS)('$name, and the request is not repeated', async ({ answer, ends }) => {
      expect(await outcome(answer(dialect))).toBe(expected(ends));
      expect(upstream.of('POST')).toHaveLength(1);
    });

    it.each([
      [429, 'UPSTREAM_BUSY'],
      [503, 'UPSTREAM_UNAVAILABLE'],
    ])('with status %i it is asked three times, after the time that it names', async (status, code) => {
      let requests = 0;
      const busy =
        (until: number): Answer =>
        (response) => {
          requests += 1;
          if (requests < until) response.writeHead(status, { 'retry-after': '0' }).end();
          else stream(response, whole(dialect));
        };
      expect(await outcome(busy(3))).toBe(WHOLE);
      expect(upstream.of('POST')).toHaveLength(3);
      expect(await outcome(busy(Number.POSITIVE_INFINITY))).toBe(code);
      expect(upstream.of('POST')).toHaveLength(3);
      expect(await outcome(headed(status, { 'retry-after': '3600' }, '')())).toBe(code);
      expect(upstream.of('POST')).toHaveLength(1);
    });
  }

  it('pieces without their beginning, and without their end, are a message', async () => {
    const bare = [begin[0] ?? {}, piece('Hello '), piece(WORLD), ...end.slice(-1)];
    expect(await outcome((response) => after(response, framed(bare)))).toBe(WHOLE);
  });

  it('values of other types than the protocol has are no matter', async () => {
    const odd = [
      ...begin,
      ...[null, 1, 'x', [], {}].flatMap((value) => [
        { ...piece(''), delta: value, text: value },
        { type: value, object: value, jsonrpc: '2.0', result: value },
        { type: 'MESSAGES_SNAPSHOT', messages: value },
        { type: 'TOOL_CALL_RESULT', toolCallId: value, content: value },
      ]),
      piece('Hello.'),
      ...end,
    ];
    const ended = await outcome((response) => after(response, framed(odd)));
    expect(ended).toMatch(/Hello|^UPSTREAM_/);
  });

  if (dialect.counted) {
    it.each([-5, 1.5, 1e300, Number.MAX_SAFE_INTEGER, '7', null, {}])('%p is no number of tokens', async (count) => {
      const all = [...begin, piece('Hello '), piece(WORLD), ...(dialect.counted?.(count) ?? [])];
      expect(await outcome((response) => after(response, framed(all)))).toBe(WHOLE);
      expect(run.context.response.getResponseData().usage ?? null).toBeNull();
    });
  }
});

describe('a remote agent of agentscope-2 that refuses', () => {
  it.each([
    ['/sessions/', 401, 'UPSTREAM_UNAUTHORIZED', 1],
    ['/sessions/', 429, 'UPSTREAM_BUSY', 3],
    ['/sessions/', 503, 'UPSTREAM_UNAVAILABLE', 3],
    ['/sessions/', 500, 'UPSTREAM_UNAVAILABLE', 1],
    ['/stream', 403, 'UPSTREAM_UNAUTHORIZED', 1],
    ['/stream', 429, 'UPSTREAM_BUSY', 3],
    ['/chat/', 307, 'UPSTREAM_FAILED', 1],
    ['/chat/', 401, 'UPSTREAM_UNAUTHORIZED', 1],
    ['/chat/', 409, 'UPSTREAM_BUSY', 3],
    ['/chat/', 429, 'UPSTREAM_BUSY', 3],
    ['/chat/', 422, 'UPSTREAM_FAILED', 1],
    ['/chat/', 502, 'UPSTREAM_UNAVAILABLE', 1],
  ])('%s with status %i: %s', async (place, status, code, times) => {
    let refused = 0;
    const answer: Answer = (response, { path }) => {
      const at = path.split('?')[0] ?? '';
      if (at.endsWith(place)) {
        refused += 1;
        return void response.writeHead(status, { 'retry-after': '0', location: 'http://127.0.0.1:9/' }).end();
      }
      if (at.endsWith('/stream')) {
        openStream(response);
        response.flushHeaders();
      } else json(response, { session_id: 's' });
    };
    const upstream = await UpstreamDouble.start(answer);
    const agent = remoteAgentFor({ type: 'agentscope-2', agentId: 'friend', url: upstream.url });
    await expect(new TestRun().drive(agent)).rejects.toMatchObject({ code });
    expect(refused).toBe(times);
    await agent.close();
    await upstream.close();
  });
});

describe('a remote agent of a2a whose card misbehaves', () => {
  it.each([
    [503, 3, 'UPSTREAM_UNAVAILABLE'],
    [429, 3, 'UPSTREAM_BUSY'],
    [401, 1, 'UPSTREAM_UNAUTHORIZED'],
    [500, 1, 'UPSTREAM_UNAVAILABLE'],
    [302, 1, 'UPSTREAM_FAILED'],
  ])('with status %i it is asked for %i times', async (status, times, code) => {
    const upstream = await UpstreamDouble.start((response) => {
      response.writeHead(status, { 'retry-after': '0', location: 'http://127.0.0.1:9/' }).end();
    });
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url });
    await expect(new TestRun().drive(agent)).rejects.toMatchObject({ code });
    expect(upstream.seen).toHaveLength(times);
    await agent.close();
    await upstream.close();
  });

  it.each([
    ['HTML', 'text/html', '<html></html>', PROTOCOL],
    ['broken JSON', 'application/json', '{"name":', PROTOCOL],
    ['a list', 'application/json', '[]', PROTOCOL],
    ['nesting', 'application/json', `{"x":${nested}}`, PROTOCOL],
    ['no interface', 'application/json', '{}', 'CONFIGURATION_ERROR'],
  ])('%s in its place is an error', async (_, media, body, code) => {
    const upstream = await UpstreamDouble.start(headed(200, { 'content-type': media }, body)());
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url });
    await expect(new TestRun().drive(agent)).rejects.toMatchObject({ code });
    expect(upstream.of('POST')).toEqual([]);
    await agent.close();
    await upstream.close();
  });
});

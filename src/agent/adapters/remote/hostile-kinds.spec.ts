import { textOf } from '../../../events/index.js';
import { TestRun } from '../../testing/test-run.js';
import { remoteAgentFor } from '../testing/remote-runs.js';
import { type Answer, framed, openStream, stream, UpstreamDouble } from '../testing/responses-double.js';

/** A stream of one kind in parts. */
interface Dialect {
  readonly type: string;
  readonly begin: readonly object[];
  piece(text: string): object;
  readonly end: readonly object[];
}

const RUN = { threadId: 't', runId: 'r' };
const DIALECTS: readonly Dialect[] = [
  {
    type: 'ag-ui',
    begin: [
      { type: 'RUN_STARTED', ...RUN },
      { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
    ],
    piece: (delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta }),
    end: [
      { type: 'TEXT_MESSAGE_END', messageId: 'm' },
      { type: 'RUN_FINISHED', ...RUN },
    ],
  },
  {
    type: 'agent-api',
    begin: [
      { object: 'response', id: 'r', status: 'created' },
      { object: 'message', id: 'm', type: 'message', role: 'assistant', status: 'in_progress' },
    ],
    piece: (text) => ({ object: 'content', msg_id: 'm', type: 'text', delta: true, text }),
    end: [
      { object: 'message', id: 'm', type: 'message', role: 'assistant', status: 'completed' },
      { object: 'response', id: 'r', status: 'completed', output: [] },
    ],
  },
];

describe.each(DIALECTS)('a remote agent of $type that misbehaves', ({ type, begin, piece, end }) => {
  /** How a run ends with an upstream that answers so: its texts, or the code of its error. */
  async function outcome(answer: Answer, more: object = {}): Promise<string[] | string> {
    const upstream = await UpstreamDouble.start(answer);
    const agent = remoteAgentFor({ type, url: upstream.url, ...more });
    const run = new TestRun();
    try {
      const ended = await run.drive(agent);
      run.expectLegalStream();
      return ended.kind === 'completed' ? run.messages.map(textOf) : [ended.kind];
    } catch (error) {
      return (error as { readonly code?: string }).code ?? String(error);
    } finally {
      await agent.close();
      await upstream.close();
    }
  }
  const whole = [...begin, piece('Hello '), piece('world.'), ...end];

  it('one that ends without a terminal event has violated the protocol', async () => {
    expect(await outcome((response) => stream(response, whole.slice(0, -1)))).toBe('UPSTREAM_PROTOCOL_ERROR');
    expect(await outcome((response) => stream(response, []))).toBe('UPSTREAM_PROTOCOL_ERROR');
  });

  it('one whose connection breaks is lost, and a silent one has a time-out', async () => {
    const half = framed([...begin, piece('Hello ')]);
    const cut: Answer = (response) => {
      openStream(response);
      response.write(half, () => setImmediate(() => response.destroy()));
    };
    expect(await outcome(cut)).toBe('UPSTREAM_LOST');
    const silent: Answer = (response) => {
      openStream(response);
      response.write(half);
    };
    expect(await outcome(silent, { idleMs: 50 })).toBe('UPSTREAM_TIMEOUT');
    expect(await outcome(() => undefined, { firstEventMs: 50 })).toBe('UPSTREAM_TIMEOUT');
  });

  it('one that never ends has a limit of events, of bytes and of time', async () => {
    const endless: Answer = (response) => {
      openStream(response);
      const more = (): void => {
        if (response.destroyed) return;
        response.write(framed(Array.from({ length: 50 }, () => piece('on and '))), () => setImmediate(more));
      };
      response.write(framed(begin), more);
    };
    expect(await outcome(endless, { maxEvents: 1000 })).toBe('UPSTREAM_PROTOCOL_ERROR');
    expect(await outcome(endless, { maxBytes: 100_000 })).toBe('UPSTREAM_PROTOCOL_ERROR');
    expect(await outcome(endless, { maxMs: 100 })).toBe('UPSTREAM_TIMEOUT');
  });

  it('an event of 10 MiB is too long', async () => {
    const large = [...begin, piece('x'.repeat(10 * 1024 * 1024)), ...end];
    expect(await outcome((response) => stream(response, large))).toBe('UPSTREAM_PROTOCOL_ERROR');
  });

  it.each([
    ['HTML', 'text/html', '<html></html>'],
    ['broken JSON', 'text/event-stream', 'data: {"type":\n\n'],
    ['a list', 'text/event-stream', 'data: []\n\n'],
    ['a number', 'text/event-stream', 'data: 7\n\n'],
  ])('%s instead of events violates the protocol', async (_, media, body) => {
    const answer: Answer = (response) => void response.writeHead(200, { 'content-type': media }).end(body);
    expect(await outcome(answer)).toBe('UPSTREAM_PROTOCOL_ERROR');
  });

  it('a beginning that comes twice is one message, and what comes after the end is not read', async () => {
    const twice = [...begin, ...begin.slice(1), piece('Hello '), piece('world.'), ...end, piece('more'), ...end];
    expect(await outcome((response) => stream(response, twice))).toEqual(['Hello world.']);
  });

  it('pieces before their beginning, and no beginning at all, are a message', async () => {
    const [first, ...rest] = begin;
    const late = [first ?? {}, piece('Hello '), ...rest, piece('world.'), ...end];
    expect(await outcome((response) => stream(response, late))).toEqual(['Hello world.']);
    const bare = [first ?? {}, piece('Hello '), piece('world.'), ...end.slice(-1)];
    expect(await outcome((response) => stream(response, bare))).toEqual(['Hello world.']);
  });

  it('values of other types than the protocol has are no matter', async () => {
    const odd = [
      ...begin,
      ...[null, 1, 'x', [], {}].flatMap((value) => [
        { ...piece(''), delta: value, text: value },
        { type: value, object: value },
        { type: 'MESSAGES_SNAPSHOT', messages: value },
        { type: 'TOOL_CALL_RESULT', toolCallId: value, content: value },
      ]),
      piece('Hello.'),
      ...end,
    ];
    const ended = await outcome((response) => stream(response, odd));
    if (Array.isArray(ended)) expect(ended.join('')).toContain('Hello.');
    else expect(ended).toMatch(/^UPSTREAM_/);
  });
});

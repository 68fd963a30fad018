import { textOf } from '../../../events/index.js';
import { TestRun } from '../../testing/test-run.js';
import {
  after,
  type Case,
  type Ending,
  headed,
  HEADS,
  nested,
  PROTOCOL,
  STREAMS,
  whole,
} from '../testing/hostile-answers.js';
import { DIALECTS, json, WHOLE, WORLD } from '../testing/hostile-dialects.js';
import { remoteAgentFor } from '../testing/remote-runs.js';
import { type Answer, framed, openStream, stream, UpstreamDouble } from '../testing/responses-double.js';

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
    it('shows a character whose halves are in two pieces', async () => {
      const events = [...begin, piece('\ud83d'), piece('\ude00'), ...end];
      // The whole text, where there is one, is another.
      expect(await outcome((response) => stream(response, events))).toMatch(/^\u{1f600}(Hello world\.)?$/u);
    });

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

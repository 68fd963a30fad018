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

const EVENTS = responseEvents('resp_1', [['Hello ', 'world.']]);
const [created = {}, , added = {}, delta = {}] = EVENTS;

/** How a run ends with an upstream that answers so: its texts, or the code of its error. */
async function outcome(answer: Answer, more: object = {}): Promise<string[] | string> {
  const upstream = await UpstreamDouble.start(answer);
  const agent = remoteAgentFor({ type: 'responses', url: upstream.url, background: false, ...more });
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

const status =
  (code: number, body = '', headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end(body);

describe('a remote agent that misbehaves', () => {
  it('one that ends without a terminal event has violated the protocol', async () => {
    expect(await outcome((response) => stream(response, EVENTS.slice(0, 5)))).toBe('UPSTREAM_PROTOCOL_ERROR');
  });

  it('one whose connection breaks is lost', async () => {
    const cut: Answer = (response) => {
      openStream(response);
      response.write(framed(EVENTS.slice(0, 4)), () => setImmediate(() => response.destroy()));
    };
    expect(await outcome(cut)).toBe('UPSTREAM_LOST');
  });

  it('one that says nothing has a time-out, before its first event and after it', async () => {
    expect(await outcome(() => undefined, { firstEventMs: 50 })).toBe('UPSTREAM_TIMEOUT');
    const silent: Answer = (response) => {
      openStream(response);
      response.write(framed(EVENTS.slice(0, 4)));
    };
    expect(await outcome(silent, { idleMs: 50 })).toBe('UPSTREAM_TIMEOUT');
  });

  it('one that never ends has a limit of events, of bytes and of time', async () => {
    const endless: Answer = (response) => {
      openStream(response);
      const more = (): void => {
        if (!response.destroyed)
          response.write(framed(Array.from({ length: 50 }, () => ({ ...delta, sequence_number: undefined }))), () =>
            setImmediate(more),
          );
      };
      response.write(framed([created, added]), more);
    };
    expect(await outcome(endless, { maxEvents: 1000 })).toBe('UPSTREAM_PROTOCOL_ERROR');
    expect(await outcome(endless, { maxBytes: 100_000 })).toBe('UPSTREAM_PROTOCOL_ERROR');
    expect(await outcome(endless, { maxMs: 100 })).toBe('UPSTREAM_TIMEOUT');
  });

  it('one that sends byte by byte is read', async () => {
    const slow: Answer = (response) => {
      openStream(response);
      const bytes = Buffer.from(framed(EVENTS));
      const next = (at: number): void => {
        if (at === bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 1), () => setImmediate(() => next(at + 1)));
      };
      next(0);
    };
    expect(await outcome(slow)).toEqual(['Hello world.']);
  });

  it('an event of 10 MiB is too long', async () => {
    const large: Answer = (response) => stream(response, [created, { ...delta, delta: 'x'.repeat(10 * 1024 * 1024) }]);
    expect(await outcome(large)).toBe('UPSTREAM_PROTOCOL_ERROR');
  });

  it('a long text is written in pieces', async () => {
    const text = 'x'.repeat(200_000);
    expect(await outcome((response) => stream(response, responseEvents('resp_1', [[text]])))).toEqual([text]);
  });

  it.each([
    ['HTML', 'text/html', '<html></html>'],
    ['JSON', 'application/json', '{}'],
    ['broken JSON', 'text/event-stream', 'data: {"type":\n\n'],
    ['a list', 'text/event-stream', 'data: []\n\n'],
  ])('%s instead of events violates the protocol', async (_, type, body) => {
    expect(await outcome(status(200, body, { 'content-type': type }))).toBe('UPSTREAM_PROTOCOL_ERROR');
  });

  it('compressed answers violate the protocol', async () => {
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
    expect(await outcome(status(200, 'x', headers))).toBe('UPSTREAM_PROTOCOL_ERROR');
  });

  it('events that come twice are read once', async () => {
    const twice = EVENTS.flatMap((event) => [event, event]);
    expect(await outcome((response) => stream(response, twice))).toEqual(['Hello world.']);
  });

  it('events in another order violate the protocol', async () => {
    const [first = {}, second = {}, ...rest] = EVENTS;
    const mixed = [first, second, ...[...rest].reverse()].filter(({ type }) => type !== 'response.completed');
    expect(await outcome((response) => stream(response, mixed))).toBe('UPSTREAM_PROTOCOL_ERROR');
  });

  it('text without its message is a message', async () => {
    const bare = EVENTS.filter(({ type }) => !String(type).startsWith('response.output_item'));
    expect(await outcome((response) => stream(response, bare))).toEqual(['Hello world.']);
  });

  it('an answer that comes with the terminal event only is whole', async () => {
    const only = EVENTS.filter(({ type }) => ['response.created', 'response.completed'].includes(String(type)));
    expect(await outcome((response) => stream(response, only))).toEqual(['Hello world.']);
  });

  it.each([
    [401, 'UPSTREAM_UNAUTHORIZED'],
    [403, 'UPSTREAM_UNAUTHORIZED'],
    [404, 'UPSTREAM_FAILED'],
    [422, 'UPSTREAM_FAILED'],
    [307, 'UPSTREAM_FAILED'],
    [500, 'UPSTREAM_UNAVAILABLE'],
    [502, 'UPSTREAM_UNAVAILABLE'],
  ])('status %i is %s, and the request is not repeated', async (code, expected) => {
    let requests = 0;
    const refusing: Answer = (response) => {
      requests += 1;
      response.writeHead(code, { location: 'http://127.0.0.1:9/' }).end('{"error":{"message":"no"}}');
    };
    expect(await outcome(refusing)).toBe(expected);
    expect(requests).toBe(1);
  });

  it('a busy one is asked three times', async () => {
    let requests = 0;
    const busy: Answer = (response) => {
      requests += 1;
      if (requests < 3) response.writeHead(429, { 'retry-after': '0' }).end();
      else stream(response, EVENTS);
    };
    expect(await outcome(busy)).toEqual(['Hello world.']);
    expect(await outcome(status(429, '', { 'retry-after': '0' }))).toBe('UPSTREAM_BUSY');
  });

  it('one that cannot be reached is unavailable', async () => {
    expect(await outcome(() => undefined, { url: 'http://127.0.0.1:9' })).toBe('UPSTREAM_UNAVAILABLE');
  });

  it('what it reports as failure is shown in one line, without secrets', async () => {
    const failed = {
      type: 'response.failed',
      response: {
        id: 'resp_1',
        status: 'failed',
        output: [],
        error: { code: 'x', message: 'Bad\nkey secret-value-1' },
      },
    };
    const upstream = await UpstreamDouble.start((response) => stream(response, [created, failed]));
    const agent = remoteAgentFor({
      type: 'responses',
      url: upstream.url,
      headers: { authorization: 'Bearer secret-value-1' },
    });
    await expect(new TestRun().drive(agent)).rejects.toMatchObject({
      code: 'UPSTREAM_FAILED',
      message: 'Bad key [secret]',
    });
    expect(upstream.seen[0]?.headers.authorization).toBe('Bearer secret-value-1');
    await agent.close();
    await upstream.close();
  });

  it('one that takes no background answers is asked in the foreground from then on', async () => {
    const upstream = await UpstreamDouble.start((response, { body }) => {
      if (body['background'] === true)
        response.writeHead(400).end('{"error":{"message":"background is not supported"}}');
      else stream(response, EVENTS);
    });
    const agent = remoteAgentFor({ type: 'responses', url: upstream.url });
    for (let count = 0; count < 2; count += 1) {
      const run = new TestRun();
      await run.drive(agent);
      expect(run.messages.map(textOf)).toEqual(['Hello world.']);
    }
    expect(upstream.seen.map(({ body }) => body['background'])).toEqual([true, undefined, undefined]);
    await agent.close();
    await upstream.close();
  });

  it('a stopped run stops an answer in the background', async () => {
    const upstream = await UpstreamDouble.start((response, { path }) => {
      if (path.endsWith('/cancel')) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      else {
        openStream(response);
        response.write(framed(EVENTS.slice(0, 4)));
      }
    });
    const agent = remoteAgentFor({ type: 'responses', url: upstream.url });
    const run = new TestRun();
    const driven = run.drive(agent).catch((error: unknown) => error);
    while (run.messages.length === 0) await new Promise((resolve) => setImmediate(resolve));
    run.abort.abort(new Error('stopped'));
    await driven;
    while (upstream.seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(upstream.seen.map(({ path }) => path)).toEqual(['/responses', '/responses/resp_1/cancel']);
    await agent.close();
    await upstream.close();
  });
});

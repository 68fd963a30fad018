import { textOf } from '../../../../events/index.js';
import { TestRun } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { type Answer, framed, openStream, type SeenRequest, UpstreamDouble } from '../../testing/responses-double.js';

/** Answers the n-th request of a method, from 0: with frames of a stream, which stays open, or with JSON. */
type Method = (count: number) => { readonly frames?: readonly object[]; readonly isOpen?: boolean } | Answer;

const TASK = { id: 't1', contextId: 'c1' };
const ARTIFACT = { artifactId: 'a1', parts: [{ text: 'Done.' }] };
const working = (more: object = {}): object => ({ ...TASK, status: { state: 'TASK_STATE_WORKING', ...more } });
const COMPLETED = { ...TASK, status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [ARTIFACT] };

/** A server of A2A 1.0 over JSON-RPC. */
function server(streaming: boolean, methods: Readonly<Record<string, Method>>): Answer {
  const counts = new Map<string, number>();
  return (response, request) => {
    const { method, headers, body } = request;
    const respond = (value: object): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (method === 'GET') {
      const url = `http://${String(headers.host)}/rpc`;
      const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
      return respond({ capabilities: { streaming }, supportedInterfaces });
    }
    const name = String(body['method']);
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    const answer = methods[name]?.(count) ?? { frames: [{ error: { code: -32601, message: 'no method' } }] };
    if (typeof answer === 'function') return answer(response, request);
    const envelopes = (answer.frames ?? []).map((frame) => ({
      ...{ jsonrpc: '2.0', id: body['id'] },
      ...('error' in frame ? frame : { result: frame }),
    }));
    if (!/Stream|Subscribe/.test(name)) return respond(envelopes[0] ?? {});
    openStream(response);
    if (answer.isOpen) response.write(framed(envelopes));
    else response.end(framed(envelopes));
  };
}

describe('a task of a remote agent of A2A', () => {
  let upstream: UpstreamDouble;
  let run: TestRun;
  afterEach(() => upstream.close());

  /** How a run ends: its texts, or the code of its error; and how often a connection was made again. */
  async function outcome(answer: Answer, more: object = {}): Promise<readonly [string[] | string, number]> {
    upstream = await UpstreamDouble.start(answer);
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url, ...more });
    run = new TestRun();
    try {
      await run.drive(agent);
      run.expectLegalStream();
      return [run.messages.map(textOf), agent.remote.reattachments];
    } catch (error) {
      return [(error as { readonly code?: string }).code ?? String(error), agent.remote.reattachments];
    } finally {
      await agent.close();
    }
  }
  const of = (name: string): readonly SeenRequest[] =>
    upstream.of('POST').filter(({ body }) => body['method'] === name);

  it('that works quietly is looked at until it is over, and what comes again is neither shown nor counted', async () => {
    const parts = [{ text: 'x'.repeat(20_000) }];
    const snapshot = {
      ...working({ message: { parts: [{ text: 'Digging.' }] } }),
      artifacts: [{ ...ARTIFACT, parts }],
    };
    const answer = server(false, {
      SendMessage: () => ({ frames: [{ task: working() }] }),
      GetTask: (count) => ({ frames: [count < 3 ? snapshot : { ...COMPLETED, artifacts: [{ ...ARTIFACT, parts }] }] }),
    });
    const bounds = { reattachForMs: 0, idleMs: 10, maxBytes: 50_000 };
    expect(await outcome(answer, bounds)).toEqual([['x'.repeat(20_000)], 0]);
    expect(of('GetTask')).toHaveLength(4);
    expect(of('GetTask')[0]?.body).toMatchObject({ params: { id: 't1', historyLength: 0 } });
    expect(of('CancelTask')).toEqual([]);
    expect(run.events.filter(({ object }) => object === 'activity')).toHaveLength(1);
  });

  it('that writes more than it may while it is looked at ends the run', async () => {
    const text = (count: number): object => ({ ...ARTIFACT, parts: [{ text: `${count} `.repeat(5000) }] });
    const answer = server(false, {
      SendMessage: () => ({ frames: [{ task: working() }] }),
      GetTask: (count) => ({ frames: [{ ...working(), artifacts: [text(count)] }] }),
    });
    expect(await outcome(answer, { maxBytes: 25_000 })).toEqual(['UPSTREAM_PROTOCOL_ERROR', 0]);
    expect(of('GetTask')).toHaveLength(3);
  });

  it('that says nothing on its stream is subscribed to again as long as it is being worked on', async () => {
    const answer = server(true, {
      SendStreamingMessage: () => ({ frames: [{ task: working() }], isOpen: true }),
      SubscribeToTask: (count) =>
        count < 1 ? { frames: [{ task: working() }], isOpen: true } : { frames: [{ task: COMPLETED }] },
    });
    expect(await outcome(answer, { reattachForMs: 300, idleMs: 20 })).toEqual([['Done.'], 2]);
    expect(of('CancelTask')).toEqual([]);
  });

  it('whose stream always ends early is subscribed to less and less often, until its time is up', async () => {
    const answer = server(true, {
      SendStreamingMessage: () => ({ frames: [{ task: working() }] }),
      SubscribeToTask: () => ({ frames: [{ task: working() }] }),
    });
    const [code, reattachments] = await outcome(answer, { reattachForMs: 0, idleMs: 10, maxMs: 2500 });
    expect(code).toBe('UPSTREAM_TIMEOUT');
    expect(reattachments).toBe(2);
  });

  const status =
    (code: number): Answer =>
    (response) =>
      void response.writeHead(code, { 'retry-after': '0' }).end();
  const internal = { frames: [{ error: { code: -32603, message: 'Not now' } }] };

  it.each<[string, ReturnType<Method>]>([
    ['answered with status 503', status(503)],
    ['answered with status 429', status(429)],
    ['reset', (response) => void response.destroy()],
    ['an internal error', internal],
  ])('is looked at again after a look that was %s', async (_, failed) => {
    const answer = server(false, {
      SendMessage: () => ({ frames: [{ task: working() }] }),
      GetTask: (count) => (count === 1 ? failed : { frames: [count === 0 ? working() : COMPLETED] }),
    });
    expect(await outcome(answer)).toEqual([['Done.'], 0]);
    expect(of('GetTask')).toHaveLength(3);
    expect(of('CancelTask')).toEqual([]);
  });

  it('that cannot be looked at for too long is lost', async () => {
    const answer = server(false, {
      SendMessage: () => ({ frames: [{ task: working() }] }),
      GetTask: (count) => (count === 0 ? { frames: [working()] } : status(503)),
    });
    expect(await outcome(answer, { reattachForMs: 250 })).toEqual(['UPSTREAM_LOST', 0]);
    expect(of('GetTask')).toHaveLength(3);
  });

  it('is subscribed to again after an internal error', async () => {
    const answer = server(true, {
      SendStreamingMessage: () => ({ frames: [{ task: working() }] }),
      SubscribeToTask: (count) => (count === 0 ? internal : { frames: [{ task: COMPLETED }] }),
    });
    expect(await outcome(answer)).toEqual([['Done.'], 2]);
  });

  it('is looked at where the server has no method to subscribe', async () => {
    const answer = server(true, {
      SendStreamingMessage: () => ({ frames: [{ task: working() }] }),
      GetTask: () => ({ frames: [COMPLETED] }),
    });
    expect(await outcome(answer)).toEqual([['Done.'], 1]);
  });

  it('that cannot be begun for an internal error has failed', async () => {
    expect(await outcome(server(true, { SendStreamingMessage: () => internal }))).toEqual(['UPSTREAM_FAILED', 0]);
  });

  it.each([
    ['an error', { frames: [{ error: { code: -32603, message: 'no' } }] }],
    ['nothing', {}],
    ['status 500', (response: Parameters<Answer>[0]) => void response.writeHead(500).end()],
  ])('whose stream answers three times with %s is looked at until it is over', async (_, refused) => {
    const answer = server(true, {
      SendStreamingMessage: () => ({ frames: [{ task: working() }] }),
      SubscribeToTask: () => refused,
      GetTask: (count) => ({ frames: [count === 0 ? working() : COMPLETED] }),
    });
    const [texts] = await outcome(answer);
    expect(texts).toEqual(['Done.']);
    expect(of('SubscribeToTask').length).toBeLessThanOrEqual(3);
    expect(of('SendStreamingMessage')).toHaveLength(1);
  });

  it('is shown without its words while it works if that is configured', async () => {
    const answer = server(true, {
      SendStreamingMessage: () => ({
        frames: [{ task: working({ message: { parts: [{ text: 'Digging.' }] } }) }, { task: COMPLETED }],
      }),
    });
    expect(await outcome(answer, { progress: false })).toEqual([['Done.'], 0]);
    expect(run.events.filter(({ object }) => object === 'activity')).toEqual([]);
  });
});

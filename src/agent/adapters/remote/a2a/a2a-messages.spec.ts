import { textOf } from '../../../../events/index.js';
import { Crash, MemoryJournal } from '../../../testing/memory-journal.js';
import { TestRun } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { type Answer, framed, openStream, UpstreamDouble } from '../../testing/responses-double.js';

/** The writes of an attempt up to its first boundary: the request is about to be sent, its task is known, the boundary. */
const WRITES = 3;
const IDS = { taskId: 't1', contextId: 'c1' };
const piece = (text: string, more: object = {}): object => ({
  message: { messageId: 'r1', contextId: 'c1', role: 'ROLE_AGENT', parts: [{ text }], ...more },
});
const status = (state: string, message?: object): object => ({
  statusUpdate: { ...IDS, status: { state: `TASK_STATE_${state}`, ...(message && { message }) } },
});
const working = (...parts: readonly object[]): object => status('WORKING', { role: 'ROLE_AGENT', parts });

/** A server of A2A 1.0 whose streams end after these frames, or stay open. */
function server(methods: Readonly<Record<string, readonly object[]>>, isOpen = false): Answer {
  return (response, { method, headers, body }) => {
    if (method === 'GET') {
      const url = `http://${String(headers.host)}/rpc`;
      const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
      const card = { capabilities: { streaming: true }, supportedInterfaces };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(card));
      return;
    }
    const frames = methods[String(body['method'])] ?? [];
    openStream(response);
    response.write(framed(frames.map((result) => ({ jsonrpc: '2.0', id: body['id'], result }))));
    if (!isOpen) response.end();
  };
}

describe('what a remote agent of A2A says in messages', () => {
  let upstream: UpstreamDouble;
  let run: TestRun;
  afterEach(() => upstream.close());

  /** The messages of a run, each as its text or the types of its contents; or the code of its error. */
  async function shown(answer: Answer, more: object = {}): Promise<string[] | string> {
    upstream = await UpstreamDouble.start(answer);
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url, ...more });
    run = new TestRun();
    try {
      await run.drive(agent);
      run.expectLegalStream();
      return run.messages.map((one) => textOf(one) || (one.content ?? []).map(({ type }) => type).join());
    } catch (error) {
      return (error as { readonly code?: string }).code ?? String(error);
    } finally {
      await agent.close();
    }
  }
  const streamed = (...frames: readonly object[]): Answer => server({ SendStreamingMessage: frames });

  it('is one answer if it comes in pieces, each a message', async () => {
    expect(await shown(streamed(piece(''), piece('Moored '), piece('at '), piece('berth 7.')))).toEqual([
      'Moored at berth 7.',
    ]);
  });

  it('is one answer within a task too, and thoughts among it are none', async () => {
    const thought = { messageId: 'r2', metadata: { agno_content_category: 'reasoning' } };
    const frames = [
      status('WORKING'),
      piece('Which berth is free?', { taskId: 't1', ...thought }),
      piece('Moored ', { taskId: 't1' }),
      status('WORKING'),
      piece('at berth 7.', { taskId: 't1' }),
      status('COMPLETED'),
      { task: { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } } },
    ];
    expect(await shown(streamed(...frames))).toEqual(['Which berth is free?', 'Moored at berth 7.']);
    expect(run.messages.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  });

  it('is whole where nothing follows, though the stream stays open', async () => {
    expect(await shown(server({ SendStreamingMessage: [piece('Moored.')] }, true), { idleMs: 20 })).toEqual([
      'Moored.',
    ]);
  });

  it('is not whole if the connection breaks', async () => {
    const answer: Answer = (response, request) => {
      if (request.method === 'GET') return streamed()(response, request);
      openStream(response);
      const frame = { jsonrpc: '2.0', id: request.body['id'], result: piece('Moo') };
      response.write(framed([frame]), () => setImmediate(() => response.destroy()));
    };
    expect(await shown(answer)).toBe('UPSTREAM_LOST');
  });

  it('is the answer of a task without artifacts that was said last', async () => {
    const url = { url: 'https://example.org/chart.pdf', mediaType: 'application/pdf' };
    const frames = [working({ text: 'Looking.' }), working({ text: 'Moored.' }, url), status('COMPLETED')];
    expect(await shown(streamed(...frames))).toEqual(['Moored.', 'file']);
  });

  it('is the answer where the end of a task brings files or data alone', async () => {
    const frames = [working({ text: 'Looking.' }), status('COMPLETED', { parts: [{ data: { berth: 7 } }] })];
    expect(await shown(streamed(...frames))).toEqual(['data']);
  });

  it.each([
    ['words', [{ text: 'Which berth?' }], { reason: 'input_required', message: 'Which berth?' }],
    [
      'words and data',
      [{ text: 'Which berth?' }, { data: { free: [3, 7] } }],
      { reason: '{"free":[3,7]}', message: 'Which berth?' },
    ],
    [
      'data alone',
      [{ data: { name: 'moor' } }, { data: { free: 7 } }],
      { reason: '[{"name":"moor"},{"free":7}]', message: '[{"name":"moor"},{"free":7}]' },
    ],
    [
      'data that are too long',
      [{ data: { free: '7'.repeat(9000) } }],
      { reason: 'input_required', message: 'input_required' },
    ],
  ])('is asked with %s', async (_, parts, expected) => {
    upstream = await UpstreamDouble.start(streamed(status('INPUT_REQUIRED', { parts })));
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url });
    const asked: unknown[] = [];
    const one = new TestRun();
    const interrupt = (question: unknown): Promise<never> => Promise.reject(new Error(String(asked.push(question))));
    await expect(one.drive({ run: () => agent.run(Object.assign(one.context, { interrupt })) })).rejects.toThrow('1');
    await agent.close();
    expect(asked).toMatchObject([expected]);
  });

  it('is the answer after a crash too', async () => {
    const journal = new MemoryJournal([], WRITES);
    upstream = await UpstreamDouble.start((response, request) => {
      const { method, body } = request;
      if (method === 'GET') return streamed()(response, request);
      const send = (result: object): void => void response.write(framed([{ jsonrpc: '2.0', id: body['id'], result }]));
      openStream(response);
      if (body['method'] === 'SendStreamingMessage') send(working({ text: 'Moored.' }));
      const rest = (): void => {
        if (journal.writes.length < WRITES) {
          setImmediate(rest);
          return;
        }
        send(status('COMPLETED'));
        response.end();
      };
      rest();
    });
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url });
    await expect(new TestRun({ journal }).drive(agent)).rejects.toBeInstanceOf(Crash);
    const second = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
    await second.drive(agent);
    await agent.close();
    expect(second.messages.map(textOf)).toEqual(['Moored.']);
  });
});

import { textOf } from '../../../../events/index.js';
import { TestRun } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { type Answer, framed, openStream, UpstreamDouble } from '../../testing/responses-double.js';

type Frames = readonly object[];

/** A server of A2A: its card, and for each method the frames of its answer; a single one is JSON. */
function server(
  version: '1.0' | '0.3',
  methods: Readonly<Record<string, (params: unknown) => Frames>>,
  streaming = true,
  extensions: Frames = [],
): Answer {
  return (response, { method, headers, body }) => {
    if (method === 'GET') {
      const url = `http://${String(headers.host)}/rpc`;
      const card =
        version === '1.0'
          ? {
              capabilities: { streaming, extensions },
              supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
            }
          : { capabilities: { streaming }, url, protocolVersion: '0.3.0', preferredTransport: 'JSONRPC' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(card));
      return;
    }
    const answer = methods[String(body['method'])];
    const frames = (answer?.(body['params']) ?? [{ error: { code: -32601, message: 'no method' } }]).map((frame) => ({
      jsonrpc: '2.0',
      id: body['id'],
      ...('error' in frame ? frame : { result: frame }),
    }));
    if (streaming && String(body['method']).match(/[Ss]tream|[Ss]ubscribe/)) {
      openStream(response);
      response.end(framed(frames));
    } else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(frames[0]));
  };
}

const task = (state: string, more: object = {}): object => ({ id: 't1', contextId: 'c1', status: { state, ...more } });
const ids = { taskId: 't1', contextId: 'c1' };
const artifact = (text: string, more: object = {}): object => ({
  artifactUpdate: { ...ids, artifact: { artifactId: 'a1', parts: [{ text }] }, ...more },
});
const status = (state: string, text?: string): object => ({
  statusUpdate: { ...ids, status: { state, ...(text !== undefined && { message: { parts: [{ text }] } }) } },
});

describe('a remote agent of A2A', () => {
  let upstream: UpstreamDouble;
  afterEach(() => upstream.close());

  async function run(answer: Answer): Promise<string[] | string> {
    upstream = await UpstreamDouble.start(answer);
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url });
    const one = new TestRun();
    try {
      const ended = await one.drive(agent);
      one.expectLegalStream();
      return ended.kind === 'completed' ? one.messages.map(textOf) : ended.kind;
    } catch (error) {
      return (error as { readonly code?: string }).code ?? String(error);
    } finally {
      await agent.close();
    }
  }

  it('artifacts that are appended are one message', async () => {
    const frames = [
      { task: task('TASK_STATE_WORKING') },
      artifact('Hello '),
      artifact('world.', { append: true, lastChunk: true }),
      status('TASK_STATE_COMPLETED', 'ignored'),
    ];
    expect(await run(server('1.0', { SendStreamingMessage: () => frames }))).toEqual(['Hello world.']);
    expect(upstream.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /.well-known/agent-card.json',
      'POST /rpc',
    ]);
    expect(upstream.seen[1]?.body).toMatchObject({
      method: 'SendStreamingMessage',
      params: { message: { role: 'ROLE_USER', parts: [{ text: 'Hello' }] } },
    });
  });

  it('version 0.3 is spoken too', async () => {
    const frames = [
      { kind: 'task', ...task('working') },
      {
        kind: 'artifact-update',
        ...ids,
        artifact: { artifactId: 'a1', parts: [{ kind: 'text', text: 'Hi.' }] },
        lastChunk: true,
      },
      { kind: 'status-update', ...ids, status: { state: 'completed' }, final: true },
    ];
    expect(await run(server('0.3', { 'message/stream': () => frames }))).toEqual(['Hi.']);
    expect(upstream.seen[1]?.body).toMatchObject({ params: { message: { kind: 'message', role: 'user' } } });
  });

  it('a whole artifact goes on with what was told, or begins anew', async () => {
    const frames = [
      { task: task('TASK_STATE_WORKING') },
      artifact('Hel'),
      artifact('Hello.'),
      status('TASK_STATE_COMPLETED'),
    ];
    expect(await run(server('1.0', { SendStreamingMessage: () => frames }))).toEqual(['Hello.']);
    await upstream.close();
    const other = [
      { task: task('TASK_STATE_WORKING') },
      artifact('Draft'),
      artifact('Final.'),
      status('TASK_STATE_COMPLETED'),
    ];
    expect(await run(server('1.0', { SendStreamingMessage: () => other }))).toEqual(['Draft', 'Final.']);
  });

  it.each(['1.0', '0.3'] as const)('an artifact that its server takes back is taken back, %s', async (version) => {
    const frames = [
      { task: task('TASK_STATE_WORKING') },
      artifact('The bar is '),
      artifact('', { append: true, lastChunk: true }),
      artifact('', { append: false, lastChunk: true, metadata: { discarded: true } }),
      artifact('The bar is dredged.', { lastChunk: true }),
      status('TASK_STATE_COMPLETED'),
    ];
    const methods = { SendStreamingMessage: () => frames, 'message/stream': () => frames };
    expect(await run(server(version, methods))).toEqual(['The bar is dredged.']);
  });

  it.each([
    ['in its snapshot', [{ artifactId: 'a2', parts: [{ text: 'Dredged.' }] }], []],
    ['behind it', [], [{ artifactUpdate: { ...ids, artifact: { artifactId: 'a2', parts: [{ text: 'Dredged.' }] } } }]],
  ])(
    'an artifact that another Parley has lost, which goes on with another one %s, is taken back',
    async (_, present, next) => {
      const methods = {
        SendStreamingMessage: () => [{ task: task('TASK_STATE_WORKING') }, artifact('The bar is ')],
        SubscribeToTask: () => [
          { task: { ...task('TASK_STATE_WORKING'), artifacts: present } },
          ...next,
          status('TASK_STATE_COMPLETED'),
        ],
      };
      const parley = [{ uri: 'urn:parley:a2a:idempotent-send:v1' }];
      expect(await run(server('1.0', methods, true, parley))).toEqual(['Dredged.']);
      await upstream.close();
      // Others may keep only what is whole.
      expect(await run(server('1.0', methods))).toEqual(['The bar is ', 'Dredged.']);
    },
  );

  it('an artifact that is not in a snapshot and goes on stays', async () => {
    const answer = server('1.0', {
      SendStreamingMessage: () => [{ task: task('TASK_STATE_WORKING') }, artifact('The bar ')],
      SubscribeToTask: () => [
        { task: task('TASK_STATE_WORKING') },
        artifact('is dredged.', { append: true }),
        status('TASK_STATE_COMPLETED'),
      ],
    });
    expect(await run(answer)).toEqual(['The bar is dredged.']);
  });

  it('a stream that ends early is continued with a snapshot, without a word twice', async () => {
    const whole = { artifactId: 'a1', parts: [{ text: 'Hello world.' }] };
    const answer = server('1.0', {
      SendStreamingMessage: () => [{ task: task('TASK_STATE_WORKING') }, artifact('Hello ')],
      SubscribeToTask: () => [
        { task: { ...task('TASK_STATE_WORKING'), artifacts: [whole] } },
        status('TASK_STATE_COMPLETED'),
      ],
    });
    expect(await run(answer)).toEqual(['Hello world.']);
    expect(upstream.seen.map(({ body }) => body['method'])).toEqual([
      undefined,
      'SendStreamingMessage',
      'SubscribeToTask',
    ]);
  });

  it('a task that cannot be subscribed to is looked at', async () => {
    let looks = 0;
    const answer = server('1.0', {
      SendStreamingMessage: () => [{ task: task('TASK_STATE_WORKING') }],
      SubscribeToTask: () => [{ error: { code: -32004, message: 'no' } }],
      GetTask: () => {
        looks += 1;
        return [{ ...task('TASK_STATE_COMPLETED'), artifacts: [{ artifactId: 'a1', parts: [{ text: 'Late.' }] }] }];
      },
    });
    expect(await run(answer)).toEqual(['Late.']);
    expect(looks).toBe(1);
  });

  it('an agent without streaming is asked again and again', async () => {
    let looks = 0;
    const answer = server(
      '1.0',
      {
        SendMessage: () => [{ task: task('TASK_STATE_SUBMITTED') }],
        GetTask: () => {
          looks += 1;
          const state = looks < 2 ? 'TASK_STATE_WORKING' : 'TASK_STATE_COMPLETED';
          return [{ ...task(state), artifacts: looks < 2 ? [] : [{ artifactId: 'a1', parts: [{ text: 'Done.' }] }] }];
        },
      },
      false,
    );
    expect(await run(answer)).toEqual(['Done.']);
  });

  it.each([
    ['a message', [{ message: { messageId: 'm', parts: [{ text: 'Hi.' }] } }], ['Hi.']],
    [
      'an end with words only',
      [{ task: task('TASK_STATE_COMPLETED', { message: { parts: [{ text: 'Ok.' }] } }) }],
      ['Ok.'],
    ],
    ['a failure', [{ task: task('TASK_STATE_FAILED', { message: { parts: [{ text: 'no' }] } }) }], 'UPSTREAM_FAILED'],
    ['a rejection', [{ task: task('TASK_STATE_REJECTED') }], 'UPSTREAM_REJECTED'],
    ['a cancel', [{ task: task('TASK_STATE_CANCELED') }], 'UPSTREAM_CANCELED'],
    ['an error', [{ error: { code: -32602, message: 'bad' } }], 'UPSTREAM_FAILED'],
  ])('%s is what it says', async (_, frames, expected) => {
    expect(await run(server('1.0', { SendStreamingMessage: () => frames }))).toEqual(expected);
  });

  it.each([
    [
      'UPSTREAM_REJECTED',
      [{ task: task('TASK_STATE_REJECTED', { message: { parts: [{ text: 'No\nsecret-value-1' }] } }) }],
    ],
    ['UPSTREAM_FAILED', [{ error: { code: -32602, message: 'No\nsecret-value-1' } }]],
  ])('the words of %s are one line without secrets, and its code is kept', async (code, frames) => {
    upstream = await UpstreamDouble.start(server('1.0', { SendStreamingMessage: () => frames }));
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url, headers: { 'x-key': 'secret-value-1' } });
    const error = await new TestRun().drive(agent).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code, message: 'No [secret]' });
    const details = code === 'UPSTREAM_FAILED' ? [{ path: 'upstream', message: '-32602', rule: 'code' }] : undefined;
    expect((error as { readonly details?: unknown }).details).toEqual(details);
    await agent.close();
  });

  it('a card that names another origin is not followed', async () => {
    const card = {
      capabilities: {},
      supportedInterfaces: [{ url: 'http://10.0.0.1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    };
    const answer: Answer = (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(card));
    expect(await run(answer)).toBe('CONFIGURATION_ERROR');
    expect(upstream.of('POST')).toEqual([]);
  });
});

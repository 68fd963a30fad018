import { textOf } from '../../../../events/index.js';
import { Crash, MemoryJournal } from '../../../testing/memory-journal.js';
import { TestRun } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { type Answer, framed, openStream, type SeenRequest, UpstreamDouble } from '../../testing/responses-double.js';

type Fields = Readonly<Record<string, unknown>>;

/** An entry of a card: where an agent is, and how it is spoken to. */
const interfaceAt = (protocolBinding: string, protocolVersion = '1.0', more: object = {}) => ({
  url: '/agent',
  protocolBinding,
  protocolVersion,
  ...more,
});
const TASK = { id: 'task/1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };
const ARTIFACT = { artifactId: 'a1', parts: [{ text: 'Hello.' }] };
const UPDATE = { artifactUpdate: { taskId: TASK.id, contextId: 'c1', artifact: ARTIFACT, lastChunk: true } };
const DONE = { statusUpdate: { taskId: TASK.id, contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } } };
const FRAMES = [{ task: TASK }, UPDATE, DONE];

describe('the interface of a remote agent of A2A', () => {
  let upstream: UpstreamDouble;
  afterEach(() => upstream.close());

  /** A server with this card; each address of it is on the server. */
  function server(card: Fields, answer: Answer): Answer {
    return (response, request) => {
      if (!request.path.includes('.well-known')) return answer(response, request);
      const text = JSON.stringify({ capabilities: { streaming: true }, ...card });
      const body = text.replaceAll('"url":"/agent"', `"url":"${upstream.url}/agent"`);
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    };
  }
  const json = (value: object, status = 200, type = 'application/a2a+json'): Answer => {
    return (response) => void response.writeHead(status, { 'content-type': type }).end(JSON.stringify(value));
  };
  const frames = (all: readonly object[]): Answer => {
    return (response, { body }) => {
      openStream(response);
      const isRpc = body['jsonrpc'] === '2.0';
      response.end(framed(isRpc ? all.map((result) => ({ jsonrpc: '2.0', id: body['id'], result })) : all));
    };
  };

  /** How a run ends: its texts, or its error. */
  async function run(card: Fields, answer: Answer, more: object = {}): Promise<unknown> {
    upstream = await UpstreamDouble.start(server(card, answer));
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url, ...more });
    const one = new TestRun();
    try {
      const ended = await one.drive(agent);
      one.expectLegalStream();
      return ended.kind === 'completed' ? one.messages.map(textOf) : ended.kind;
    } catch (error) {
      return error;
    } finally {
      await agent.close();
    }
  }
  const asked = (): string[] => upstream.seen.slice(1).map(({ method, path }) => `${method} ${path}`);
  const methods = (): unknown[] => upstream.of('POST').map(({ body }) => body['method']);

  it.each([
    ['is the only one', [interfaceAt('HTTP+JSON')]],
    ['is preferred', [interfaceAt('HTTP+JSON'), interfaceAt('JSONRPC')]],
    ['comes after one that is not spoken', [interfaceAt('GRPC'), interfaceAt('HTTP+JSON')]],
  ])('is HTTP+JSON where that %s', async (_, supportedInterfaces) => {
    expect(await run({ supportedInterfaces }, frames(FRAMES))).toEqual(['Hello.']);
    expect(asked()).toEqual(['POST /agent/message:stream']);
    expect(upstream.seen[1]?.headers).toMatchObject({ 'a2a-version': '1.0' });
    expect(upstream.seen[1]?.body).toMatchObject({ message: { role: 'ROLE_USER', parts: [{ text: 'Hello' }] } });
    expect(upstream.seen[1]?.body).not.toHaveProperty('jsonrpc');
  });

  it.each([
    ['is the only one', [interfaceAt('JSONRPC')], {}],
    ['is preferred', [interfaceAt('JSONRPC'), interfaceAt('HTTP+JSON')], {}],
    ['is configured', [interfaceAt('HTTP+JSON'), interfaceAt('JSONRPC')], { binding: 'JSONRPC' }],
  ])('is JSON-RPC where that %s', async (_, supportedInterfaces, more) => {
    expect(await run({ supportedInterfaces }, frames(FRAMES), more)).toEqual(['Hello.']);
    expect(methods()).toEqual(['SendStreamingMessage']);
  });

  it('is that of version 0.3 if the card knows no other, whose first address is preferred', async () => {
    const card = {
      url: '/agent',
      protocolVersion: '0.3.0',
      additionalInterfaces: [{ url: '/agent', transport: 'GRPC' }],
    };
    await run(card, frames([{ kind: 'message', messageId: 'm', parts: [{ kind: 'text', text: 'Hi.' }] }]));
    expect(methods()).toEqual(['message/stream']);
  });

  it.each([
    ['GRPC 1.0', [interfaceAt('GRPC')], {}, 'JSONRPC or HTTP+JSON'],
    ['HTTP+JSON 0.3', [interfaceAt('HTTP+JSON', '0.3')], {}, 'JSONRPC or HTTP+JSON'],
    ['JSONRPC 1.0', [interfaceAt('JSONRPC')], { binding: 'HTTP+JSON' }, 'HTTP+JSON'],
    ['JSONRPC 1.0', [interfaceAt('JSONRPC')], { protocol: '0.3' }, '0.3'],
    ['JSONRPC 2.0', [interfaceAt('JSONRPC', '2.0')], {}, 'JSONRPC or HTTP+JSON'],
    ['JSONRPC 10.0', [interfaceAt('JSONRPC', '10.0')], {}, 'JSONRPC or HTTP+JSON'],
    ['no interface', [], {}, 'JSONRPC or HTTP+JSON'],
  ])('is missed if the card offers %s', async (offered, supportedInterfaces, more, wanted) => {
    const error = await run({ supportedInterfaces }, frames(FRAMES), more);
    const message = `The card of the remote agent "travel" offers ${offered}, not ${wanted}`;
    expect(error).toMatchObject({ code: 'CONFIGURATION_ERROR', message });
    expect(asked()).toEqual([]);
  });

  it('may be at another origin only if that is configured', async () => {
    const other = await UpstreamDouble.start((response, request) => frames(FRAMES)(response, request));
    const card = { supportedInterfaces: [interfaceAt('HTTP+JSON', '1.0', { url: `${other.url}/x/` })] };
    expect(await run(card, frames([]))).toMatchObject({ code: 'CONFIGURATION_ERROR' });
    expect(other.seen).toEqual([]);
    await upstream.close();
    expect(await run(card, frames([]), { allowedOrigins: [other.url] })).toEqual(['Hello.']);
    expect(other.seen.map(({ path }) => path)).toEqual(['/x/message:stream']);
    await other.close();
  });

  it('needs no extension, unless the card requires one: that must be configured', async () => {
    const extensions = [
      { uri: 'urn:a:optional', required: false },
      { uri: 'urn:a:needed', required: true },
    ];
    const card = { capabilities: { streaming: true, extensions }, supportedInterfaces: [interfaceAt('HTTP+JSON')] };
    expect(await run(card, frames(FRAMES))).toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message:
        'The card of the remote agent "travel" requires the extension "urn:a:needed", which "extensions" does not name',
    });
    expect(asked()).toEqual([]);
    await upstream.close();
    expect(await run(card, frames(FRAMES), { extensions: ['urn:a:needed'] })).toEqual(['Hello.']);
    expect(upstream.seen[1]?.headers).toMatchObject({ 'a2a-extensions': 'urn:a:needed' });
  });

  it.each(['JSONRPC', 'HTTP+JSON'])('names the agent at an address of several (%s)', async (binding) => {
    const card = { supportedInterfaces: [interfaceAt(binding, '1.0', { tenant: 'a b' })] };
    expect(await run(card, frames(FRAMES))).toEqual(['Hello.']);
    if (binding === 'JSONRPC') expect(upstream.seen[1]?.body).toMatchObject({ params: { tenant: 'a b' } });
    else expect(asked()).toEqual(['POST /agent/a%20b/message:stream']);
  });

  it('without streaming is asked for the task until it is over, over HTTP+JSON too', async () => {
    const card = { capabilities: {}, supportedInterfaces: [interfaceAt('HTTP+JSON')] };
    const whole = { ...TASK, status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [ARTIFACT] };
    const answer: Answer = (response, request) =>
      json(request.method === 'POST' ? { task: TASK } : whole)(response, request);
    expect(await run(card, answer)).toEqual(['Hello.']);
    expect(asked()).toEqual(['POST /agent/message:send', 'GET /agent/tasks/task%2F1?historyLength=0']);
    expect(upstream.seen[1]?.body).toMatchObject({ configuration: { returnImmediately: true } });
  });

  it.each(['JSONRPC', 'HTTP+JSON'])(
    'is subscribed to again after the server has closed the stream (%s)',
    async (binding) => {
      const data = [{ reason: 'STREAM_CLOSED', domain: 'a2a-protocol.org' }];
      const isFirst = ({ path, body }: SeenRequest): boolean =>
        path.endsWith(':stream') || body['method'] === 'SendStreamingMessage';
      const answer: Answer = (response, request) => {
        if (!isFirst(request)) return frames([{ task: TASK }, UPDATE, DONE])(response, request);
        openStream(response);
        const error = { code: binding === 'JSONRPC' ? -32603 : 500, message: 'The task goes on' };
        const begun = binding === 'JSONRPC' ? { jsonrpc: '2.0', result: { task: TASK } } : { task: TASK };
        response.write(framed([begun]));
        response.end(framed([{ error: { ...error, [binding === 'JSONRPC' ? 'data' : 'details']: data } }]));
      };
      expect(await run({ supportedInterfaces: [interfaceAt(binding)] }, answer)).toEqual(['Hello.']);
      if (binding === 'JSONRPC') expect(methods()).toEqual(['SendStreamingMessage', 'SubscribeToTask']);
      else expect(asked()).toEqual(['POST /agent/message:stream', 'POST /agent/tasks/task%2F1:subscribe']);
    },
  );

  it.each([
    ['1.0', '0.3', 'message/stream'],
    ['0.3', '1.0', 'SendStreamingMessage'],
  ])('of version %s is asked once in version %s if it does not know the method', async (named, _, spoken) => {
    const answer: Answer = (response, request) => {
      if (request.body['method'] === spoken) {
        const message = { messageId: 'm', parts: [{ text: 'Hi.' }] };
        return frames([named === '1.0' ? { kind: 'message', ...message } : { message }])(response, request);
      }
      json(
        { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } },
        200,
        'application/json',
      )(response, request);
    };
    expect(await run({ supportedInterfaces: [interfaceAt('JSONRPC', named)] }, answer)).toEqual(['Hi.']);
    expect(methods()).toHaveLength(2);
    await upstream.close();
    const never = json({ jsonrpc: '2.0', error: { code: -32601, message: 'no' } }, 200, 'application/json');
    expect(await run({ supportedInterfaces: [interfaceAt('JSONRPC', named)] }, never)).toMatchObject({
      code: 'UPSTREAM_FAILED',
    });
    expect(methods()).toHaveLength(2);
  });

  it.each([
    ['that takes a message once gets it again', [{ uri: 'urn:parley:a2a:idempotent-send:v1' }], ['Hello.']],
    ['of any other kind does not', [], expect.objectContaining({ code: 'UPSTREAM_IN_DOUBT' })],
  ])('in doubt, a server %s', async (_, extensions, expected) => {
    const card = {
      capabilities: { streaming: true, extensions },
      supportedInterfaces: [interfaceAt('HTTP+JSON')],
    };
    upstream = await UpstreamDouble.start(server(card, frames(FRAMES)));
    const agent = remoteAgentFor({ type: 'a2a', url: upstream.url });
    const journal = new MemoryJournal([], 1);
    await expect(new TestRun({ journal }).drive(agent)).rejects.toBeInstanceOf(Crash);
    const second = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
    const outcome = await second.drive(agent).then(
      () => second.messages.map(textOf),
      (error: unknown) => error,
    );
    expect(outcome).toEqual(expected);
    const sent = upstream.seen.filter(({ path }) => path.endsWith('message:stream'));
    const ids = sent.map(({ body }) => (body['message'] as Fields)['messageId']);
    expect(ids).toEqual(extensions.length > 0 ? [ids[0], ids[0]] : [ids[0]]);
    await agent.close();
  });

  it('in doubt, a server whose card cannot be read for the moment is asked for it again', async () => {
    const extensions = [{ uri: 'urn:parley:a2a:idempotent-send:v1' }];
    const card = { capabilities: { streaming: true, extensions }, supportedInterfaces: [interfaceAt('HTTP+JSON')] };
    let cards = 0;
    const whole = server(card, frames(FRAMES));
    upstream = await UpstreamDouble.start((response, request) => {
      const isCard = request.path.includes('.well-known');
      if (isCard) cards += 1;
      if (isCard && cards === 2) response.writeHead(503, { 'retry-after': '0' }).end();
      else whole(response, request);
    });
    const entry = { type: 'a2a', url: upstream.url };
    const journal = new MemoryJournal([], 1);
    const agents = [remoteAgentFor(entry), remoteAgentFor(entry)] as const;
    await expect(new TestRun({ journal }).drive(agents[0])).rejects.toBeInstanceOf(Crash);
    const second = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
    await second.drive(agents[1]);
    expect(second.messages.map(textOf)).toEqual(['Hello.']);
    expect(cards).toBe(3);
    for (const agent of agents) await agent.close();
  });
});

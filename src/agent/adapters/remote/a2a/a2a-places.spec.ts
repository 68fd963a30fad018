import { textOf } from '../../../../events/index.js';
import { Crash, MemoryJournal } from '../../../testing/memory-journal.js';
import { TestRun } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { type Answer, framed, openStream, UpstreamDouble } from '../../testing/responses-double.js';

const IDS = { taskId: 't1', contextId: 'c1' };
const TASK = { id: 't1', contextId: 'c1', status: { state: 'working' } };
const ARTIFACT = { artifactId: 'a1', parts: [{ kind: 'text', text: 'Hello.' }] };
/** In version 0.3. */
const BEGUN = [
  { kind: 'task', ...TASK },
  { kind: 'artifact-update', ...IDS, artifact: ARTIFACT, lastChunk: true },
];
const END = { kind: 'status-update', ...IDS, status: { state: 'completed' }, final: true };

const json = (value: object): Answer => {
  return (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

describe('the place of an exchange with a remote agent of A2A', () => {
  const upstreams: UpstreamDouble[] = [];
  afterEach(async () => {
    await Promise.all(upstreams.splice(0).map((one) => one.close()));
  });

  /** A server whose methods answer with frames of a stream, and which has no other. */
  async function server(methods: Readonly<Record<string, readonly object[]>>): Promise<UpstreamDouble> {
    const upstream = await UpstreamDouble.start((response, request) => {
      const { id, method } = request.body;
      const frames = methods[String(method)];
      if (!frames) return json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } })(response, request);
      openStream(response);
      response.end(framed(frames.map((result) => ({ jsonrpc: '2.0', id, result }))));
    });
    upstreams.push(upstream);
    return upstream;
  }
  /** The address of a card that says where the agent is, in version 1.0. */
  async function card(at: () => string): Promise<UpstreamDouble> {
    const upstream = await UpstreamDouble.start((response, request) => {
      const supportedInterfaces = [{ url: at(), protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
      json({ capabilities: { streaming: true }, supportedInterfaces })(response, request);
    });
    upstreams.push(upstream);
    return upstream;
  }
  /** What an agent was asked; a process that dies in a test still cancels its task. */
  const methods = ({ seen }: UpstreamDouble): unknown[] =>
    seen.map(({ body }) => body['method']).filter((method) => method !== 'tasks/cancel');

  /** Runs until the process dies, with the task begun and nothing shown, and goes on in another one. */
  async function continued(entry: object, later: object = {}): Promise<unknown> {
    const journal = new MemoryJournal([], 2);
    const first = remoteAgentFor({ type: 'a2a', ...entry });
    await expect(new TestRun({ journal }).drive(first)).rejects.toBeInstanceOf(Crash);
    await first.close();
    const second = remoteAgentFor({ type: 'a2a', ...entry, ...later });
    const run = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
    const outcome = await run.drive(second).then(
      () => run.messages.map(textOf),
      (error: unknown) => (error as { readonly code?: string }).code,
    );
    await second.close();
    return outcome;
  }

  it('is kept with its version: another process goes on there, whatever the card says by now', async () => {
    const agent = await server({ 'message/stream': BEGUN, 'tasks/resubscribe': [...BEGUN, END] });
    const addresses = [agent.url];
    const cards: UpstreamDouble = await card(() => addresses.pop() ?? cards.url);
    expect(await continued({ url: cards.url, allowedOrigins: [agent.url] })).toEqual(['Hello.']);
    expect(methods(agent)).toEqual(['SendStreamingMessage', 'message/stream', 'tasks/resubscribe']);
    expect(cards.seen).toHaveLength(1);
  });

  it('is not gone on with at an origin that is no longer permitted', async () => {
    const agent = await server({ 'message/stream': BEGUN });
    const cards = await card(() => agent.url);
    const entry = { url: cards.url, allowedOrigins: [agent.url] };
    expect(await continued(entry, { allowedOrigins: [] })).toBe('CONFIGURATION_ERROR');
    expect(methods(agent)).toEqual(['SendStreamingMessage', 'message/stream']);
  });

  it('has the version that each of two runs at once has found by itself', async () => {
    const waiting: (() => void)[] = [];
    const agent = await UpstreamDouble.start((response, request) => {
      const { id, method } = request.body;
      if (method === 'message/stream') {
        const result = { kind: 'message', messageId: 'm', parts: [{ kind: 'text', text: 'Hi.' }] };
        return json({ jsonrpc: '2.0', id, result })(response, request);
      }
      waiting.push(() => json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } })(response, request));
      if (waiting.length === 2) for (const refuse of waiting) refuse();
    });
    upstreams.push(agent);
    const cards = await card(() => agent.url);
    const travel = remoteAgentFor({ type: 'a2a', url: cards.url, allowedOrigins: [agent.url] });
    const runs = [new TestRun(), new TestRun()];
    await Promise.all(runs.map((run) => run.drive(travel)));
    expect(runs.map(({ messages }) => messages.map(textOf))).toEqual([['Hi.'], ['Hi.']]);
    const third = new TestRun();
    await third.drive(travel);
    expect(methods(agent).slice(-1)).toEqual(['message/stream']);
    expect(agent.seen).toHaveLength(5);
    await travel.close();
  });

  it('keeps the version of the card if the other one is not understood either', async () => {
    const agent = await server({});
    const cards = await card(() => agent.url);
    const travel = remoteAgentFor({ type: 'a2a', url: cards.url, allowedOrigins: [agent.url] });
    for (let count = 0; count < 2; count += 1)
      await expect(new TestRun().drive(travel)).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' });
    const both = ['SendStreamingMessage', 'message/stream'];
    expect(methods(agent)).toEqual([...both, ...both]);
    await travel.close();
  });
});

import { textOf } from '../../../events/index.js';
import { Crash, MemoryJournal } from '../../testing/memory-journal.js';
import { TestRun } from '../../testing/test-run.js';
import { remoteAgentFor } from '../testing/remote-runs.js';
import {
  framed,
  keepingServer,
  openStream,
  paced,
  responseEvents,
  stream,
  UpstreamDouble,
} from '../testing/responses-double.js';
import type { KeptExchange } from './remote-kind.js';

const TEXTS = [['Good ', 'morning.'], ['How ', 'are ', 'you?'], ['Bye.']];
const WHOLE = ['Good morning.', 'How are you?', 'Bye.'];
const EVENTS = responseEvents('resp_1', TEXTS);

/** The texts of what stands when attempts one after the other have written their parts. */
async function attempts(url: string, crashAfter: number, more: object = {}): Promise<string[]> {
  const agent = remoteAgentFor({ type: 'responses', url, ...more });
  const journal = new MemoryJournal([], crashAfter);
  const first = new TestRun({ journal });
  let kept: string[] = [];
  try {
    await first.drive(agent);
    return first.messages.map(textOf);
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    kept = first.messages.filter(({ id }) => journal.keptMessageIds.has(id)).map(textOf);
  }
  const second = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
  await second.drive(agent);
  await agent.close();
  return [...kept, ...second.messages.map(textOf)];
}

/** What a run has kept for later ones with its last message. */
function keptOf(run: TestRun): KeptExchange {
  const state = JSON.parse(run.states.get(run.messages.at(-1)?.id ?? '') ?? '{}') as { remote_agent?: KeptExchange };
  if (!state.remote_agent) throw new Error('The run has kept nothing');
  return state.remote_agent;
}

describe('the recovery of a remote agent', () => {
  let upstream: UpstreamDouble;
  afterEach(() => upstream.close());

  it.each([2, 3, 4])('signs of life before the id of the answer lose it not, after %i writes', async (write) => {
    const kept = keepingServer(EVENTS);
    upstream = await UpstreamDouble.start((answer, request) => {
      if (request.method !== 'POST') return kept(answer, request);
      openStream(answer);
      answer.write(framed([{ type: 'keepalive' }, { type: 'ping' }, { type: 'response.in_progress' }]));
      paced(answer, EVENTS);
    });
    expect(await attempts(upstream.url, write)).toEqual(WHOLE);
    expect(upstream.of('POST').filter(({ path }) => path === '/responses')).toHaveLength(1);
  });

  it('a run that waits for a place and is handed over has sent nothing, and returns the place', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    upstream = await UpstreamDouble.start((answer) => {
      void released.then(() => stream(answer, EVENTS));
    });
    const agent = remoteAgentFor({ type: 'responses', url: upstream.url, maxConcurrent: 1 });
    const first = new TestRun().drive(agent);
    const waiting = new TestRun();
    const second = waiting.drive(agent);
    waiting.abort.abort(new Error('shutdown'));
    await expect(second).rejects.toThrow('shutdown');
    expect(waiting.journal.writes).toEqual([]);
    const third = new TestRun().drive(agent);
    release();
    expect(await first).toEqual({ kind: 'completed' });
    expect(await third).toEqual({ kind: 'completed' });
    expect(upstream.of('POST')).toHaveLength(2);
    await agent.close();
  });

  it.each([2, 3, 4])('a process that dies after %i writes goes on behind the last boundary', async (write) => {
    upstream = await UpstreamDouble.start(keepingServer(EVENTS));
    expect(await attempts(upstream.url, write)).toEqual(WHOLE);
    expect(upstream.of('POST').filter(({ path }) => path === '/responses')).toHaveLength(1);
  });

  it('a process that dies before the id of the answer is known does not ask again', async () => {
    upstream = await UpstreamDouble.start(keepingServer(EVENTS));
    await expect(attempts(upstream.url, 1)).rejects.toMatchObject({ code: 'UPSTREAM_IN_DOUBT' });
    expect(upstream.of('POST')).toHaveLength(1);
  });

  it('without re-attachment the run fails, and the upstream is asked once', async () => {
    upstream = await UpstreamDouble.start(keepingServer(EVENTS));
    await expect(attempts(upstream.url, 3, { background: false })).rejects.toMatchObject({ code: 'UPSTREAM_IN_DOUBT' });
    expect(upstream.of('POST')).toHaveLength(1);
  });

  it('with resend the upstream is asked twice, and nothing of the first answer stays', async () => {
    upstream = await UpstreamDouble.start(keepingServer(EVENTS));
    const more = { background: false, onDoubt: 'resend' };
    expect(await attempts(upstream.url, 1, more)).toEqual(WHOLE);
    expect(upstream.of('POST')).toHaveLength(2);
  });

  it('with resend the whole exchange is stored at its end: messages, calls, and what was asked', async () => {
    const pieces = [['One.'], ['Two.']];
    const request = { id: 'apr_1', type: 'mcp_approval_request', name: 'pay', arguments: '{}', server_label: 'bank' };
    const events = responseEvents('resp_1', pieces);
    const end = events.pop() as { readonly response: { readonly output: readonly object[] } };
    const asked = { type: 'response.output_item.done', output_index: 2, item: request };
    const response = { ...end.response, output: [...end.response.output, request] };
    upstream = await UpstreamDouble.start((answer) => {
      openStream(answer);
      paced(
        answer,
        [...events, asked, { ...end, response }].map((event, index) => ({ ...event, sequence_number: index })),
      );
    });
    const agent = remoteAgentFor({ type: 'responses', url: upstream.url, background: false, onDoubt: 'resend' });
    const run = new TestRun();
    expect(await run.drive(agent)).toMatchObject({ kind: 'interrupted', reason: 'approval' });
    await agent.close();
    expect(run.messages.map(({ type }) => type)).toEqual(['message', 'message', 'plugin_call', 'mcp_approval_request']);
    expect([...run.journal.keptMessageIds]).toEqual(run.messages.map(({ id }) => id));
    const [interrupt] = Object.keys(keptOf(run).approvals);
    expect(keptOf(run)).toMatchObject({ approvals: { [String(interrupt)]: 'apr_1' } });
    expect(run.journal.writes.at(-1)?.output).toMatchObject({
      calls: [{ name: 'pay' }],
      told: { items: ['#0', '#1', '#2'] },
    });
  });

  it.each(EVENTS.map((_, index) => index + 1).slice(0, -1))(
    'a connection that is cut after event %i is made again behind it',
    async (count) => {
      upstream = await UpstreamDouble.start(keepingServer(EVENTS, count));
      const agent = remoteAgentFor({ type: 'responses', url: upstream.url });
      const run = new TestRun();
      expect(await run.drive(agent)).toEqual({ kind: 'completed' });
      expect(run.messages.map(textOf)).toEqual(WHOLE);
      run.expectLegalStream();
      expect(upstream.of('GET')).toHaveLength(1);
      expect(upstream.of('GET')[0]?.path).toBe(`/responses/resp_1?stream=true&starting_after=${count - 1}`);
      await agent.close();
    },
  );

  it('an answer whose stream is gone is read whole, after looks that fail for the moment', async () => {
    const last = EVENTS.at(-1) as { readonly response: object };
    let looks = 0;
    upstream = await UpstreamDouble.start((response, { method, path }) => {
      if (method === 'GET' && !path.includes('stream')) {
        looks += 1;
        if (looks < 3) return void response.writeHead(looks === 1 ? 503 : 429, { 'retry-after': '0' }).end();
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(last.response));
      } else if (method === 'GET') response.writeHead(404).end();
      else {
        openStream(response);
        response.write(framed(EVENTS.slice(0, 4)), () => setImmediate(() => response.destroy()));
      }
    });
    const agent = remoteAgentFor({ type: 'responses', url: upstream.url });
    const run = new TestRun();
    expect(await run.drive(agent)).toEqual({ kind: 'completed' });
    expect(run.messages.map(textOf)).toEqual(WHOLE);
    run.expectLegalStream();
    expect(looks).toBe(3);
    await agent.close();
  });

  it('an answer that the upstream no longer has is lost', async () => {
    upstream = await UpstreamDouble.start((response, { method }) => {
      if (method === 'GET') response.writeHead(404).end();
      else {
        openStream(response);
        response.write(framed(EVENTS.slice(0, 4)), () => setImmediate(() => response.destroy()));
      }
    });
    const agent = remoteAgentFor({ type: 'responses', url: upstream.url });
    await expect(new TestRun().drive(agent)).rejects.toMatchObject({ code: 'UPSTREAM_LOST' });
    await agent.close();
  });
});

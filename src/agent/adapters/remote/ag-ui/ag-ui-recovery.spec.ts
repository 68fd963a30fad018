import { textOf } from '../../../../events/index.js';
import type { AgentOutcome } from '../../../agent.js';
import { Crash, MemoryJournal } from '../../../testing/memory-journal.js';
import { TestRun } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { framed, openStream, paced, stream, UpstreamDouble } from '../../testing/responses-double.js';

const RUN = { threadId: 't', runId: 'r' };
const STARTED = { type: 'RUN_STARTED', ...RUN };
const FINISHED = { type: 'RUN_FINISHED', ...RUN };
/** The writes of an attempt up to its first boundary: the request is about to be sent, its run is known, the boundary. */
const WRITES = 3;

describe('an AG-UI run that another process goes on with', () => {
  let upstream: UpstreamDouble;
  afterEach(() => upstream.close());

  /** How a run ends whose process dies behind the boundary of its first events. Its server replays from the beginning. */
  async function recovered(before: readonly object[], after: readonly object[]) {
    const journal = new MemoryJournal([], WRITES);
    upstream = await UpstreamDouble.start((response, { path }) => {
      if (path === '/connect') return stream(response, [STARTED, ...before, ...after]);
      openStream(response);
      response.write(framed([STARTED, ...before]));
      const rest = (): void => {
        if (journal.writes.length < WRITES) setImmediate(rest);
        else response.end(framed(after));
      };
      rest();
    });
    const { url } = upstream;
    const agent = remoteAgentFor({ type: 'ag-ui', url, reattach: 'connect', connectUrl: `${url}/connect` });
    const first = new TestRun({ journal });
    await expect(first.drive(agent)).rejects.toBeInstanceOf(Crash);
    const second = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
    const outcome: AgentOutcome = await second.drive(agent);
    await agent.close();
    expect(upstream.seen.map(({ path }) => path)).toEqual(['/', '/connect']);
    return { outcome, messages: second.messages };
  }

  it('asks for the approval of the call that was shown before', async () => {
    const call = { toolCallId: 'call_1' };
    const calls = [
      { type: 'TOOL_CALL_START', ...call, toolCallName: 'dredge' },
      { type: 'TOOL_CALL_ARGS', ...call, delta: '{"metres"' },
      { type: 'TOOL_CALL_ARGS', ...call, delta: ':2}' },
      { type: 'TOOL_CALL_END', ...call },
    ];
    const interrupts = [{ id: 'i1', reason: 'confirmation', ...call }];
    const { outcome } = await recovered(calls, [{ ...FINISHED, outcome: { type: 'interrupt', interrupts } }]);
    expect(outcome).toMatchObject({
      kind: 'interrupted',
      reason: 'approval',
      asked: [{ item: { kind: 'approval', tool_name: 'dredge', arguments: '{"metres":2}' } }],
    });
  });

  it('shows no message of the user as one of the assistant', async () => {
    const message = { messageId: 'm1' };
    const { outcome, messages } = await recovered(
      [{ type: 'TEXT_MESSAGE_START', ...message, role: 'user' }],
      [
        { type: 'TEXT_MESSAGE_CONTENT', ...message, delta: 'Dredge the bar.' },
        { type: 'TEXT_MESSAGE_END', ...message },
        FINISHED,
      ],
    );
    expect(outcome).toEqual({ kind: 'completed' });
    expect(messages).toEqual([]);
  });

  describe('and that changes the shared state within a message', () => {
    const OLD = { list: ['old'] };
    const message = { messageId: 'm1' };
    const events = [
      STARTED,
      { type: 'TEXT_MESSAGE_START', ...message, role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', ...message, delta: 'Dredged ' },
      { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/list/-', value: 'new' }] },
      { type: 'TEXT_MESSAGE_CONTENT', ...message, delta: 'the bar.' },
      { type: 'TEXT_MESSAGE_END', ...message },
      FINISHED,
    ];

    /** The state in the end, and those that the requests had, of a run whose process dies after some writes. */
    async function states(crashAfter: number, more: (url: string) => object) {
      upstream = await UpstreamDouble.start((response) => {
        openStream(response);
        paced(response, events);
      });
      const agent = remoteAgentFor({ type: 'ag-ui', url: upstream.url, ...more(upstream.url) });
      const journal = new MemoryJournal([], crashAfter);
      const first = new TestRun({ journal, state: OLD });
      await expect(first.drive(agent)).rejects.toBeInstanceOf(Crash);
      const second = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2, state: first.state });
      await second.drive(agent);
      await agent.close();
      return { end: second.state, sent: upstream.of('POST').map(({ path, body }) => [path, body['state']]) };
    }

    it.each([2, 3, 4])('changes it once, continued after %i writes', async (crashAfter) => {
      const connect = (url: string): object => ({ reattach: 'connect', connectUrl: `${url}/connect` });
      const { end } = await states(crashAfter, connect);
      expect(end).toEqual({ list: ['old', 'new'] });
    });

    it.each([1, 2])('begins with the same, sent again after %i writes', async (crashAfter) => {
      const { end, sent } = await states(crashAfter, () => ({ onDoubt: 'resend' }));
      expect(sent).toEqual([
        ['/', OLD],
        ['/', OLD],
      ]);
      expect(end).toEqual({ list: ['old', 'new'] });
    });
  });

  describe('whose server is another Parley', () => {
    const events = [
      STARTED,
      { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'Dredged.' },
      { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
      FINISHED,
    ];

    it.each([
      ['is not asked again if it has the run', true, ['GET']],
      ['is asked if it does not', false, ['GET', 'POST']],
    ])('which may have been asked, %s', async (_, hasRun, requests) => {
      const journal = new MemoryJournal([], 1);
      upstream = await UpstreamDouble.start((response, { method }) => {
        if (method === 'GET' && !hasRun) return void response.writeHead(404).end();
        response.setHeader('x-run-id', 'run-1');
        stream(response, events);
      });
      const { url } = upstream;
      const agent = remoteAgentFor({ type: 'ag-ui', url, reattach: 'parley', eventsUrl: `${url}/runs` });
      await expect(new TestRun({ journal }).drive(agent)).rejects.toBeInstanceOf(Crash);
      const sent = upstream.seen.length;
      const second = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
      expect(await second.drive(agent)).toEqual({ kind: 'completed' });
      await agent.close();
      expect(second.messages.map(textOf)).toEqual(['Dredged.']);
      const again = upstream.seen.slice(sent);
      expect(again.map(({ method }) => method)).toEqual(requests);
      const asked = upstream.of('POST')[0]?.body['runId'];
      expect(again[0]?.path).toBe(`/runs/${String(asked)}/events?protocol=ag-ui&after=0`);
    });
  });

  it('ends as incomplete if that was said before', async () => {
    const said = { type: 'CUSTOM', name: 'run.incomplete', value: { code: 'max_output_tokens' } };
    const { outcome } = await recovered([said, { type: 'STEP_STARTED', stepName: 'dredge' }], [FINISHED]);
    expect(outcome).toEqual({ kind: 'incomplete', reason: 'max_output_tokens' });
  });
});

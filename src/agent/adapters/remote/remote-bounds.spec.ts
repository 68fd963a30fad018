import { textOf } from '../../../events/index.js';
import { Crash, MemoryJournal } from '../../testing/memory-journal.js';
import { TestRun } from '../../testing/test-run.js';
import { remoteAgentFor } from '../testing/remote-runs.js';
import { framed, openStream, stream, UpstreamDouble } from '../testing/responses-double.js';
import { RemoteWriter } from './remote-writer.js';

const RUN = { threadId: 't', runId: 'r' };
const STARTED = { type: 'RUN_STARTED', ...RUN };
const FINISHED = { type: 'RUN_FINISHED', ...RUN };
const SETTING = { round: 0, approvalExpiresInMs: 1000, sharesState: true, earlier: [] };
/** The writes of an exchange before its first boundary: the request is about to be sent, its run is known. */
const BEFORE = 2;

describe('the shared state in the steps of a remote agent', () => {
  const snapshot = { text: 'x'.repeat(1000) };
  const events = [
    { type: 'STATE_SNAPSHOT', snapshot },
    ...Array.from({ length: 8 }, (_, value) => ({ type: 'CUSTOM', name: 'tick', value })),
    { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/more', value: 1 }] },
    { type: 'CUSTOM', name: 'tick', value: 8 },
  ];

  /** An upstream that sends each event after the boundary of the one before, and all of them again on `/connect`. */
  const upstreamFor = (journal: MemoryJournal): Promise<UpstreamDouble> =>
    UpstreamDouble.start((response, { path }) => {
      if (path === '/connect') return stream(response, [STARTED, ...events, FINISHED]);
      openStream(response);
      response.write(framed([STARTED]));
      let sent = 0;
      const next = (): void => {
        if (response.destroyed) return;
        if (journal.writes.length < BEFORE + sent) return void setImmediate(next);
        const event = events[sent];
        sent += 1;
        if (event) response.write(framed([event]), () => setImmediate(next));
        else response.end(framed([FINISHED]));
      };
      next();
    });

  it('is stored where it has changed', async () => {
    const journal = new MemoryJournal();
    const upstream = await upstreamFor(journal);
    const agent = remoteAgentFor({ type: 'ag-ui', url: upstream.url });
    await new TestRun({ journal }).drive(agent);
    await agent.close();
    await upstream.close();
    const boundaries = journal.writes.slice(BEFORE).filter(({ key }) => !key.endsWith(':state'));
    const states = boundaries.map(({ output }) => output?.['state']);
    expect(states.length).toBeGreaterThan(events.length);
    expect(states.filter((state) => state !== undefined)).toEqual([snapshot, { ...snapshot, more: 1 }]);
  });

  it('is that of the last step that has it, after a crash', async () => {
    const journal = new MemoryJournal([], BEFORE + 5);
    const upstream = await upstreamFor(journal);
    const { url } = upstream;
    const agent = remoteAgentFor({ type: 'ag-ui', url, reattach: 'connect', connectUrl: `${url}/connect` });
    await expect(new TestRun({ journal }).drive(agent)).rejects.toBeInstanceOf(Crash);
    const second = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
    await second.drive(agent);
    await agent.close();
    await upstream.close();
    expect(second.state).toEqual({ ...snapshot, more: 1 });
  });
});

describe('messages of a remote agent that never end', () => {
  it('are written when too many are open', () => {
    const run = new TestRun();
    const writer = new RemoteWriter(run.context, SETTING);
    for (let at = 0; at < 1000; at += 1) writer.text(`m${at}`, 'text', `${at}`);
    expect(run.messages.length).toBeGreaterThan(700);
    expect([...writer.finish(true)]).toEqual([]);
    expect(run.messages.map(textOf)).toEqual(Array.from({ length: 1000 }, (_, at) => `${at}`));
    run.expectLegalStream();
  });

  it('do not keep back what follows them', () => {
    const run = new TestRun();
    const writer = new RemoteWriter(run.context, SETTING);
    writer.text('forgotten', 'text', 'Well');
    for (let at = 0; at < 300; at += 1) {
      writer.text(`m${at}`, 'text', `${at}`);
      writer.end(`m${at}`);
    }
    expect(writer.isQuiet).toBe(true);
    expect(run.messages).toHaveLength(301);
  });

  it('are no longer open for what comes later', () => {
    const run = new TestRun();
    const writer = new RemoteWriter(run.context, SETTING);
    for (let at = 0; at < 300; at += 1) writer.text(`m${at}`, 'text', 'a');
    writer.text('m0', 'text', 'b');
    expect([...writer.finish(true)]).toEqual([]);
    expect(run.messages.map(textOf)).toEqual([...Array.from({ length: 300 }, () => 'a'), 'b']);
    run.expectLegalStream();
  });

  it('calls without results let others go on at the end', () => {
    const run = new TestRun();
    const writer = new RemoteWriter(run.context, SETTING);
    for (let at = 0; at < 300; at += 1) {
      writer.call(`k${at}`, `call_${at}`, 'look');
      writer.end(`k${at}`);
    }
    expect([...writer.finish(true)]).toHaveLength(4);
    expect(run.messages).toHaveLength(600);
    run.expectLegalStream();
  });
});

import type { AgentEvent } from '../../../events/index.js';
import { Crash, MemoryJournal } from '../../testing/memory-journal.js';
import { TestRun } from '../../testing/test-run.js';
import { remoteAgentFor } from '../testing/remote-runs.js';
import { framed, openStream, stream, UpstreamDouble } from '../testing/responses-double.js';

const RUN = { threadId: 't', runId: 'r' };
const STARTED = { type: 'RUN_STARTED', ...RUN };
const FINISHED = { type: 'RUN_FINISHED', ...RUN };
const ACTIVITY = { messageId: 'm', activityType: 'PLAN' };
const KIB = 1024;

/** So many patches, each of which doubles what it changes. */
const doubling = (count: number) =>
  Array.from({ length: count }, (_, at) => [{ op: 'copy', from: '', path: `/k${at}` }]);

/** A run with an upstream of AG-UI that sends these events. */
async function runWith(events: readonly object[]): Promise<TestRun> {
  const upstream = await UpstreamDouble.start((response) => stream(response, [STARTED, ...events, FINISHED]));
  const agent = remoteAgentFor({ type: 'ag-ui', url: upstream.url });
  const run = new TestRun();
  await run.drive(agent);
  run.expectLegalStream();
  await agent.close();
  await upstream.close();
  return run;
}

const rawOf = (events: readonly AgentEvent[]) => events.filter(({ object }) => object === 'raw');
const activitiesOf = (events: readonly AgentEvent[]) => events.filter(({ object }) => object === 'activity');

describe('patches of a remote agent', () => {
  it('do not make the shared state larger than 256 KiB: what is beyond is raw', async () => {
    const run = await runWith([
      { type: 'STATE_SNAPSHOT', snapshot: { a: 'x'.repeat(64) } },
      ...doubling(60).map((delta) => ({ type: 'STATE_DELTA', delta })),
    ]);
    const size = JSON.stringify(run.state).length;
    expect(size).toBeGreaterThan(64 * KIB);
    expect(size).toBeLessThanOrEqual(256 * KIB);
    expect(rawOf(run.events).length).toBeGreaterThan(45);
  });

  it('do not do so within one event', async () => {
    const snapshot = { a: 'x'.repeat(64) };
    const run = await runWith([
      { type: 'STATE_SNAPSHOT', snapshot },
      { type: 'STATE_DELTA', delta: doubling(60).flat() },
    ]);
    expect(run.state).toEqual(snapshot);
    expect(rawOf(run.events)).toHaveLength(1);
  });

  it('do not make an activity larger than 256 KiB', async () => {
    const run = await runWith([
      { type: 'ACTIVITY_SNAPSHOT', ...ACTIVITY, content: { a: 'x'.repeat(64) } },
      ...doubling(60).map((patch) => ({ type: 'ACTIVITY_DELTA', ...ACTIVITY, patch })),
    ]);
    expect(activitiesOf(run.events).length).toBeLessThan(15);
    expect(rawOf(run.events).length).toBeGreaterThan(45);
  });

  it('do not make many activities larger than 8 MiB together', async () => {
    const run = await runWith(
      Array.from({ length: 100 }, (_, at) => ({
        type: 'ACTIVITY_DELTA',
        messageId: `m${at}`,
        activityType: 'PLAN',
        patch: [{ op: 'add', path: '/a', value: 'x'.repeat(32 * KIB) }, ...doubling(2).flat()],
      })),
    );
    expect(activitiesOf(run.events)).toHaveLength(63);
    expect(rawOf(run.events)).toHaveLength(37);
  });

  it('of an activity that do not fit are raw', async () => {
    const run = await runWith([
      { type: 'ACTIVITY_SNAPSHOT', ...ACTIVITY, content: { done: [] } },
      { type: 'ACTIVITY_DELTA', ...ACTIVITY, patch: [{ op: 'replace', path: '/done/4000000000', value: 1 }] },
      { type: 'ACTIVITY_DELTA', ...ACTIVITY, patch: [{ op: 'add', path: '/hasOwnProperty/call', value: 1 }] },
      { type: 'ACTIVITY_DELTA', ...ACTIVITY, patch: [{ op: 'add', path: '/done/-', value: 1 }] },
    ]);
    expect(activitiesOf(run.events)).toMatchObject([
      { kind: 'snapshot', content: { done: [] } },
      { kind: 'delta', patch: [{ op: 'add', path: '/done/-', value: 1 }] },
    ]);
    expect(rawOf(run.events)).toMatchObject([
      { event: { type: 'ACTIVITY_DELTA', messageId: 'm' } },
      { event: { type: 'ACTIVITY_DELTA', messageId: 'm' } },
    ]);
  });

  it('of an activity that was shown before a crash are made once', async () => {
    const before = [{ type: 'ACTIVITY_SNAPSHOT', ...ACTIVITY, content: { done: ['a'] } }];
    const patch = [{ op: 'add', path: '/done/-', value: 'b' }];
    const after = [{ type: 'ACTIVITY_DELTA', ...ACTIVITY, patch }, FINISHED];
    // The request is about to be sent, its run is known, the boundary.
    const writes = 3;
    const journal = new MemoryJournal([], writes);
    const upstream = await UpstreamDouble.start((response, { path }) => {
      if (path === '/connect') return stream(response, [STARTED, ...before, ...after]);
      openStream(response);
      response.write(framed([STARTED, ...before]));
      const rest = (): void => {
        if (journal.writes.length < writes) setImmediate(rest);
        else response.end(framed(after));
      };
      rest();
    });
    const { url } = upstream;
    const agent = remoteAgentFor({ type: 'ag-ui', url, reattach: 'connect', connectUrl: `${url}/connect` });
    await expect(new TestRun({ journal }).drive(agent)).rejects.toBeInstanceOf(Crash);
    const second = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
    await second.drive(agent);
    await agent.close();
    await upstream.close();
    // The first attempt may have shown the patch, too: the whole is right in any case.
    expect(activitiesOf(second.events)).toMatchObject([{ kind: 'snapshot', content: { done: ['a', 'b'] } }]);
  });
});

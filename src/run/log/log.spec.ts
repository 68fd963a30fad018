import fc from 'fast-check';
import { Logger } from '@nestjs/common';
import { Metrics, SystemClock } from '../../common/index.js';
import { type AgentEvent, LoggedEvent, type AgentResponse } from '../../events/index.js';
import { RunMetrics } from '../run.metrics.js';
import type { RunRecord } from '../run-record.js';
import { type CommitFailure, MemoryRunLog, NO_USAGE, runningRun } from '../testing/memory-run-log.js';
import { LocalRelay } from '../adapters/local/local-relay.js';
import type { RunRelay } from '../ports/run-relay.js';
import { HintMetrics } from '../hint.metrics.js';
import { GroupCommit } from './group-commit.js';
import { LogCommit } from './log-commit.js';
import { RunFeed, RunFeeds } from './run-feeds.js';
import { RunTail } from './run-tail.js';
import { RunWatch } from './run-watch.js';
import { RunWriter } from './run-writer.js';

const note = (value: number): AgentEvent => ({ object: 'custom', name: 'note', value });
const LAST: AgentResponse = {
  object: 'response',
  status: 'completed',
  error: null,
  id: 'run',
  created_at: 0,
  completed_at: 0,
  output: [],
  usage: null,
  session_id: null,
};
const END = { state: 'completed', error: null, usage: null, output: [], sessionState: undefined } as const;
const STEP = { key: 'k', status: 'begun', inputHash: 'h', output: null, messageIds: [] } as const;

/** The live parts of one process over one log. */
class Process {
  readonly feeds = new RunFeeds();
  readonly commits: GroupCommit;
  readonly losses: unknown[] = [];
  deadline = Number.MAX_SAFE_INTEGER;

  readonly watch: RunWatch;

  constructor(
    readonly log = new MemoryRunLog(),
    relay: RunRelay = new LocalRelay(),
  ) {
    const metrics = new RunMetrics(new Metrics());
    this.commits = new GroupCommit(new LogCommit(log.ledger(), metrics, NO_USAGE), log, relay, metrics);
    this.watch = new RunWatch(
      { log, runs: log.store() },
      relay,
      this.feeds,
      new HintMetrics(new Metrics()),
      new SystemClock(),
    );
  }

  writer(run: RunRecord = runningRun()): RunWriter {
    const feed = this.feeds.join(run.rowId);
    feed.hasWriter = true;
    return new RunWriter(run, {
      commits: this.commits,
      feed,
      now: () => 0,
      deadline: () => this.deadline,
      onLost: (reason) => void this.losses.push(reason),
      onLostEvents: () => undefined,
    });
  }

  async read(run: RunRecord, after = -1, signal?: AbortSignal): Promise<number[]> {
    const seqs: number[] = [];
    const options = signal ? { after, signal } : { after };
    for await (const batch of new RunTail(() => Promise.resolve(run), options, this.watch.sources))
      seqs.push(...batch.map(({ seq }) => seq));
    return seqs;
  }
}

const finish = (writer: RunWriter): void => {
  writer.emit(LAST);
  writer.finish(END);
};
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

beforeAll(() => void Logger.overrideLogger(false));

describe('the log writer', () => {
  it('events written in one turn are committed together and not shown before', async () => {
    const here = new Process();
    const writer = here.writer();
    for (const value of range(0, 5)) writer.emit(note(value));
    writer.step(STEP);
    expect(here.feeds.join(1).from(0, 9)).toBeUndefined();
    await writer.flush();
    expect(here.log.batches).toEqual([1]);
    expect(here.log.of(1)).toHaveLength(5);
    expect(
      here.feeds
        .join(1)
        .from(0, 9)
        ?.map(({ seq }) => seq),
    ).toEqual([0, 1, 2, 3, 4]);
    await writer.flush();
  });

  it('the events of many runs are committed together', async () => {
    const here = new Process();
    const writers = range(1, 21).map((rowId) => here.writer(runningRun({ rowId })));
    for (const writer of writers) writer.emit(note(0));
    await Promise.all(writers.map((writer) => writer.flush()));
    expect(here.log.batches).toEqual([20]);
    await here.commits.idle();
  });

  it('everything after the end is rejected', async () => {
    const here = new Process();
    const writer = here.writer();
    finish(writer);
    await writer.flush();
    expect(() => writer.emit(note(1))).toThrow(expect.objectContaining({ code: 'WORKER_LOST' }) as Error);
    expect(() => writer.step(STEP)).toThrow(expect.objectContaining({ code: 'WORKER_LOST' }) as Error);
    expect(here.log.of(1)).toHaveLength(1);
  });

  it('a writer learns that another process has the run', async () => {
    const here = new Process();
    const [writer, neighbour] = [here.writer(), here.writer(runningRun({ rowId: 2, fence: 2 }))];
    here.log.fence = 2;
    writer.emit(note(0));
    neighbour.emit(note(0));
    await expect(writer.flush()).rejects.toMatchObject({ code: 'WORKER_LOST' });
    await neighbour.flush();
    expect(here.losses).toHaveLength(1);
    expect(() => writer.emit(note(1))).toThrow();
    expect([here.log.of(1).length, here.log.of(2).length]).toEqual([0, 1]);
  });

  it.each<CommitFailure>(['before', 'after'])('an append that fails %s its commit is written once', async (failure) => {
    const here = new Process();
    const [first, second] = [here.writer(), here.writer(runningRun({ rowId: 2 }))];
    here.log.failures.push(failure);
    for (const value of range(0, 3)) first.emit(note(value));
    second.step(STEP);
    await Promise.all([first.flush(), second.flush()]);
    finish(first);
    await first.flush();
    expect(here.log.of(1)).toHaveLength(4);
    expect(here.log.written.length).toBeGreaterThanOrEqual(1);
    expect(here.losses).toEqual([]);
  });

  it('a failed append is retried until the lease has ended, then the run is given up', async () => {
    const here = new Process();
    const writer = here.writer();
    here.log.failures.push('before', 'before', 'before');
    writer.emit(note(0));
    await writer.flush();
    here.deadline = 0;
    here.log.failures.push('before', 'before');
    writer.emit(note(1));
    await expect(writer.flush()).rejects.toMatchObject({ code: 'WORKER_LOST' });
    expect(here.losses).toHaveLength(1);
  });

  it('a run whose row is locked is written later, in order, and delays no other run', async () => {
    const here = new Process();
    const [locked, other] = [here.writer(runningRun({ rowId: 1 })), here.writer(runningRun({ rowId: 2 }))];
    here.log.locked.add(1);
    for (const value of range(0, 5)) {
      for (const writer of [locked, other]) writer.emit(note(value));
      await other.flush();
    }
    expect([here.log.of(1).length, here.log.of(2).length]).toEqual([0, 5]);
    here.log.locked.clear();
    finish(locked);
    await locked.flush();
    await here.commits.idle();
    expect(await here.read(runningRun({ rowId: 1 }))).toEqual(range(0, 6));
    expect(here.losses).toEqual([]);
  });

  it('the agent waits for the commit of its first events', async () => {
    const writer = new Process().writer();
    for (const value of range(0, 17)) writer.emit(note(value));
    await writer.highWater();
    expect(writer.highWater()).toBeUndefined();
    for (const value of range(0, 17)) writer.emit(note(value));
    expect(writer.highWater()).toBeUndefined();
  });

  it('the agent waits above the high-water mark', async () => {
    const writer = new Process().writer();
    writer.emit(note(-1));
    await writer.flush();
    for (const value of range(0, 2100)) writer.emit(note(value));
    await writer.highWater();
    expect(writer.highWater()).toBeUndefined();
  });
});

describe('the run feed', () => {
  const events = (from: number, to: number, size = 1): LoggedEvent[] =>
    range(from, to).map((seq) => new LoggedEvent(seq, 'x'.repeat(size)));

  it('a full feed drops the older half', () => {
    const feed = new RunFeed();
    feed.publish(events(0, 5000));
    expect(feed.from(0, 1)).toBeUndefined();
    expect(feed.from(4999, 9)?.map(({ seq }) => seq)).toEqual([4999]);
    expect(feed.from(5000, 9)).toEqual([]);
    expect([feed.has(4999), feed.has(5000)]).toEqual([true, false]);
  });

  it('events that do not connect are not kept', () => {
    const feed = new RunFeed();
    feed.publish(events(0, 10));
    feed.publish(events(20, 22));
    expect(feed.from(10, 99)).toBeUndefined();
    expect(feed.from(20, 99)?.map(({ seq }) => seq)).toEqual([20, 21]);
  });

  it('the feed is dropped with its last user', () => {
    const feeds = new RunFeeds();
    const feed = feeds.join(1);
    expect(feeds.join(1)).toBe(feed);
    feeds.leave(1);
    feeds.leave(1);
    expect(feeds.join(1)).not.toBe(feed);
  });
});

describe('the run tail', () => {
  it('the replay and the live events join without gap or repeat, whenever the tail begins', async () => {
    const bursts = fc.array(fc.record({ size: fc.nat(40), turns: fc.nat(4) }), { maxLength: 12 });
    const readers = fc.array(fc.record({ turns: fc.nat(30), part: fc.double({ min: 0, max: 1, noNaN: true }) }), {
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(bursts, readers, async (program, starts) => {
        const here = new Process();
        const writer = here.writer();
        const writing = (async () => {
          let value = 0;
          for (const burst of program) {
            for (let left = burst.size; left > 0; left -= 1) writer.emit(note((value += 1)));
            await turns(burst.turns);
          }
          finish(writer);
        })();
        const total = program.reduce((sum, { size }) => sum + size, 1);
        const reading = starts.map(async (start) => {
          await turns(start.turns);
          const nextSeq = here.log.of(1).length;
          const after = Math.floor(nextSeq * start.part) - 1;
          const finishedAt = nextSeq === total ? 1 : null;
          expect(await here.read(runningRun({ nextSeq, finishedAt }), after)).toEqual(range(after + 1, total));
        });
        await Promise.all([writing, ...reading]);
      }),
      { numRuns: 60 },
    );
  });

  it('events that the feed no longer has are read from the log', async () => {
    const here = new Process();
    const writer = here.writer();
    for (const value of range(0, 6000)) writer.emit(note(value));
    await writer.flush();
    const reading = here.read(runningRun({ nextSeq: 6000 }));
    finish(writer);
    expect(await reading).toEqual(range(0, 6001));
    expect(here.log.reads).toBeGreaterThan(1);
  });

  it('a run of another process is read from the log', async () => {
    const here = new Process();
    const writer = here.writer();
    const reader = new Process(here.log);
    const reading = reader.read(runningRun());
    for (const value of range(0, 3)) {
      writer.emit(note(value));
      await writer.flush();
      await turns(3);
    }
    finish(writer);
    expect(await reading).toEqual(range(0, 4));
  });

  it('only a cursor beyond the end is rejected', async () => {
    const here = new Process();
    const writer = here.writer();
    writer.emit(note(0));
    finish(writer);
    await writer.flush();
    const run = runningRun({ nextSeq: 2 });
    await expect(here.read(run, 2)).rejects.toMatchObject({ code: 'CURSOR_AHEAD' });
    expect(await here.read(run, 0)).toEqual([1]);
  });

  it('a tail ends and leaves the feed when its reader leaves while it waits', async () => {
    const here = new Process();
    const writer = here.writer();
    const feed = here.feeds.join(1);
    writer.emit(note(0));
    await writer.flush();
    const users = feed.users;
    const gone = new AbortController();
    const reading = here.read(runningRun({ nextSeq: 1 }), -1, gone.signal);
    await turns(5);
    expect(feed.users).toBe(users + 1);
    gone.abort();
    expect(await reading).toEqual([0]);
    expect(feed.users).toBe(users);
  });

  it('a tail ends when the process shuts down', async () => {
    const here = new Process();
    here.writer();
    const reading = here.read(runningRun());
    await turns(3);
    here.feeds.close();
    expect(await reading).toEqual([]);
  });
});

import { Metrics, SystemClock } from '../../common/index.js';
import type { SessionStore } from '../../agent/session/index.js';
import { LocalRelay } from '../adapters/local/local-relay.js';
import type { RunStore } from '../ports/run-store.js';
import type { RunRecord } from '../run-record.js';
import { MemoryRunLog, runningRun } from '../testing/memory-run-log.js';
import { HintMetrics } from '../hint.metrics.js';
import { RunFeeds } from './run-feeds.js';
import { RunReader } from './run-reader.js';
import { RunWatch } from './run-watch.js';

const ALICE = { tenantId: 'default', userId: 'alice' };
const SESSION = { ...ALICE, sessionId: 'session' };

/** A reader of runs in memory. Only `setTimeout` is fake: polling happens when a test says so. */
class Bench {
  readonly relay = new LocalRelay();
  readonly feeds = new RunFeeds();
  readonly controller = new AbortController();
  runs: RunRecord[] = [];
  reads = 0;
  looks = 0;
  private readonly store: Pick<RunStore, 'next' | 'watch'> = {
    watch: (_rowIds, waits) => {
      this.looks += 1;
      const arrived = waits.filter(({ afterOrdinal }) => this.runs.some(({ ordinal }) => ordinal > afterOrdinal));
      return Promise.resolve({ runs: new Map(), arrived });
    },
    next: (_principal, _sessionId, after) => {
      this.reads += 1;
      return Promise.resolve(this.runs.find(({ ordinal }) => ordinal > after));
    },
  };
  private readonly reader: RunReader;

  constructor() {
    const [log, store] = [new MemoryRunLog(), this.store as RunStore];
    const watch = new RunWatch(
      { log, runs: store },
      this.relay,
      this.feeds,
      new HintMetrics(new Metrics()),
      new SystemClock(),
    );
    this.reader = new RunReader(log, this.feeds, store, {} as SessionStore, watch);
  }

  next(after: number): Promise<number | undefined> {
    return this.reader.next(ALICE, 'session', after, this.controller.signal).then((run) => run?.ordinal);
  }

  accept(ordinal: number): void {
    this.runs.push(runningRun({ ordinal }));
  }

  expectNothingLeft(): void {
    expect(jest.getTimerCount()).toBe(0);
    expect(this.relay.size).toBe(0);
  }
}

/** Lets every promise that is ready settle. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the next run of a session', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] }));
  afterEach(() => jest.useRealTimers());

  it('an existing run is returned at once, the oldest first', async () => {
    const bench = new Bench();
    for (const ordinal of [1, 2, 3]) bench.accept(ordinal);
    expect(await bench.next(0)).toBe(1);
    expect(await bench.next(1)).toBe(2);
    expect(bench.reads).toBe(2);
    bench.expectNothingLeft();
  });

  it('an announced run is returned without waiting for a poll', async () => {
    const bench = new Bench();
    const [first, second] = [bench.next(1), bench.next(1)];
    await settled();
    bench.relay.announce({ ...SESSION, sessionId: 'other' });
    bench.relay.announce({ ...SESSION, userId: 'bob' });
    await settled();
    expect(bench.reads).toBe(2);
    bench.accept(2);
    bench.relay.announce(SESSION);
    expect(await Promise.all([first, second])).toEqual([2, 2]);
    expect(bench.reads).toBe(4);
    bench.expectNothingLeft();
  });

  it('a run announced while the database is read is not missed', async () => {
    const bench = new Bench();
    const next = bench.next(0);
    bench.accept(1);
    bench.relay.announce(SESSION);
    expect(await next).toBe(1);
    bench.expectNothingLeft();
  });

  it('a run of another process is found by looks for all waits together, with growing intervals', async () => {
    const bench = new Bench();
    const waits = [bench.next(0), bench.next(0), bench.next(0)];
    for (const wait of [50, 100, 200, 250, 250]) {
      const { looks } = bench;
      await settled();
      await jest.advanceTimersByTimeAsync(wait - 1);
      expect(bench.looks).toBe(looks);
      await jest.advanceTimersByTimeAsync(1);
      await settled();
      expect(bench.looks).toBe(looks + 1);
    }
    expect(bench.reads).toBe(waits.length);
    bench.accept(1);
    await jest.advanceTimersByTimeAsync(250);
    expect(await Promise.all(waits)).toEqual([1, 1, 1]);
    bench.expectNothingLeft();
  });

  it('nothing is returned when the caller leaves or the server stops', async () => {
    const bench = new Bench();
    const left = bench.next(0);
    await settled();
    bench.controller.abort();
    expect(await left).toBeUndefined();
    expect(await bench.next(0)).toBeUndefined();
    bench.expectNothingLeft();
    const stopped = new Bench();
    const open = stopped.next(0);
    await settled();
    stopped.feeds.close();
    expect(await open).toBeUndefined();
    expect(await stopped.next(0)).toBeUndefined();
    stopped.expectNothingLeft();
  });

  it('nothing is left behind when the database fails', async () => {
    const bench = new Bench();
    bench.runs = undefined as unknown as RunRecord[];
    await expect(bench.next(0)).rejects.toThrow(TypeError);
    bench.expectNothingLeft();
  });
});

import fc from 'fast-check';
import { Clock, Metrics } from '../../common/index.js';
import { TopicListeners } from '../adapters/topic-listeners.js';
import { HintMetrics } from '../hint.metrics.js';
import { type RelayListener, type RelayMessage, type RelayState, RunRelay } from '../ports/run-relay.js';
import type { RunRecord } from '../run-record.js';
import { MemoryRunLog, runningRun } from '../testing/memory-run-log.js';
import { RunFeeds } from './run-feeds.js';
import { RunTail } from './run-tail.js';
import { RunWatch } from './run-watch.js';

const RUN = 1;
const END = '{"object":"response","status":"completed","id":"run"}';
const line = (seq: number): string => `{"object":"custom","name":"note","value":${seq}}`;
/** How far the time moves at once, in milliseconds. */
const STEP_MS = 50;
/** Within this time after the end of the run every reader has it, whatever the relay lost: a look, and its grace. */
const MOST_MS = 6000;

/** What becomes of one message. */
interface Fate {
  /** None: it is lost. Several: it is repeated. Each comes after its own delay, so that messages overtake each other. */
  readonly delays: readonly number[];
  /** The events are left out, only their number arrives. */
  readonly isBare: boolean;
}

const FATE: fc.Arbitrary<Fate> = fc.record({
  delays: fc.oneof(
    { weight: 4, arbitrary: fc.constant([0]) },
    { weight: 3, arbitrary: fc.array(fc.nat(800), { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant([]) },
  ),
  isBare: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

/** What happens one after the other: events are committed by the owner, readers come, the run is taken over. */
const STORY = fc.array(
  fc.record({
    events: fc.nat(8),
    fate: FATE,
    /** How late a new reader's subscription is confirmed. */
    reader: fc.option(fc.record({ afterShare: fc.nat(100), subscribedAfter: fc.nat(400) }), { nil: undefined }),
    isTakenOver: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    /** What the relay says of itself, rightly or wrongly. */
    state: fc.constantFrom<RelayState>('live', 'live', 'live', 'degraded'),
    waitMs: fc.constantFrom(0, 0, 50, 300, 1500, 6000),
  }),
  { minLength: 1, maxLength: 12 },
);

class VirtualClock extends Clock {
  elapsed = 0;

  now(): number {
    return this.elapsed;
  }

  override monotonic(): number {
    return this.elapsed;
  }
}

/** A relay that loses, repeats, reorders and delays what is sent, as the fates say. */
class LossyRelay extends RunRelay {
  state: RelayState = 'live';
  fate: Fate = { delays: [0], isBare: false };
  subscribedAfter = 0;
  readonly listeners = new TopicListeners();
  private readonly changes = new Set<() => void>();

  onStateChange(listener: () => void): () => void {
    this.changes.add(listener);
    return () => this.changes.delete(listener);
  }

  become(state: RelayState): void {
    if (state === this.state) return;
    this.state = state;
    for (const listener of this.changes) listener();
  }

  protected send(topic: string, message: RelayMessage): void {
    const { delays, isBare } = this.fate;
    const sent = isBare && typeof message === 'object' ? { ...message, lines: undefined } : message;
    for (const delay of delays) setTimeout(() => this.listeners.call(topic, sent), delay);
  }

  protected subscribe(topic: string, listener: RelayListener): () => void {
    const remove = this.listeners.add(topic, listener);
    setTimeout(() => this.listeners.call(topic, 'subscribed'), this.subscribedAfter);
    return remove;
  }
}

/** A process that follows the run of another one. */
class Follower {
  readonly log = new MemoryRunLog();
  readonly relay = new LossyRelay();
  readonly metrics = new HintMetrics(new Metrics());
  private readonly clock = new VirtualClock();
  private readonly watch = new RunWatch(
    { log: this.log, runs: this.log.store() },
    this.relay,
    new RunFeeds(),
    this.metrics,
    this.clock,
  );
  private readonly readings: { readonly first: number; readonly seqs: number[]; isOver: boolean }[] = [];
  private isEnded = false;

  get length(): number {
    return this.log.of(RUN).length;
  }

  /** The owner commits events and publishes them. */
  commit(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const firstSeq = this.length;
    this.log.of(RUN).push(...lines);
    this.isEnded ||= lines.includes(END);
    const nextSeq = firstSeq + lines.length;
    this.relay.publish(this.run(), { fence: this.log.fence, firstSeq, nextSeq, lines, at: 0 });
  }

  read(first: number): void {
    const reading = { first, seqs: [] as number[], isOver: false };
    this.readings.push(reading);
    const tail = new RunTail(() => Promise.resolve(this.run()), { after: first - 1 }, this.watch.sources);
    const all = async (): Promise<void> => {
      for await (const batch of tail) {
        for (const { seq, json } of batch) {
          reading.seqs.push(seq);
          expect(json).toBe(this.log.of(RUN)[seq]);
        }
      }
      reading.isOver = true;
    };
    void all();
  }

  async pass(ms: number, isOver: () => boolean = () => false): Promise<void> {
    for (let passed = 0; passed < ms && !isOver(); passed += STEP_MS) {
      this.clock.elapsed += STEP_MS;
      await jest.advanceTimersByTimeAsync(STEP_MS);
      for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Every reader has every event after its cursor once, in order, and its stream has ended. */
  async expectAllRead(): Promise<void> {
    const isOver = (): boolean => this.readings.every((reading) => reading.isOver);
    await this.pass(MOST_MS, isOver);
    for (const { first, seqs, isOver: hasEnded } of this.readings) {
      expect(seqs).toEqual(Array.from({ length: this.length - first }, (_, index) => first + index));
      expect(hasEnded).toBe(true);
    }
    expect([this.watch.size, this.relay.listeners.size]).toEqual([0, 0]);
  }

  private run(): RunRecord {
    const finishedAt = this.isEnded ? 1 : null;
    return runningRun({ rowId: RUN, fence: this.log.fence, nextSeq: this.length, finishedAt });
  }
}

describe('readers of a run that another process executes', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] }));
  afterEach(() => jest.useRealTimers());

  it('get every event once, in order, and the end, whatever the relay does', async () => {
    await fc.assert(
      fc.asyncProperty(STORY, FATE, async (story, lastFate) => {
        const follower = new Follower();
        const { relay, log } = follower;
        follower.read(0);
        for (const { events, fate, reader, isTakenOver, state, waitMs } of story) {
          relay.become(state);
          relay.fate = fate;
          if (isTakenOver) log.fence += 1;
          const { length } = follower;
          follower.commit(Array.from({ length: events }, (_, index) => line(length + index)));
          if (reader) {
            relay.subscribedAfter = reader.subscribedAfter;
            follower.read(Math.floor((length * reader.afterShare) / 100));
          }
          await follower.pass(waitMs);
        }
        relay.fate = lastFate;
        follower.commit([END]);
        await follower.expectAllRead();
      }),
      { numRuns: 60 },
    );
  });

  it('a relay that loses everything and calls itself live costs a look and its grace, and is counted', async () => {
    const follower = new Follower();
    follower.read(0);
    await follower.pass(1000);
    follower.relay.fate = { delays: [], isBare: false };
    follower.commit([line(0), line(1), END]);
    await follower.expectAllRead();
    expect(follower.metrics.gaps.value).toBe(1);
  });
});

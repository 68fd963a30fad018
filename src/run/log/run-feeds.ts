import { Injectable } from '@nestjs/common';
import { TurnoverMap } from '../../runtime/index.js';
import type { LoggedEvent } from '../../events/index.js';

/** What a feed keeps for readers that are slightly behind; older events are read from the log. */
const KEPT_EVENTS = 1024;
const KEPT_CHARACTERS = 128 * 1024;

/** The live end of one run in this process: its newest committed events, and the readers that wait for more. */
export class RunFeed {
  /** True while this process executes the run: every new event is published here. */
  hasWriter = false;
  /** True once the run was removed: nothing more can be read. */
  isRemoved = false;
  /** How many writers and readers use the feed; the last one to leave drops it. */
  users = 0;
  /** Called when the feed is dropped. Set by what brings it the events of another process. */
  onDrop: (() => void) | undefined;
  private events: LoggedEvent[] = [];
  /** One more than the greatest number that is known to be committed, kept or not. */
  private end = 0;
  private characters = 0;
  private waiting: (() => void)[] = [];

  /** How many events are known to be committed, kept or not. */
  get nextSeq(): number {
    return this.end;
  }

  /** Adds committed events and wakes the readers. */
  publish(events: readonly LoggedEvent[]): void {
    const last = this.events.at(-1);
    // Another process wrote in between: the kept events no longer connect.
    if (last && events[0] && events[0].seq !== last.seq + 1) this.clear();
    for (const event of events) {
      this.events.push(event);
      this.characters += event.json.length;
      this.end = event.seq + 1;
    }
    this.trim();
    this.notify();
  }

  /** Takes note that events up to a number are in the log, and wakes the readers if that is news: they read them there. */
  advance(nextSeq: number): void {
    if (nextSeq <= this.end) return;
    this.clear();
    this.end = nextSeq;
    this.notify();
  }

  /** The kept events from a number on, at most `limit`; undefined when they must be read from the log. */
  from(seq: number, limit: number): readonly LoggedEvent[] | undefined {
    const first = this.events[0];
    if (!first || seq < first.seq) return undefined;
    return this.events.slice(seq - first.seq, seq - first.seq + limit);
  }

  /** True when an event with this number is known: a reader at `seq` need not wait. */
  has(seq: number): boolean {
    return this.end > seq;
  }

  /** Resolves at the next `notify`. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Wakes every reader: an event was published, or something else changed that they check. */
  notify(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }

  private clear(): void {
    this.events = [];
    this.characters = 0;
  }

  private trim(): void {
    if (this.events.length <= KEPT_EVENTS && this.characters <= KEPT_CHARACTERS) return;
    // Half at a time, so that the cost of moving the rest is spread over many events.
    const dropped = this.events.splice(0, Math.ceil(this.events.length / 2));
    for (const event of dropped) this.characters -= event.json.length;
  }
}

/** The feeds of the runs that this process executes or reads. */
@Injectable()
export class RunFeeds {
  private readonly feeds = new TurnoverMap<number, RunFeed>();
  private readonly closeListeners = new Set<() => void>();
  private closed = false;

  /** Takes the feed of a run into use; every call needs one `leave`. */
  join(runRowId: number): RunFeed {
    let feed = this.feeds.get(runRowId);
    if (!feed) {
      feed = new RunFeed();
      this.feeds.set(runRowId, feed);
    }
    feed.users += 1;
    return feed;
  }

  /** Ends a use; the last user drops the feed. */
  leave(runRowId: number): void {
    const feed = this.feeds.get(runRowId);
    if (!feed || (feed.users -= 1) > 0) return;
    this.feeds.delete(runRowId);
    feed.onDrop?.();
  }

  /** True once the process shuts down: readers end, and their clients resume on another instance. */
  get isClosed(): boolean {
    return this.closed;
  }

  /** Calls the listener once when the feeds close. Returns a function that unsubscribes it. */
  onClose(listener: () => void): () => void {
    this.closeListeners.add(listener);
    return () => this.closeListeners.delete(listener);
  }

  /** Ends every reader. */
  close(): void {
    this.closed = true;
    for (const feed of this.feeds.values()) feed.notify();
    for (const listener of this.closeListeners) listener();
    this.closeListeners.clear();
  }
}

import type { LoggedEvent } from '../../events/index.js';

/** What a feed keeps for readers that are a little behind; older events are read from the log. */
const KEPT_EVENTS = 1024;
const KEPT_CHARACTERS = 128 * 1024;

/**
 * The live end of one run in this process: the newest committed events and a bell for its readers.
 * `next` is the number the next committed event will have.
 */
export class RunFeed {
  /** True while this process executes the run: every new event will be published here. */
  owned = false;
  /** How many writers and readers use the feed; it is dropped with the last. */
  users = 0;
  private events: LoggedEvent[] = [];
  /** One more than the greatest number that was published, kept or not. */
  private next = 0;
  private characters = 0;
  private bells: (() => void)[] = [];

  /** Adds committed events and wakes the readers. */
  publish(events: readonly LoggedEvent[]): void {
    const last = this.events.at(-1);
    // Another process wrote in between: what was kept before no longer joins up.
    if (last && events[0] && events[0].seq !== last.seq + 1) this.clear();
    for (const event of events) {
      this.events.push(event);
      this.characters += event.json.length;
      this.next = event.seq + 1;
    }
    this.trim();
    this.ring();
  }

  /** The kept events from a number on, at most `limit`; undefined when the log has to be asked. */
  from(seq: number, limit: number): readonly LoggedEvent[] | undefined {
    const first = this.events[0];
    if (!first || seq < first.seq) return undefined;
    return this.events.slice(seq - first.seq, seq - first.seq + limit);
  }

  /** True when an event with this number was published: a reader at `seq` need not wait. */
  has(seq: number): boolean {
    return this.next > seq;
  }

  /** Resolves at the next `ring`, or after `timeoutMs` when given. */
  wait(timeoutMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      if (timeoutMs === undefined) {
        this.bells.push(resolve);
        return;
      }
      const timer = setTimeout(resolve, timeoutMs);
      this.bells.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Wakes every reader: something was published, or something else changed that they should look at. */
  ring(): void {
    const bells = this.bells;
    this.bells = [];
    for (const bell of bells) bell();
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

import type { ResponseBuilder } from '../../../events/index.js';
import { RemoteCall, RemoteText } from './remote-segments.js';

/** The most messages that are told or wait at once: beyond them, the oldest one is closed. */
const MOST_OPEN = 256;

/** One message: streamed, or written as a whole at its turn. */
interface Entry {
  readonly segment?: RemoteText | RemoteCall;
  /** Writes a whole message. Returns its id. */
  readonly write?: () => string;
  /** The upstream's id of the message, if it has one. */
  source?: string | undefined;
  /** The key of the message that it goes with. */
  readonly owner?: string | undefined;
  /** Ours, of a whole message that is written. */
  id?: string;
  isEnded: boolean;
}

/** How a whole message is named. */
export interface WholeName {
  readonly key?: string;
  /** The upstream's id of it. */
  readonly source?: string | undefined;
  /** The key of the message that it goes with, as a file does with a text. */
  readonly owner?: string | undefined;
}

/** Messages that were taken back. */
export interface DiscardedMessages {
  /** Ours, of those that were written. */
  readonly messageIds: readonly string[];
  /** Ours, of the calls among them. */
  readonly callIds: readonly string[];
}

/**
 * The messages of one exchange, in their order. Only one is open at a time: the front message is streamed, and later ones
 * are buffered until it is complete.
 */
export class RemoteQueue {
  private readonly entries = new Map<string, Entry>();
  private queue: Entry[] = [];
  private messageIds: string[] = [];
  private newSources: Record<string, string> = {};
  private anonymous = 0;

  constructor(private readonly response: ResponseBuilder) {}

  /** True while no message is half told. */
  get isEmpty(): boolean {
    return this.queue.length === 0;
  }

  /** True if a message was written since the last `takePart`. */
  get hasNews(): boolean {
    return this.messageIds.length > 0;
  }

  /** The upstream's ids of the messages since the last `takePart`, by ours. */
  get sources(): Readonly<Record<string, string>> {
    return this.newSources;
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  /** The text of a message so far, as it came; undefined if it has not begun. */
  told(key: string): string | undefined {
    return this.entries.get(key)?.segment?.received;
  }

  /** A message that nothing has ended. */
  open(key: string): RemoteText | RemoteCall | undefined {
    const entry = this.entries.get(key);
    return entry?.isEnded === false ? entry.segment : undefined;
  }

  /** A message is behind all others. It is shown by `advance`. */
  begin(key: string, segment: RemoteText | RemoteCall): void {
    this.add(key, { segment, isEnded: false });
  }

  /** Writes a whole message at its turn. @param write returns its id */
  write(write: () => string, { key = `whole:${(this.anonymous += 1)}`, source, owner }: WholeName = {}): void {
    this.add(key, { write, isEnded: true, source, owner });
    this.advance();
  }

  /** Notes the upstream's id of a message. */
  bind(key: string, source: string): void {
    const entry = this.entries.get(key);
    if (entry) entry.source = source;
  }

  /** Nothing follows to a message. Unknown ones are no matter. */
  end(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    entry.isEnded = true;
    this.advance();
  }

  /** Nothing follows to any message. */
  endAll(): void {
    for (const entry of this.entries.values()) entry.isEnded = true;
    this.advance();
  }

  /** Shows everything. What nothing has ended stays open: the end of the run closes it. */
  leave(): void {
    for (const { segment, write, isEnded } of this.queue.splice(0)) {
      const id = write?.() ?? segment?.messageId;
      segment?.activate(this.response);
      if (!isEnded && !write) continue;
      segment?.close();
      this.messageIds.push(id ?? segment?.messageId ?? '');
    }
  }

  /** Opens the front message and closes complete ones. */
  advance(): void {
    let entry = this.queue[0];
    if (entry?.segment?.messageId !== undefined && !entry.isEnded) return;
    let done = 0;
    for (; entry; entry = this.queue[done]) {
      const { segment, write, source } = entry;
      segment?.activate(this.response);
      if (!entry.isEnded) break;
      segment?.close();
      if (write) entry.id = write();
      const id = idOf(entry);
      if (id !== undefined) this.messageIds.push(id);
      if (id !== undefined && source !== undefined) this.newSources[id] = source;
      done += 1;
    }
    if (done > 0) this.queue = this.queue.slice(done);
  }

  /** The messages that were written since the last call, and the upstream's ids of them. */
  takePart(): { readonly messageIds: readonly string[]; readonly messages: Readonly<Record<string, string>> } {
    const part = { messageIds: this.messageIds, messages: this.newSources };
    this.messageIds = [];
    this.newSources = {};
    return part;
  }

  /**
   * Forgets messages that no `takePart` has returned. What waits for its turn is not shown before the next `advance`.
   *
   * @param names their keys, those of the messages that they go with, or the upstream's ids
   */
  discard(names: ReadonlySet<string>): DiscardedMessages {
    const waiting = new Set(this.queue);
    const written = new Set(this.messageIds);
    const gone = [...this.entries].filter(([key, entry]) => {
      const isNamed = [key, entry.source, entry.owner].some((name) => name !== undefined && names.has(name));
      return isNamed && (waiting.has(entry) || written.has(idOf(entry) ?? ''));
    });
    for (const [key, entry] of gone) {
      this.entries.delete(key);
      waiting.delete(entry);
    }
    const discarded = gone.map(([, entry]) => entry);
    const messageIds = new Set(discarded.map(idOf).filter((id) => id !== undefined));
    this.queue = [...waiting];
    this.messageIds = this.messageIds.filter((id) => !messageIds.has(id));
    for (const id of messageIds) delete this.newSources[id];
    const calls = discarded.map(({ segment }) => segment).filter((segment) => segment instanceof RemoteCall);
    return { messageIds: [...messageIds], callIds: calls.map(({ callId }) => callId) };
  }

  private add(key: string, entry: Entry): void {
    this.entries.set(key, entry);
    this.queue.push(entry);
    const [oldest] = this.queue;
    if (this.queue.length <= MOST_OPEN || !oldest) return;
    oldest.isEnded = true;
    this.advance();
  }
}

function idOf({ id, segment }: Entry): string | undefined {
  return id ?? segment?.messageId;
}

import { randomUUID } from 'node:crypto';
import type * as IoRedis from 'ioredis';
import type { Redis, RedisOptions } from 'ioredis';
import { loadPackage } from '../../../common/index.js';

/** After this time without an answer Redis counts as slow, in milliseconds. */
const SLOW_MS = 250;
/** How often the way to Redis and back is tried, in milliseconds. */
const PROBE_MS = 1000;
/** A connection without an answer for this long is opened again, in milliseconds. */
const DEAD_MS = 10_000;
/** The longest pause between two attempts to connect, in milliseconds. */
const RECONNECT_MS = 2000;
/** What may wait to be sent, in bytes. Above it nothing is sent. */
const BACKLOG_BYTES = 8 * 1024 * 1024;
/** Channels of one command. */
const BATCH = 500;

const OPTIONS: RedisOptions = {
  enableOfflineQueue: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  connectTimeout: DEAD_MS,
  retryStrategy: (attempt) => Math.min(attempt * 100, RECONNECT_MS),
};

/** What a link reports. */
export interface LinkEvents {
  message(channel: string, text: string): void;
  /** From now on messages of this channel arrive. */
  subscribed(channel: string): void;
  /** `isLive` has changed. */
  changed(): void;
  /** Redis has answered a message, or it was given up. @param milliseconds how long that took */
  settled(milliseconds: number): void;
}

/**
 * Two connections to Redis, one that publishes and one that is subscribed to the wanted channels, opened again whenever
 * they break. The link is live while a message of its own comes back in time.
 */
export class RedisLink {
  isLive = false;
  private readonly commands: Redis;
  private readonly subscriber: Redis;
  private readonly wanted = new Set<string>();
  /** What was subscribed on this connection, or is about to be. */
  private asked = new Set<string>();
  /** What is subscribed on this connection. */
  private readonly confirmed = new Set<string>();
  private isSyncing = false;
  private readonly probeChannel: string;
  private probe = 0;
  private isAnswered = true;
  /** When each connection last brought something. */
  private readonly heardAt = { commands: performance.now(), subscriber: performance.now() };
  /** Bytes that wait for an answer, about. */
  private pending = 0;
  private readonly timer: NodeJS.Timeout;
  private closed = false;

  constructor(
    url: string,
    prefix: string,
    private readonly events: LinkEvents,
  ) {
    this.probeChannel = `${prefix}probe:${randomUUID()}`;
    this.wanted.add(this.probeChannel);
    this.commands = new (driver().Redis)(url, { ...OPTIONS, commandTimeout: SLOW_MS, enableAutoPipelining: true });
    this.subscriber = new (driver().Redis)(url, OPTIONS);
    for (const connection of [this.commands, this.subscriber]) {
      // Each failing command is handled by its sender.
      connection.on('error', () => undefined);
      connection.on('close', () => this.setLive(false));
      connection.on('ready', () => this.sendProbe());
    }
    this.subscriber.on('ready', () => this.resubscribe());
    this.subscriber.on('message', (channel: string, text: string) => this.receive(channel, text));
    this.timer = setInterval(() => this.sendProbe(), PROBE_MS).unref();
  }

  /** Subscribes to a channel, soon. */
  want(channel: string): void {
    this.wanted.add(channel);
    this.syncSoon();
  }

  /** Whether the messages of a channel arrive. */
  isSubscribed(channel: string): boolean {
    return this.confirmed.has(channel);
  }

  /** Unsubscribes from a channel, soon. */
  unwant(channel: string): void {
    this.wanted.delete(channel);
    this.syncSoon();
  }

  /**
   * Publishes a message; undefined, and nothing is sent, while there is no connection or too much waits to be sent.
   *
   * @returns how many connections got it
   * @throws Error when no answer comes in time; the message may arrive nevertheless
   */
  publish(channel: string, text: string): Promise<number> | undefined {
    const { commands } = this;
    if (commands.status !== 'ready') return undefined;
    // What has timed out does not wait for its answer, but may still wait to be sent.
    if (this.pending + commands.stream.writableLength > BACKLOG_BYTES) return undefined;
    this.pending += text.length;
    const sentAt = performance.now();
    return commands
      .publish(channel, text)
      .then((readers) => {
        this.heardAt.commands = performance.now();
        return readers;
      })
      .finally(() => {
        this.pending -= text.length;
        this.events.settled(performance.now() - sentAt);
      });
  }

  close(): void {
    this.closed = true;
    clearInterval(this.timer);
    this.commands.disconnect();
    this.subscriber.disconnect();
  }

  private receive(channel: string, text: string): void {
    if (channel !== this.probeChannel) return this.events.message(channel, text);
    this.heardAt.subscriber = performance.now();
    if (text !== String(this.probe)) return;
    this.isAnswered = true;
    this.setLive(true);
  }

  /** Publishes a message to itself. If it does not come back in time, the link is not live. */
  private sendProbe(): void {
    if (this.closed) return;
    this.reconnectSilent();
    if (!this.confirmed.has(this.probeChannel)) return this.setLive(false);
    this.probe += 1;
    this.isAnswered = false;
    const { probe } = this;
    this.publish(this.probeChannel, String(probe))?.catch(() => undefined);
    // What has arrived while the event loop was busy is handled before the verdict.
    const judge = (): void => {
      if (this.probe === probe && !this.isAnswered) this.setLive(false);
    };
    setTimeout(() => setImmediate(judge), SLOW_MS).unref();
  }

  /** A connection whose other end is gone does not always notice it by itself. */
  private reconnectSilent(): void {
    const now = performance.now();
    for (const name of ['commands', 'subscriber'] as const) {
      const connection = this[name];
      const isSilent = connection.status === 'ready' && now - this.heardAt[name] > DEAD_MS;
      if (connection.status !== 'ready' || isSilent) this.heardAt[name] = now;
      if (isSilent) connection.disconnect(true);
    }
  }

  private resubscribe(): void {
    this.asked = new Set();
    this.confirmed.clear();
    this.syncSoon();
  }

  private syncSoon(): void {
    if (this.isSyncing) return;
    this.isSyncing = true;
    setImmediate(() => {
      this.isSyncing = false;
      this.sync();
    });
  }

  /** Subscribes to what is wanted and was not asked for, and the other way round. */
  private sync(): void {
    if (this.closed || this.subscriber.status !== 'ready') return;
    const { asked } = this;
    const surplus = [...asked].filter((channel) => !this.wanted.has(channel));
    const missing = [...this.wanted].filter((channel) => !asked.has(channel));
    for (const channel of surplus) {
      asked.delete(channel);
      this.confirmed.delete(channel);
    }
    for (const channel of missing) asked.add(channel);
    for (const batch of batches(surplus)) this.subscriber.unsubscribe(...batch).catch(() => undefined);
    for (const batch of batches(missing)) {
      this.subscriber.subscribe(...batch).then(
        () => this.confirm(batch, asked),
        () => undefined,
      );
    }
  }

  private confirm(channels: readonly string[], asked: ReadonlySet<string>): void {
    // The answer of a connection that has broken since.
    if (asked !== this.asked) return;
    for (const channel of channels) {
      if (!asked.has(channel)) continue;
      this.confirmed.add(channel);
      if (channel === this.probeChannel) this.sendProbe();
      else this.events.subscribed(channel);
    }
  }

  private setLive(isLive: boolean): void {
    if (this.closed || this.isLive === isLive) return;
    this.isLive = isLive;
    this.events.changed();
  }
}

function* batches(channels: readonly string[]): Iterable<string[]> {
  for (let start = 0; start < channels.length; start += BATCH) yield channels.slice(start, start + BATCH);
}

/** The driver, which is installed only where a setting asks for it. @throws StartupError */
function driver(): typeof IoRedis {
  return loadPackage<typeof IoRedis>('ioredis', 'REDIS_URL');
}

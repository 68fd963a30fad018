import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type Histogram, Metrics } from '../../../common/index.js';
import { HintMetrics } from '../../hint.metrics.js';
import {
  type RelayedEvents,
  type RelayListener,
  type RelayMessage,
  type RelayState,
  RunRelay,
} from '../../ports/run-relay.js';
import { TopicListeners } from '../topic-listeners.js';
import { RedisLink } from './redis-link.js';

/** Longer events are not sent: they are read from the ledger. In characters. */
const MOST_CHARACTERS = 64 * 1024;
/** The version of the format, fence, first number, end, time. A process that does not know the version reads the ledger. */
const HEAD = /^1 (\d{1,15}) (\d{1,15}) (\d{1,15}) (\d{1,15})$/;

/**
 * A message as text: a line of numbers, then each event on a line of its own. Events are lines already, so nothing is
 * encoded again.
 *
 * @param withLines false for numbers only
 */
function encodeMessage(message: RelayMessage, withLines: boolean): string {
  if (typeof message === 'string') return message;
  const { fence, firstSeq, nextSeq, at, lines } = message;
  const head = `1 ${fence} ${firstSeq} ${nextSeq} ${at}`;
  if (!withLines || !lines) return head;
  let length = 0;
  for (const line of lines) length += line.length;
  return length > MOST_CHARACTERS ? head : `${head}\n${lines.join('\n')}`;
}

/** What a text says; `changed` if it cannot be read. */
function decodeMessage(text: string): RelayMessage {
  const end = text.indexOf('\n');
  const head = HEAD.exec(end < 0 ? text : text.slice(0, end));
  if (!head) return 'changed';
  const [fence = 0, firstSeq = 0, nextSeq = 0, at = 0] = head.slice(1).map(Number);
  const lines = end < 0 ? undefined : text.slice(end + 1).split('\n');
  const isWhole = nextSeq > firstSeq && (lines === undefined || lines.length === nextSeq - firstSeq);
  const events: RelayedEvents = { fence, firstSeq, nextSeq, lines, at };
  return isWhole ? events : 'changed';
}

/** Channels of other programs on the same Redis server begin with other words. */
const PREFIX = 'parley:';
/** Topics without readers that are remembered. */
const REMEMBERED = 10_000;

/**
 * The relay over Redis: a channel for each topic. Messages are sent without waiting; those that cannot be sent are lost.
 * While nobody is subscribed to a run, only the numbers of its events are sent.
 */
@Injectable()
export class RedisRelay extends RunRelay implements OnApplicationShutdown {
  private readonly logger = new Logger('Relay');
  private readonly listeners = new TopicListeners();
  private readonly stateListeners = new Set<() => void>();
  /** Topics whose last message nobody got. */
  private readonly unread = new Set<string>();
  private readonly link: RedisLink;
  private readonly seconds: Histogram;

  /** @param url the Redis server; it need not be reachable */
  constructor(
    url: string,
    private readonly metrics = new HintMetrics(new Metrics()),
  ) {
    super();
    this.seconds = metrics.redisSeconds.with('publish');
    this.link = new RedisLink(url, PREFIX, {
      message: (channel, text) => this.listeners.call(channel.slice(PREFIX.length), decodeMessage(text)),
      subscribed: (channel) => this.listeners.call(channel.slice(PREFIX.length), 'subscribed'),
      changed: () => this.stateChanged(),
      settled: (milliseconds) => this.seconds.observe(milliseconds / 1000),
    });
  }

  get state(): RelayState {
    return this.link.isLive ? 'live' : 'degraded';
  }

  onStateChange(listener: () => void): () => void {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  }

  onApplicationShutdown(): void {
    this.link.close();
  }

  protected send(topic: string, message: RelayMessage): void {
    this.listeners.call(topic, message);
    const text = encodeMessage(message, !this.unread.has(topic));
    const answer = this.link.publish(PREFIX + topic, text);
    if (!answer) return;
    this.metrics.published.add();
    answer.then(
      (readers) => this.count(topic, readers),
      () => undefined,
    );
  }

  protected subscribe(topic: string, listener: RelayListener): () => void {
    const remove = this.listeners.add(topic, listener);
    const channel = PREFIX + topic;
    this.link.want(channel);
    // The channel is subscribed already: for an earlier listener, or one that has just left.
    if (this.link.isSubscribed(channel)) setImmediate(() => isWanted && listener('subscribed'));
    let isWanted = true;
    return () => {
      isWanted = false;
      remove();
      if (!this.listeners.has(topic)) this.link.unwant(channel);
    };
  }

  private count(topic: string, readers: number): void {
    if (readers > 0) this.unread.delete(topic);
    else if (this.unread.size < REMEMBERED) this.unread.add(topic);
    else this.unread.clear();
  }

  private stateChanged(): void {
    if (this.state === 'live') this.logger.log('Events and signals of other processes arrive over Redis');
    else this.logger.warn('Redis does not answer in time: the database is watched instead');
    for (const listener of this.stateListeners) listener();
  }
}

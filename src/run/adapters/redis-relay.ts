import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type Histogram, Metrics } from '../../common/index.js';
import { HintMetrics } from '../hint.metrics.js';
import { type RelayListener, type RelayMessage, type RelayState, RunRelay } from '../ports/run-relay.js';
import { decodeMessage, encodeMessage } from './relay-message.js';
import { RedisLink } from './redis-link.js';
import { TopicListeners } from './topic-listeners.js';

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

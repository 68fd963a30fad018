import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type * as BullMq from 'bullmq';
import type { Job, Queue, Worker } from 'bullmq';
import type * as IoRedis from 'ioredis';
import type { Redis } from 'ioredis';
import { type Histogram, loadPackage, Metrics } from '../../../common/index.js';
import { HintMetrics } from '../../hint.metrics.js';
import { RunTickets, type TakenTickets, type Ticket } from '../../ports/run-tickets.js';
import { idOf, LocalTickets, rank } from '../local/local-tickets.js';

/** The name of the queue. BullMQ makes keys of it: `<prefix>:runs:…`. */
const QUEUE = 'runs';
/** A Redis that takes longer to answer counts as unavailable. */
const TIMEOUT_MS = 250;
const PING_INTERVAL_MS = 1000;
const RECONNECT_MOST_MS = 2000;
/** How long the end of a connection may take before it is cut: the driver waits for that also where it has ended. */
const DISCONNECT_MS = 100;
/** Missed runs in a row after which the worker is made anew: it may not notice new tickets after a reconnect. */
const MISSED_IN_A_ROW = 3;
/** Entries of BullMQ's own log of what happened to jobs, which nobody reads. */
const EVENTS_KEPT = 100;
/** Nothing is kept of a finished ticket. */
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: true } as const;

type TicketJob = Job<Ticket, void, string>;

/**
 * Tickets in a BullMQ queue on Redis or Valkey, for all processes. Jobs are fetched by hand, and only as many as there
 * are free slots; they are finished as soon as the ledger has answered, so that none is held while a run works. While
 * Redis is not available, tickets stay in this process, and searches in the ledger find what others have accepted.
 */
@Injectable()
export class BullMqTickets extends RunTickets implements OnApplicationShutdown {
  private readonly logger = new Logger('Tickets');
  private readonly bull = loadPackage<typeof BullMq>('bullmq', 'Distributing runs with Redis');
  private readonly redis = loadPackage<typeof IoRedis>('ioredis', 'Distributing runs with Redis');
  private readonly local = new LocalTickets();
  private readonly client: Redis;
  private readonly token = randomUUID();
  private queue: Queue<Ticket, void, string> | undefined;
  private worker: Worker<Ticket, void, string> | undefined;
  private blocking: Redis | undefined;
  private pinging: NodeJS.Timeout | undefined;
  /** Whether Redis answers; undefined before it is known. */
  private live: boolean | undefined;
  private closed = false;
  private fetching: Promise<void> | undefined;
  /** Jobs that were fetched and not yet taken. */
  private arrived: readonly TicketJob[] = [];
  private missedInARow = 0;
  private missedInAll = 0;
  private readonly seconds: Histogram;

  /**
   * @param url of the Redis server
   * @param prefix how keys begin; the same in all processes on one database, and in no others
   * @throws StartupError if the package `bullmq` or `ioredis` is not installed
   */
  constructor(
    private readonly url: string,
    private readonly prefix: string,
    metrics = new HintMetrics(new Metrics()),
  ) {
    super();
    this.seconds = metrics.redisSeconds.with('ticket');
    this.client = new this.redis.Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: TIMEOUT_MS,
      connectTimeout: 1000,
      disconnectTimeout: DISCONNECT_MS,
      retryStrategy: (attempt) => Math.min(attempt * 100, RECONNECT_MOST_MS),
    });
    this.client.on('error', (error) => this.degrade(error.message));
    this.client.on('ready', () => this.reconnected());
    this.client.on('close', () => this.degrade('the connection was closed'));
    this.pinging = setInterval(() => void this.ping(), PING_INTERVAL_MS).unref();
  }

  get isLive(): boolean {
    return this.live === true;
  }

  get missed(): number {
    return this.missedInAll;
  }

  /** How many tickets wait in Redis, for all processes. @throws the driver's error */
  async waiting(): Promise<number> {
    return (await this.queue?.getJobCountByTypes('wait', 'prioritized', 'delayed')) ?? 0;
  }

  add(ticket: Ticket, delayMs = 0): void {
    const { queue } = this;
    // Whoever waits here has free slots, and nobody else's ticket comes before.
    const isForHere = delayMs === 0 && this.local.isAwaited && (ticket.passed ?? 0) === 0;
    if (!this.live || !queue || isForHere) {
      this.local.add(ticket, delayMs);
      return;
    }
    const options = Object.assign({}, JOB_OPTIONS, { jobId: idOf(ticket), priority: rank(ticket), delay: delayMs });
    const sentAt = performance.now();
    queue
      .add('run', ticket, options)
      .catch((error: unknown) => {
        this.degrade(String(error));
        this.local.add(ticket);
      })
      .finally(() => this.seconds.observe((performance.now() - sentAt) / 1000));
  }

  async take(limit: number, signal: AbortSignal): Promise<TakenTickets> {
    while (!signal.aborted) {
      const own = this.local.poll(limit);
      if (own.length > 0) return { tickets: own, finish: () => Promise.resolve() };
      if (this.arrived.length > 0) return this.takeArrived(limit);
      const { worker } = this;
      if (this.live && worker) this.fetching ??= this.fetch(worker, limit);
      await this.local.arrival(signal);
    }
    return { tickets: [], finish: () => Promise.resolve() };
  }

  noteMissed(count: number): void {
    if (!this.live || count === 0) return;
    this.missedInAll += count;
    this.missedInARow += count;
    if (this.missedInARow < MISSED_IN_A_ROW) return;
    this.logger.warn(`${this.missedInARow} runs were found that no ticket had brought: connecting to the queue again`);
    this.renew();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    this.live = false;
    clearInterval(this.pinging);
    this.discardWorker();
    await this.queue?.close().catch(ignore);
    this.client.disconnect();
  }

  /** What was fetched and finds no slot any more goes back, for others. */
  private takeArrived(limit: number): TakenTickets {
    const jobs = this.arrived.slice(0, limit);
    const rest = this.arrived.slice(limit);
    this.arrived = [];
    this.missedInARow = 0;
    for (const job of rest) void this.giveBack(job);
    return {
      tickets: jobs.map(({ data }) => data),
      finish: async () => void (await Promise.all(jobs.map((job) => this.finish(job)))),
    };
  }

  /** Fetches jobs until there is one, and those that wait behind it. Never throws. */
  private async fetch(worker: Worker<Ticket, void, string>, limit: number): Promise<void> {
    const jobs: TicketJob[] = [];
    try {
      let job: TicketJob | undefined = await worker.getNextJob(this.token, { block: true });
      while (job) {
        jobs.push(job);
        job = jobs.length < limit ? await worker.getNextJob(this.token, { block: false }) : undefined;
      }
    } catch (error) {
      if (worker === this.worker) this.degrade(String(error));
    }
    // A worker that was replaced meanwhile has left its fetch behind.
    if (worker === this.worker) this.fetching = undefined;
    if (this.local.isAwaited) this.arrived = [...this.arrived, ...jobs];
    else for (const job of jobs) void this.giveBack(job);
    this.local.interrupt();
  }

  private async finish(job: TicketJob): Promise<void> {
    await job.moveToCompleted(undefined, this.token, false).catch(ignore);
  }

  private async giveBack(job: TicketJob): Promise<void> {
    await this.finish(job);
    this.add(job.data);
  }

  private reconnected(): void {
    if (this.closed) return;
    const options = { prefix: this.prefix, skipWaitingForReady: true };
    const streams = { events: { maxLen: EVENTS_KEPT } };
    this.queue ??= new this.bull.Queue(QUEUE, { connection: this.client, ...options, streams }).on('error', ignore);
    this.renew();
    if (this.live === false) this.logger.log('Redis is available again');
    this.live = true;
    this.local.interrupt();
  }

  /** A worker with connections of its own, which wait without a limit of time. */
  private renew(): void {
    this.discardWorker();
    this.missedInARow = 0;
    const blocking = new this.redis.Redis(this.url, {
      maxRetriesPerRequest: null,
      connectTimeout: 1000,
      disconnectTimeout: DISCONNECT_MS,
    }).on('error', ignore);
    this.blocking = blocking;
    const worker = new this.bull.Worker<Ticket, void, string>(QUEUE, null, {
      connection: blocking,
      prefix: this.prefix,
      autorun: false,
    });
    worker.on('error', ignore);
    // Tickets that a killed process had taken are taken again.
    void worker.startStalledCheckTimer();
    this.worker = worker;
    this.local.interrupt();
  }

  private discardWorker(): void {
    const { worker, blocking } = this;
    this.worker = undefined;
    this.fetching = undefined;
    void worker?.close(true).catch(ignore);
    blocking?.disconnect();
  }

  private async ping(): Promise<void> {
    if (this.client.status !== 'ready') return;
    try {
      await this.client.ping();
      if (!this.live) this.reconnected();
    } catch {
      this.degrade('Redis does not answer in time');
    }
  }

  private degrade(reason: string): void {
    if (this.live === false || this.closed) return;
    this.live = false;
    this.logger.warn(`Redis is not available (${reason}): waiting runs are found by searches in the database`);
    this.local.interrupt();
  }
}

function ignore(): void {
  // Without Redis nothing fails: what is lost is found in the ledger.
}

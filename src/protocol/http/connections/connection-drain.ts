import cluster from 'node:cluster';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Load balancers ask for these until the end. */
const HEALTH = /^\/(readiness|liveness)\b/;
/** Milliseconds without a request after which a load balancer has taken the server out. */
const QUIET_MS = 1000;
/** Milliseconds after which the server does not wait for a load balancer any longer. */
const QUIET_MOST_MS = 10_000;
/** Milliseconds for which a kept connection may be silent before the server closes it. */
const IDLE_MS = 2000;
/** Milliseconds after which connections are closed, whatever happens on them. */
const IDLE_MOST_MS = 10_000;
/** Milliseconds that requests in progress have to be answered when nobody else can serve their clients. */
const LAST_ANSWERS_MS = 1000;
/** Milliseconds between two looks. */
const LOOK_MS = 20;

/**
 * Takes clients away from a server that stops, without a request that fails. A client cannot know that its kept
 * connection is closed at the moment when it sends its next request. So the server answers that request with
 * `Connection: close`, and closes a connection by itself only if it has been silent for two seconds.
 */
@Injectable()
export class ConnectionDrain {
  private server: Server | undefined;
  private draining = false;
  private over = false;
  /** Requests that are not answered yet. */
  private active = 0;
  /** When a request came, or an answer was completed, by the monotonic clock. Requests for health pages do not count. */
  private busyAt = 0;

  /** How long `quiet` and `idle` take at most together, in milliseconds. */
  static readonly MOST_MS = QUIET_MOST_MS + IDLE_MOST_MS;

  /** Whether connections that were accepted before are not served any more. */
  get isOver(): boolean {
    return this.over;
  }

  /** Observes a server. Call it before the server listens. */
  observe(server: Server): void {
    this.server = server;
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      if (this.draining) response.shouldKeepAlive = false;
      if (HEALTH.test(request.url ?? '')) return;
      this.active += 1;
      this.busyAt = performance.now();
      response.once('close', () => {
        this.active -= 1;
        this.busyAt = performance.now();
      });
    });
  }

  /** From now on each answer ends its connection. The server still accepts connections. */
  begin(): void {
    this.draining = true;
  }

  /** Resolves when no request has come for a second, or after ten seconds: load balancers know that the server stops. */
  async quiet(): Promise<void> {
    await this.until(() => performance.now() - this.busyAt >= QUIET_MS, QUIET_MOST_MS);
  }

  /**
   * Accepts no more connections. Those that were accepted stay. Of several processes on one port, the one that
   * distributes connections has stopped giving any to this one when it resolves, and this one is `disconnected`.
   */
  async stopAccepting(): Promise<void> {
    if (!this.server?.listening) return;
    // `close` of an HTTP server would end the connections that are silent at this moment.
    NetServer.prototype.close.call(this.server);
    const { worker } = cluster;
    if (!worker?.isConnected()) return;
    // What the first process has sent meanwhile goes back to it; its answer comes after all of that.
    const disconnected = once(process, 'disconnect');
    worker.disconnect();
    await disconnected;
  }

  /** Resolves when all connections are closed, or have been silent for long enough. Call it after `stopAccepting`. */
  async idle(): Promise<void> {
    const since = performance.now();
    const isSilent = (): boolean => performance.now() - Math.max(this.busyAt, since) >= IDLE_MS;
    await this.until(async () => (this.active === 0 && isSilent()) || (await this.connections()) === 0, IDLE_MOST_MS);
  }

  /** Lets requests in progress be answered, for a second at most. Nothing is served afterwards. */
  async end(): Promise<void> {
    this.draining = true;
    await this.stopAccepting();
    await this.until(() => this.active === 0, LAST_ANSWERS_MS);
    this.over = true;
  }

  private connections(): Promise<number> {
    return new Promise((resolve) => {
      if (this.server) this.server.getConnections((_error, count) => resolve(count));
      else resolve(0);
    });
  }

  private async until(holds: () => boolean | Promise<boolean>, mostMs: number): Promise<void> {
    const end = performance.now() + mostMs;
    while (performance.now() < end && !(await holds())) await delay(LOOK_MS);
  }
}

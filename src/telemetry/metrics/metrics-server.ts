import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { Metrics, StartupError } from '../../common/index.js';
import { MetricsSettings } from './metrics.settings.js';

/**
 * Serves `GET /metrics` on a port of its own, so that the port of the clients need not be reachable for Prometheus, nor
 * the metrics for clients. It serves from the start of the process to its end, also while it drains. Without
 * `METRICS_PORT` it does nothing.
 */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Metrics');
  private server: Server | undefined;
  private registry: Registry | undefined;
  /** The reading in progress: whoever asks meanwhile gets its result. */
  private reading: Promise<string> | undefined;

  constructor(
    private readonly settings: MetricsSettings,
    private readonly metrics: Metrics,
  ) {}

  /** The port that is served; undefined without one. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  /** @throws StartupError if the port cannot be used */
  async onApplicationBootstrap(): Promise<void> {
    const { host, port } = this.settings;
    if (port === undefined) return;
    const { prometheusRegistry } = await import('./prometheus.js');
    this.registry = prometheusRegistry(this.metrics);
    const server = createServer((request, response) => void this.answer(request, response));
    this.server = server;
    // Exclusive: processes of a cluster would otherwise share the port, and each reading would be of another one.
    server.listen({ host, port, exclusive: true });
    try {
      await once(server, 'listening');
    } catch (error) {
      throw new StartupError(
        `The metrics cannot be served at ${host}:${port} (METRICS_HOST, METRICS_PORT): ${text(error)}`,
      );
    }
    this.logger.log(`Metrics are served at http://${host}:${this.port}/metrics`);
  }

  async onApplicationShutdown(): Promise<void> {
    const { server, registry } = this;
    if (!server) return;
    this.server = undefined;
    // Stops the timers and observers of the process's own metrics.
    registry?.clear();
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?', 1)[0];
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(path === '/metrics' ? 405 : 404).end();
      return;
    }
    try {
      const page = await this.read();
      response.writeHead(200, { 'content-type': this.registry?.contentType ?? 'text/plain' }).end(page);
    } catch (error) {
      this.logger.error(`The metrics could not be read: ${text(error)}`);
      response.writeHead(500).end();
    }
  }

  private read(): Promise<string> {
    const reading =
      this.reading ?? (this.registry?.metrics() ?? Promise.resolve('')).finally(() => (this.reading = undefined));
    this.reading = reading;
    return reading;
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

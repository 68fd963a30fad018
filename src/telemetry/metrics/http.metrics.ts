import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Counter, type Histogram, type Labelled, Metrics, SHORT_SECONDS } from '../../common/index.js';

/** Routes with a label of their own: all that the server has. */
const ROUTES = 200;
/** The methods that routes have; a client may send any word. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts requests by route, never by path: paths contain ids. */
@Injectable()
export class HttpMetrics {
  private readonly requests: Labelled<Counter>;
  private readonly seconds: Labelled<Histogram>;

  constructor(metrics: Metrics) {
    this.requests = metrics.counters({
      name: 'parley_http_requests_total',
      help: 'Requests that were answered or left by their client.',
      labels: ['method', 'route', 'status'],
      most: ROUTES,
    });
    this.seconds = metrics.histograms({
      name: 'parley_http_request_seconds',
      help: 'How long requests took until their response was written. Event streams are left out: they last as long as runs.',
      labels: ['route'],
      bounds: SHORT_SECONDS,
      most: ROUTES,
    });
  }

  /** Counts a request that has ended. */
  ended(request: FastifyRequest, response: ServerResponse, milliseconds: number): void {
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    this.requests.with(methodOf(request.raw), route, `${Math.floor(response.statusCode / 100)}xx`).add();
    const type = response.getHeader('content-type');
    if (typeof type === 'string' && type.startsWith('text/event-stream')) return;
    this.seconds.with(route).observe(milliseconds / 1000);
  }
}

function methodOf({ method = '' }: IncomingMessage): string {
  return METHODS.has(method) ? method : 'other';
}

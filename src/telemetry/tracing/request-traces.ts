import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { COMMON } from './attributes.js';
import { type Span, Tracing } from './tracing.js';

/** Of requests that are being traced. */
const spans = new WeakMap<IncomingMessage, Span>();

/** The span of each request. A `traceparent` of the client is continued. */
@Injectable()
export class RequestTraces {
  constructor(private readonly tracing: Tracing) {}

  /** Begins the span of a request. */
  began({ raw }: FastifyRequest): void {
    const { traceparent } = raw.headers;
    const attributes = { [COMMON.method]: raw.method ?? '', [COMMON.path]: raw.url?.split('?', 1)[0] ?? '' };
    const parent = typeof traceparent === 'string' ? traceparent : undefined;
    const span = this.tracing.start(raw.method ?? 'HTTP', { kind: 'server', parent, attributes });
    if (span) spans.set(raw, span);
  }

  /** Ends the span of a request, under the name of its route. */
  ended(request: FastifyRequest, response: ServerResponse): void {
    const span = spans.get(request.raw);
    if (!span) return;
    const { statusCode } = response;
    const route = request.is404 ? undefined : request.routeOptions.url;
    if (route !== undefined) span.rename(`${request.method} ${route}`);
    span.set({ [COMMON.status]: statusCode, ...(route !== undefined && { [COMMON.route]: route }) });
    span.end(statusCode >= 500 ? String(statusCode) : undefined);
  }
}

/** The `traceparent` under which what a request causes is traced; undefined if it is not traced. */
export function traceparentOf(request: IncomingMessage): string | undefined {
  return spans.get(request)?.traceparent;
}

/** The trace that a request belongs to; undefined if it is not traced. */
export function traceIdOf(request: IncomingMessage): string | undefined {
  return spans.get(request)?.traceId;
}
